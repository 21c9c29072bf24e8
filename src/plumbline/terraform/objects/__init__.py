"""Terraform objects as people ask for them: how far they are, their plans, what is said about those, and their state.

Nothing here reconciles; whoever asks does so with a client of their own, and sees what that may see.
"""
