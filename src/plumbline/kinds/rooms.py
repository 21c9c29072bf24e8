"""The rooms whose controllers can be run without the others. Nothing is imported here: the command line asks for the names."""

from typing import Final

ROOMS: Final = ("delivery", "composition", "terraform", "secrets")
EVERY_ROOM: Final = frozenset(ROOMS)
