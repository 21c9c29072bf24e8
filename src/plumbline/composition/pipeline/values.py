"""What a pipeline consists of, and what came of it."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from plumbline.base.errors import PlumblineError, Transient
from plumbline.base.json import JsonObject
from plumbline.composition.functions.values import Condition, Recipient, Result, SchemaSelector, Selector, State

COMPOSE = "ComposeResources"
"""The reason of events for which a function names none."""


class Credential(msgspec.Struct, frozen=True):
    """A Secret that a function is given under *name*."""

    name: str
    secret_namespace: str
    secret_name: str


class Step(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    function: str
    input: JsonObject | None = None
    credentials: tuple[Credential, ...] = ()
    resources: Mapping[str, Selector] = {}
    """What the function is shown from the first run on."""
    schemas: Mapping[str, SchemaSelector] = {}

    @classmethod
    def of(cls, written: JsonObject) -> "Step":
        """A step as a Composition's `pipeline` has it, which its schema has checked.

        Sources of credentials other than Secrets are passed over, as in Crossplane.
        """
        needs = written.get("requirements") or {}
        return cls(
            name=written["step"],
            function=written["functionRef"]["name"],
            input=written.get("input"),
            credentials=tuple(
                Credential(each["name"], each["secretRef"].get("namespace", ""), each["secretRef"]["name"])
                for each in written.get("credentials") or ()
                if each.get("source") == "Secret" and each.get("secretRef")
            ),
            resources={each["requirementName"]: _selector(each) for each in needs.get("requiredResources") or ()},
            schemas={
                each["requirementName"]: SchemaSelector(each["apiVersion"], each["kind"])
                for each in needs.get("requiredSchemas") or ()
            },
        )


def _selector(written: JsonObject) -> Selector:
    return Selector(
        api_version=written["apiVersion"],
        kind=written["kind"],
        name=written.get("name") or "",
        labels=written.get("matchLabels"),
        namespace=written.get("namespace") or "",
    )


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something a function wants to be known."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str
    detail: str = ""
    """Put before the message on the composite, and left out on the claim."""
    recipient: Recipient = "Composite"

    @property
    def told(self) -> str:
        """The message as the composite's event has it."""
        return f"{self.detail}: {self.message}" if self.detail else self.message


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why the pipeline came to no end."""

    step: str
    function: str
    message: str
    """As Crossplane words it."""
    fatal: bool = False
    """The function itself refused; otherwise no answer could be had of it, or none that can be used."""
    transient: bool = False
    """It may be otherwise next time, without anybody changing anything."""
    hint: str = ""


def refused(step: Step, message: str) -> Failure:
    text = f'pipeline step "{step.name}" returned a fatal result: {message}'
    return Failure(step=step.name, function=step.function, message=text, fatal=True)


def failed(step: Step, error: PlumblineError) -> Failure:
    text = f'cannot run Composition pipeline step "{step.name}": cannot run Function "{step.function}": {error}'
    transient = isinstance(error, Transient)
    return Failure(step=step.name, function=step.function, message=text, transient=transient, hint=error.hint)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the functions want. After a failure nothing of it may be applied: then `desired` is empty."""

    desired: State = State()
    context: JsonObject = {}
    results: tuple[tuple[str, Result], ...] = ()
    """Every result with the name of its step, as rendering shows them."""
    events: tuple[Event, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """Never one of the types that are Crossplane's own."""
    ttl_s: float = 0.0
    """When it is worth asking again; 0 where no function says."""
    required: tuple[Selector, ...] = ()
    """What functions were shown: they want to be asked again when it changes."""
    outputs: Mapping[str, JsonObject] = {}
    """What functions answered for an operation, by step."""
    failure: Failure | None = None
