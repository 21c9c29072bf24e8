"""The fields of a kind as a tree: how each is called in forProvider, and where it is in the API."""

from collections.abc import Mapping

import msgspec

from plumbline.base.json import Json


class Field(msgspec.Struct, frozen=True):
    name: str
    path: tuple[str, ...]
    """In the API, below the object that it is in."""
    type: str
    final: bool = False
    late: bool = True
    caseless: bool = False
    link: str | None = None
    """Where a bare name is: `global/networks`. Empty where only links are taken."""
    says: Mapping[str, Json] | None = None
    """Values that have other names in the API."""
    switch: bool = False
    """A boolean that the API writes as Enabled and Disabled."""
    scale: int = 1
    """How many of forProvider's units are one of the API's: 1024 for storageMb in GB."""
    spoken: bool = False
    """Said at creation, and never heard of again."""


class Node(msgspec.Struct, frozen=True):
    """An object, or the objects of a list."""

    name: str
    path: tuple[str, ...]
    many: bool
    """A list of objects in forProvider."""
    listed: bool
    """A list in the API."""
    fields: tuple[Field, ...]
    nodes: tuple["Node", ...]
