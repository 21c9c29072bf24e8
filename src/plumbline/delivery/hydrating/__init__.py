"""Rendered manifests on a branch: what a dry source says is written there, and applications are synced from it.

Only what `spec.sourceHydrator` asks for, and only where the installation has it enabled. Applications that are rendered
from the same revision to the same branch become one commit. A branch is never forced, and what is on it decides: whoever
was killed between a push and the status that tells it finds the commit there and pushes no other.
"""
