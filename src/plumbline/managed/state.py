"""What is known of a managed resource, more with every step."""

from typing import Any, TypeAlias, TypeVar

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kernel.reconciler import Run
from plumbline.managed.external import Config, Created, External, Managed, Observed
from plumbline.managed.policies import Policies
from plumbline.managed.spec import ManagedSpec, ManagedStatus

Look: TypeAlias = Run[ManagedSpec, ManagedStatus]

S = TypeVar("S", bound=msgspec.Struct)


class At(msgspec.Struct, frozen=True, kw_only=True):
    """What the object itself says."""

    policies: Policies
    name: str = ""
    """The external name; empty where the provider assigns it and has not yet."""
    wanted: JsonObject = {}
    initial: JsonObject = {}


class Configured(At, frozen=True, kw_only=True):
    config: Config


class Connected(Configured, frozen=True, kw_only=True):
    external: External
    managed: Managed


class Looked(Connected, frozen=True, kw_only=True):
    observed: Observed
    created: Created | None = None
    """Made in this very look."""
    kept: JsonObject = {}
    """Fields of atProvider that only a write could tell."""
    updated: bool = False


def grown(at: msgspec.Struct, into: type[S], **more: Any) -> S:
    """*at* and *more*, as the state of the next step."""
    return into(**{name: getattr(at, name) for name in at.__struct_fields__}, **more)
