"""The gate between a valid request and the store: others may change an object, or refuse it."""

from enum import Enum
from typing import Protocol

import msgspec

from plumbline.apiserver.objects.scope import Scope
from plumbline.base.json import JsonObject


class Operation(Enum):
    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CONNECT = "CONNECT"


class Attributes(msgspec.Struct, frozen=True):
    scope: Scope
    operation: Operation
    obj: JsonObject | None
    old: JsonObject | None = None
    options: JsonObject = msgspec.field(default_factory=dict)
    """CreateOptions, UpdateOptions or DeleteOptions of the request."""


class Admission(Protocol):
    async def mutated(self, attributes: Attributes) -> JsonObject:
        """The object to go on with; raises RequestRefused."""

    async def check(self, attributes: Attributes) -> None:
        """Raises RequestRefused where the final object must not be stored, or not be deleted."""


class NoAdmission:
    """Everything passes."""

    async def mutated(self, attributes: Attributes) -> JsonObject:
        return attributes.obj or {}

    async def check(self, attributes: Attributes) -> None:
        """Nothing to refuse."""
