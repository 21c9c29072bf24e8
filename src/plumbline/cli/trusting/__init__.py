"""What `plumb cert` and `plumb gpg` share: whom we believe, kept in Argo CD's ConfigMaps."""
