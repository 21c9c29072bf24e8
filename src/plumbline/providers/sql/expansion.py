"""Privileges that stand for several, as PostgreSQL itself understands them."""

from collections.abc import Iterable
from typing import Final

_ALL: Final[dict[str, tuple[str, ...]]] = {
    "database": ("CREATE", "TEMPORARY", "CONNECT"),
    "schema": ("CREATE", "USAGE"),
    "table": ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"),
    "column": ("SELECT", "INSERT", "UPDATE", "REFERENCES"),
    "sequence": ("USAGE", "SELECT", "UPDATE"),
    "routine": ("EXECUTE",),
    "function": ("EXECUTE",),
    "type": ("USAGE",),
    "foreign data wrapper": ("USAGE",),
    "foreign server": ("USAGE",),
}
_SHORT: Final = frozenset({"ALL", "ALL PRIVILEGES"})
MAINTAINS: Final = 170000
"""The first server that knows MAINTAIN."""


def expanded(kind: str, privileges: Iterable[str], version: int) -> frozenset[str]:
    """What the catalogue of a server of *version* will say after *privileges* were granted on a *kind* of object."""
    every = tuple(each for each in _ALL[kind] if each != "MAINTAIN" or version >= MAINTAINS)
    found: set[str] = set()
    for each in privileges:
        found.update(every if each in _SHORT else ("TEMPORARY" if each == "TEMP" else each,))
    return frozenset(found)
