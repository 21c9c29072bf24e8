"""Trees become objects: directory, Kustomize, Helm, Jsonnet. Deterministic and bounded."""
