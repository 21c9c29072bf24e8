"""The edge to a Kubernetes API: raw bytes in and out, nothing decoded that nobody looks at."""
