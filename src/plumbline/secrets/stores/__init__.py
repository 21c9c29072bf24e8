"""Where secrets are kept elsewhere."""
