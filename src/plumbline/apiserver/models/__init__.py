"""What the API server knows of a kind: how to read, default, check and convert its objects."""
