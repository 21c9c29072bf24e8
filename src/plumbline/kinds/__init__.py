"""Typed specs of every kind we define or serve, one file per kind; CRDs are generated from here."""
