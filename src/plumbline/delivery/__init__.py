"""Applications: from a revision in Git to healthy objects in a cluster."""
