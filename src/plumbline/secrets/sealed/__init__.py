"""SealedSecrets become Secrets, and sealing keys are made, renewed and followed."""
