"""Objects of any kind, as people and programs want to see them."""
