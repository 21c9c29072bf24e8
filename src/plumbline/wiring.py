"""The one file that knows every room; it builds `plumb up` and `plumb run`."""
