"""Which resources are served: the built-in ones, and those that CRDs add."""
