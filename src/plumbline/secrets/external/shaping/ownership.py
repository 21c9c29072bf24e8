"""Whose a Secret is: controller references, as controller-runtime sets and removes them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from plumbline.base.json import JsonObject
from plumbline.kinds.externalsecrets.common import GROUP
from plumbline.secrets.external.shaping.markers import CREATED_BY, created_by

_KIND = "ExternalSecret"


class Subject(NamedTuple):
    """The ExternalSecret that a Secret is made for."""

    api_version: str
    namespace: str
    name: str
    uid: str
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}

    @property
    def reference(self) -> JsonObject:
        return {
            "apiVersion": self.api_version,
            "kind": _KIND,
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }


class Holder(NamedTuple):
    """The controller of a Secret. Versions and uids do not count, as they change with a restored backup."""

    group: str
    kind: str
    name: str

    @property
    def external_secret(self) -> bool:
        return (self.group, self.kind) == (GROUP, _KIND)

    def is_(self, subject: Subject) -> bool:
        return self.external_secret and self.name == subject.name


def holder_of(metadata: JsonObject) -> Holder | None:
    for reference in references_of(metadata):
        if reference.get("controller") is True:
            return _holder(reference)
    return None


def owned(metadata: JsonObject, subject: Subject) -> list[JsonObject]:
    """The owner references of *metadata* with *subject* as the controller; nobody else may be it."""
    references = references_of(metadata)
    at = next((at for at, each in enumerate(references) if _holder(each).is_(subject)), len(references))
    references[at : at + 1] = [subject.reference]
    return references


def released(metadata: JsonObject, subject: Subject) -> list[JsonObject]:
    """The owner references of *metadata* without *subject*."""
    return [each for each in references_of(metadata) if not _holder(each).is_(subject)]


def superseded(secrets: Iterable[JsonObject], subject: Subject, name: str) -> list[JsonObject]:
    """Those of *secrets* that *subject* owns, but that are not the one called *name*: its target had another name."""
    mark = created_by(subject.namespace, subject.name)
    found = []
    for secret in secrets:
        metadata = secret.get("metadata") or {}
        holder = holder_of(metadata)
        labelled = (metadata.get("labels") or {}).get(CREATED_BY) == mark
        if labelled and metadata.get("name") != name and holder is not None and holder.is_(subject):
            found.append(secret)
    return found


def references_of(metadata: JsonObject) -> list[JsonObject]:
    return [each for each in metadata.get("ownerReferences") or () if isinstance(each, dict)]


def _holder(reference: JsonObject) -> Holder:
    group, slash, _ = str(reference.get("apiVersion", "")).partition("/")
    return Holder(group if slash else "", str(reference.get("kind", "")), str(reference.get("name", "")))
