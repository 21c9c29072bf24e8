"""One table for each kind, by service."""
