"""State in Secrets, locks in Leases, copies outside: whose state it is, who is at work on it, and how it comes back.

The names and forms are upstream's, so that the state of an existing installation is found and every other terraform or
OpenTofu sees our lock. What upstream lacks is here too: locks that end with the run that took them, a state that is never
read half, and every version kept where the cluster cannot lose it.
"""

from plumbline.terraform.state.copies import Copies
from plumbline.terraform.state.holders import RunInfo
from plumbline.terraform.state.locks import Lock, Locks
from plumbline.terraform.state.orphans import Suspect, orphaned
from plumbline.terraform.state.place import Place
from plumbline.terraform.state.reading import Mark, State, read, unmoved
from plumbline.terraform.state.restoring import Restorer

__all__ = [
    "Copies",
    "Lock",
    "Locks",
    "Mark",
    "Place",
    "Restorer",
    "RunInfo",
    "State",
    "Suspect",
    "orphaned",
    "read",
    "unmoved",
]
