"""What stands in for a package."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec

PackageKind: TypeAlias = Literal["Provider", "Function", "Configuration"]


class Served(msgspec.Struct, frozen=True):
    """Something here does what the package would do."""

    name: str
    """Such as `aws`, or `function-patch-and-transform`."""
    capabilities: tuple[str, ...] = ()


Serving: TypeAlias = Callable[[str, PackageKind], Served | None]
"""What stands in for the package of that name in a registry, tag and all; None where nothing does."""
Activate: TypeAlias = Callable[[Served], Awaitable[None]]
"""Makes the kinds of a provider usable. Called at every look: repeated, it changes nothing."""


def repository_of(package: str) -> str:
    """The package's name without registry host, tag and digest: `crossplane-contrib/provider-aws-s3`."""
    bare = package.partition("@")[0]
    head, slash, last = bare.rpartition("/")
    path = f"{head}{slash}{last.partition(':')[0]}"
    host, slash, rest = path.partition("/")
    return rest if slash and ("." in host or ":" in host or host == "localhost") else path
