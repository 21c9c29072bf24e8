"""Kubernetes objects as values (paths, patches, schemas, apply, diff, health) and, at its edge, the client."""
