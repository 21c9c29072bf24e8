"""The work of `plumb seal` and `plumb secret`."""
