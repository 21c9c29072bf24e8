"""What passes between whoever keeps files of a source and whoever uses them."""

from typing import NamedTuple, Protocol

from plumbline.base.json import JsonObject
from plumbline.base.tree import Tree


class Reference(Protocol):
    """A source, as objects name it."""

    @property
    def api_version(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...


class Sourced(NamedTuple):
    """Files of a source, as its object says that they are now."""

    tree: Tree
    revision: str
    """As the object's status says it, such as main@sha1:…"""
    digest: str
    """Of the packed files, such as sha256:…"""
    artifact: JsonObject
    """All that its status says about the packed files, where they are fetched from included."""
