"""Git, OCI and chart repositories become read-only trees with a content hash."""
