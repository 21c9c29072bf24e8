"""Composites: what they are made of, decided by a pipeline of functions, applied through the gate."""
