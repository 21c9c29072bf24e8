"""The controllers that a cluster brings along: they live in the control plane and speak to it without a network."""
