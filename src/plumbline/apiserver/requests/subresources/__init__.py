"""Paths below an object that are more than another way to write it."""
