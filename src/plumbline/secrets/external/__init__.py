"""ExternalSecrets become Secrets, and the stores that they come from are looked after."""
