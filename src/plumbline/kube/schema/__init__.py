"""Schemas of built-in kinds and of CRDs, compiled into shapes."""
