"""The built-in kinds: their columns and cells, a file per neighbourhood."""
