"""What `plumb repo` and `plumb repocreds` share: Secrets with repositories and credentials, as Argo CD writes them."""
