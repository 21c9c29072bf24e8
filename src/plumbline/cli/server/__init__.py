"""Servers that people have logged in to: where they are, as whom, and what they answer."""
