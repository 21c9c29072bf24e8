"""The content key of a render: equal keys mean equal output, and making one reads no file that did not change."""

import hashlib
from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.base.tree import Tree, followed

_FORM: Final = "1"
"""Raised whenever the same inputs give another output than they did before."""


def key_of(source_type: str, inputs: Iterable[str]) -> str:
    """One text for all of *inputs*: their number, order and borders count."""
    digest = hashlib.sha256()
    for part in (_FORM, source_type, *inputs):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.hexdigest()


def content_of(tree: Tree, path: str) -> str:
    """What is at *path*, links followed, as a digest; empty where there is nothing, and something for what leads out.

    For files that a tool looks for and may do without: that there is none is an input too.
    """
    try:
        _, entry = followed(tree, path)
    except PlumblineError:
        return "outside"
    return f"{entry.kind} {entry.digest}" if entry is not None else ""
