"""A call of a composition function and its answer, as values: the protocol's messages without their encoding."""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext

Ready: TypeAlias = Literal["Unspecified", "True", "False"]
Severity: TypeAlias = Literal["Fatal", "Warning", "Normal", "Unspecified"]
Recipient: TypeAlias = Literal["Composite", "CompositeAndClaim"]

ENVIRONMENT = "apiextensions.crossplane.io/environment"
"""The key of the context under which functions pass an environment on."""


class Resource(msgspec.Struct, frozen=True):
    """One object, as it is (observed) or as it should be (desired)."""

    resource: JsonObject
    connection: Mapping[str, Plaintext] = {}
    ready: Ready = "Unspecified"


NOTHING = Resource({})


class State(msgspec.Struct, frozen=True):
    composite: Resource = NOTHING
    resources: Mapping[str, Resource] = {}
    """Composed resources by the name that the composition gives them."""


class Selector(msgspec.Struct, frozen=True, kw_only=True):
    """Objects that a function wants to see: one by its name, or those with all of the labels."""

    api_version: str
    kind: str
    name: str = ""
    labels: Mapping[str, str] | None = None
    namespace: str = ""


class SchemaSelector(msgspec.Struct, frozen=True):
    api_version: str
    kind: str


class Requirements(msgspec.Struct, frozen=True):
    resources: Mapping[str, Selector] = {}
    extra_resources: Mapping[str, Selector] = {}
    """The same under the older name, and answered under it."""
    schemas: Mapping[str, SchemaSelector] = {}


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """RunFunctionRequest."""

    observed: State
    desired: State = State()
    input: JsonObject | None = None
    context: JsonObject = {}
    credentials: Mapping[str, Mapping[str, Plaintext]] = {}
    required: Mapping[str, tuple[Resource, ...]] = {}
    """Present, if empty, for what was asked for and is not there."""
    extra: Mapping[str, tuple[Resource, ...]] = {}
    schemas: Mapping[str, JsonObject] = {}
    tag: str = ""


class Result(msgspec.Struct, frozen=True):
    severity: Severity
    message: str
    reason: str = ""
    recipient: Recipient = "Composite"


class Condition(msgspec.Struct, frozen=True):
    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str = ""
    recipient: Recipient = "Composite"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """RunFunctionResponse."""

    desired: State = State()
    context: JsonObject = {}
    results: tuple[Result, ...] = ()
    conditions: tuple[Condition, ...] = ()
    requirements: Requirements = Requirements()
    ttl_s: float = 60.0
    output: JsonObject | None = None
    left_alone: frozenset[str] = frozenset()
    """Resources that could not be rendered this time: what there is of them stays as it is. Only mode Resources has these."""


class Function(Protocol):
    async def run(self, call: Call) -> Answer:
        """Raises from the error tree where no answer could be had; what the function itself refuses is a Fatal result."""
