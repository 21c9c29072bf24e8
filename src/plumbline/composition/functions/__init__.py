"""Composition functions: what they are given, what they answer, and those that come with us."""
