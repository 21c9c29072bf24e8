"""Verbs people type: parse, call, print. No decisions are made here."""
