"""Errors, clock, ids, log, limits, processes. Imports nothing of ours."""
