"""Whether a CustomResourceDefinition may be served, and what becomes of its names."""
