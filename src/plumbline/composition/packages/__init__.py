"""Providers, Functions and Configurations: packages that say what a control plane can do. Here they are told whether it can."""
