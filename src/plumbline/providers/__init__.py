"""External clients of clouds and databases, as tables over the vendors' own descriptions."""
