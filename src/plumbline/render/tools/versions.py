"""Kubernetes' version as tools may be told it."""

import re
from typing import Final

from plumbline.base.errors import InvalidInput

_VERSION: Final = re.compile(r"\s*v?((?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))+)(?![0-9.])")


def kube_version(version: str) -> str:
    """*version* without what vendors add to it, which not every Helm can read; empty if it is."""
    if not version:
        return ""
    found = _VERSION.match(version)
    if found is None:
        raise InvalidInput(
            f"Cannot render for Kubernetes {version!r}",
            why=f"could not parse kubernetes version {version}",
            hint="Write it like 1.31 or 1.31.2.",
        )
    return found[1]
