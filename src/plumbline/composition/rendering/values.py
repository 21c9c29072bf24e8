"""What is rendered, and what comes of it."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.composition.functions.values import Function

Engine: TypeAlias = Literal["new", "old", "v1"]
"""Whose output: of Crossplane's CLI since v2.3, of v2.0 to v2.2, or of v1."""
MOMENT: Final = "2024-01-01T00:00:00Z"
"""When every condition changed: a real time would make each output another."""
API_VERSION: Final = "render.crossplane.io/v1beta1"


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    composite: JsonObject
    composition: JsonObject
    functions: Callable[[str], Function]
    """By the name that a step gives; raises where there is none."""
    observed: tuple[JsonObject, ...] = ()
    required: tuple[JsonObject, ...] = ()
    """Whatever functions may ask for."""
    secrets: tuple[JsonObject, ...] = ()
    """Secrets for functions that need credentials, and those that observed resources have written."""
    schemas: tuple[JsonObject, ...] = ()
    """OpenAPI documents."""
    context: JsonObject = {}
    legacy: bool = False
    """The composite keeps its machinery right under `spec`; only its definition can tell."""
    timeout_s: float = 60.0

    @property
    def metadata(self) -> JsonObject:
        return fields(self.composite, "metadata")


class Rendered(msgspec.Struct, frozen=True):
    composite: JsonObject
    composed: tuple[JsonObject, ...]
    """In the order of the names that the composition gives them."""
    results: tuple[JsonObject, ...] = ()
    context: JsonObject = {}


def fields(obj: JsonObject, *path: str) -> JsonObject:
    """The object below *path*; empty where there is none, or something else."""
    found: Json = obj
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
