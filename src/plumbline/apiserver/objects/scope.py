"""What one request is about, and who makes it."""

import msgspec

from plumbline.access.identity import Identity
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.storage.entries import Key


class Scope(msgspec.Struct, frozen=True):
    model: Model
    identity: Identity
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    dry_run: bool = False
    manager: str = ""
    """Who is recorded as the writer of fields."""
    warnings: list[str] = msgspec.field(default_factory=list)
    """Grows while the request is carried out; the answer carries them as headers."""

    @property
    def resource(self) -> Resource:
        return self.model.resource

    def key(self, name: str = "") -> Key:
        resource = self.resource
        return Key(resource.collection, self.namespace if resource.namespaced else "", name or self.name)
