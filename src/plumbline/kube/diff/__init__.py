"""The linear diff of desired against live, each line with its manager."""
