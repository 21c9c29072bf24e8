"""Identities, tokens and policy decisions."""
