"""Objects of built-in kinds that are served in more than one version, from each to the other."""
