"""What a plugin is, and how it says no."""

from typing import Protocol

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Collection
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json, JsonObject

PODS = Collection("", "pods")
CLAIMS = Collection("", "persistentvolumeclaims")


class Plugin(Protocol):
    """Looks at writes of some resources, or of all."""

    @property
    def name(self) -> str:
        """What Kubernetes calls it."""

    @property
    def concerns(self) -> frozenset[Collection] | None:
        """Which resources; None for all of them."""

    async def mutated(self, attributes: Attributes) -> JsonObject:
        """The object to go on with; raises RequestRefused."""

    async def check(self, attributes: Attributes) -> None:
        """Raises RequestRefused where the final object must not be stored, or not be deleted."""


class Mutating:
    """For plugins that only change objects."""

    async def check(self, attributes: Attributes) -> None:
        """Nothing to refuse."""


class Validating:
    """For plugins that only refuse objects."""

    async def mutated(self, attributes: Attributes) -> JsonObject:
        return object_of(attributes)


def object_of(attributes: Attributes) -> JsonObject:
    return attributes.obj or {}


def collection_of(attributes: Attributes) -> Collection:
    return attributes.scope.resource.collection


def creates(attributes: Attributes) -> bool:
    """A new object, not something that is created below one."""
    return attributes.operation is Operation.CREATE and not attributes.scope.subresource


def updates(attributes: Attributes, subresource: str = "") -> bool:
    return attributes.operation is Operation.UPDATE and attributes.scope.subresource == subresource


def forbidden(attributes: Attributes, why: str, *causes: Json) -> RequestRefused:
    resource = attributes.scope.resource
    refused = statuses.forbidden(resource.kind.group, resource.plural, _name(attributes), why)
    if causes:
        refused.status["details"]["causes"] = list(causes)
    return refused


def _name(attributes: Attributes) -> str:
    metadata = metadata_of(attributes.obj or {})
    return attributes.scope.name or metadata.get("name") or metadata.get("generateName") or "Unknown"
