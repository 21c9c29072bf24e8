"""What a platform offers: definitions as rows, and the schema of one of them for forms. Pure.

Definitions come from anybody who may write them and may be half right: what is missing is left out.
"""

from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.composition.parts import below, condition
from plumbline.kernel.cache import Cached, Meta
from plumbline.kube.names import GroupKind, GroupVersionResource, Ref
from plumbline.web.api.ours.marks import tracked

_GROUP: Final = "apiextensions.crossplane.io"
_KIND: Final = "CompositeResourceDefinition"
_MACHINERY: Final = frozenset({
    "compositeDeletePolicy", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector",
    "compositionSelector", "compositionUpdatePolicy", "crossplane", "publishConnectionDetailsTo", "resourceRef",
    "resourceRefs", "claimRef",
})  # fmt: skip
"""Fields that no form asks for."""


class Offer(msgspec.Struct, frozen=True):
    """A kind that is offered."""

    kind: str
    plural: str
    served: bool


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    group: str
    version: str
    """The one that compositions refer to."""
    scope: str
    composite: Offer
    claim: Offer | None = None
    created: str = ""
    default_composition: str = ""
    connection_keys: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    message: str = ""
    """Why it is not offered yet."""
    marks: Meta = Meta()

    @property
    def ref(self) -> Ref:
        return Ref(_GROUP, _KIND, "", self.name)

    @property
    def asked_for(self) -> Offer:
        """What people make."""
        return self.claim or self.composite

    def resource(self, offer: Offer) -> GroupVersionResource:
        return GroupVersionResource(self.group, self.version, offer.plural)

    def offers(self, kind: GroupKind) -> Offer | None:
        for offer in (self.claim, self.composite):
            if offer is not None and GroupKind(self.group, offer.kind) == kind:
                return offer
        return None

    @property
    def namespaced(self) -> bool:
        return self.scope == "Namespaced"


def definition(entry: Cached) -> Definition:
    obj = entry.object()
    spec = below(obj, "spec")
    listed, keys = spec.get("versions"), spec.get("connectionSecretKeys")
    versions = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    names, claims = below(spec, "names"), below(spec, "claimNames")
    established, offered = condition(obj, "Established"), condition(obj, "Offered")
    usual = "Namespaced" if str(obj.get("apiVersion")).endswith("/v2") else "LegacyCluster"
    unmet = [_text(each.get("message")) for each in (established, offered) if each.get("status") == "False"]
    return Definition(
        name=entry.meta.name,
        group=_text(spec.get("group")),
        version=next((_text(each.get("name")) for each in versions if each.get("referenceable") is True), ""),
        scope=_text(spec.get("scope")) or usual,
        composite=_offer(names, established),
        claim=_offer(claims, offered) if claims else None,
        created=_text(below(obj, "metadata").get("creationTimestamp")),
        default_composition=_text(
            below(spec, "enforcedCompositionRef").get("name") or below(spec, "defaultCompositionRef").get("name")
        ),
        connection_keys=tuple(map(str, keys)) if isinstance(keys, list) else (),
        versions=tuple(_text(each.get("name")) for each in versions if each.get("served") is True),
        message=next(filter(None, unmet), ""),
        marks=tracked(entry.meta),
    )


def _offer(names: JsonObject, condition_: JsonObject) -> Offer:
    served = condition_.get("status") == "True"
    return Offer(_text(names.get("kind")), _text(names.get("plural")), served and bool(names.get("plural")))


def shaped(each: Definition) -> JsonObject:
    said: JsonObject = {
        "name": each.name,
        "group": each.group,
        "version": each.version,
        "versions": list(each.versions),
        "kind": each.asked_for.kind,
        "plural": each.asked_for.plural,
        "offered": each.asked_for.served,
        "namespaced": each.claim is not None or each.namespaced,
        "scope": each.scope,
        "compositeKind": each.composite.kind,
        "claimKind": each.claim.kind if each.claim is not None else "",
        "defaultComposition": each.default_composition,
        "connectionKeys": list(each.connection_keys),
        "createdAt": each.created,
        "message": each.message,
    }
    return {name: value for name, value in said.items() if value != ""}


def schemas(xrd: JsonObject) -> JsonObject:
    """For each version that is served, the schema of the spec that people fill in."""
    listed = below(xrd, "spec").get("versions")
    found: JsonObject = {}
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("served") is True:
            found[_text(each.get("name"))] = _form(below(each, "schema", "openAPIV3Schema"))
    return found


def _form(schema: JsonObject) -> JsonObject:
    spec = below(schema, "properties", "spec")
    properties = {name: value for name, value in below(spec, "properties").items() if name not in _MACHINERY}
    said: JsonObject = {"description": schema.get("description") or "", "spec": {**spec, "properties": properties}}
    return said


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
