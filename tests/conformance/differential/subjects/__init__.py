"""The kinds of the matrix."""
