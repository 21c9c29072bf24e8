"""Append-only record of what happened, and the folds over it."""
