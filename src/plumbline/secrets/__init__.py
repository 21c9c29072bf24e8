"""Sealing, external stores and rotation. Plaintext is opened here and nowhere else."""
