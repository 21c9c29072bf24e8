"""Embedded Kubernetes-compatible API. Only `wiring` and `cli` may know it exists."""
