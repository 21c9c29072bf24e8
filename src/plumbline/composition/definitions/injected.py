"""What every composite resource and claim has besides what its definition says. Pure, and upstream's but for one field."""

from typing import Final, TypeAlias

from plumbline.base.json import JsonObject

Scope: TypeAlias = str
LEGACY: Final = "LegacyCluster"
NAMESPACED: Final = "Namespaced"

_TEXT: Final[JsonObject] = {"type": "string"}
_TIME: Final[JsonObject] = {"type": "string", "format": "date-time"}


def _object(required: tuple[str, ...], **properties: JsonObject) -> JsonObject:
    return {"type": "object", **({"required": list(required)} if required else {}), "properties": properties}


def _texts(*names: str) -> JsonObject:
    return _object(names, **dict.fromkeys(names, _TEXT))


_SELECTOR: Final = _object(("matchLabels",), matchLabels={"type": "object", "additionalProperties": _TEXT})
_CHOSEN: Final[JsonObject] = {
    "compositionRef": _texts("name"),
    "compositionSelector": _SELECTOR,
    "compositionRevisionRef": _texts("name"),
    "compositionRevisionSelector": _SELECTOR,
}
_CONDITION: Final = _object(
    ("lastTransitionTime", "reason", "status", "type"),
    lastTransitionTime=_TIME,
    message=_TEXT,
    reason=_TEXT,
    status=_TEXT,
    type=_TEXT,
    observedGeneration={"type": "integer", "format": "int64"},
)
_CONDITIONS: Final[JsonObject] = {
    "description": "Conditions of the resource.",
    "type": "array",
    "x-kubernetes-list-map-keys": ["type"],
    "x-kubernetes-list-type": "map",
    "items": _CONDITION,
}


def composite_spec(scope: Scope, update_policy: str | None) -> JsonObject:
    """Fields of a composite resource's spec: side by side for the older lineage, below `crossplane` for the newer."""
    machinery: JsonObject = {
        **_CHOSEN,
        "compositionUpdatePolicy": _choice(("Automatic", "Manual"), update_policy),
        "resourceRefs": _resource_refs(scope),
    }
    if scope != LEGACY:
        nested = _object((), **machinery)
        return {
            "crossplane": {**nested, "description": "Configures how Crossplane will reconcile this composite resource"}
        }
    return {
        **machinery,
        "claimRef": _texts("apiVersion", "kind", "namespace", "name"),
        "writeConnectionSecretToRef": _texts("name", "namespace"),
    }


def claim_spec(delete_policy: str | None) -> JsonObject:
    """Fields of a claim's spec.

    People write the namespace of the connection Secret as they do for composites. Upstream drops it unseen; here it is kept, so
    that one that is not the claim's own can be refused.
    """
    return {
        **_CHOSEN,
        "compositionUpdatePolicy": _choice(("Automatic", "Manual"), None),
        "compositeDeletePolicy": _choice(("Background", "Foreground"), delete_policy),
        "resourceRef": _texts("apiVersion", "kind", "name"),
        "writeConnectionSecretToRef": _object(("name",), name=_TEXT, namespace=_TEXT),
    }


def status(scope: Scope) -> JsonObject:
    """Fields of a status. Claims have those of the older lineage."""
    if scope != LEGACY:
        return {"conditions": _CONDITIONS}
    return {
        "conditions": _CONDITIONS,
        "connectionDetails": _object((), lastPublishedTime=_TIME),
        "claimConditionTypes": {"type": "array", "x-kubernetes-list-type": "set", "items": _TEXT},
    }


def _resource_refs(scope: Scope) -> JsonObject:
    """A namespaced one has no business in another namespace."""
    fields = ("apiVersion", "name", "kind") if scope == NAMESPACED else ("apiVersion", "name", "namespace", "kind")
    return {
        "type": "array",
        "x-kubernetes-list-type": "atomic",
        "items": _object(("apiVersion", "kind"), **dict.fromkeys(fields, _TEXT)),
    }


def _choice(values: tuple[str, ...], default: str | None) -> JsonObject:
    chosen: JsonObject = {"type": "string", "enum": list(values)}
    return chosen if default is None else {**chosen, "default": default}


def composite_columns(scope: Scope) -> list[JsonObject]:
    machinery = ".spec" if scope == LEGACY else ".spec.crossplane"
    revision = _column("COMPOSITIONREVISION", f"{machinery}.compositionRevisionRef.name")
    return [
        *_STATES,
        _column("COMPOSITION", f"{machinery}.compositionRef.name"),
        {**revision, "priority": 1},
        _AGE,
    ]


def claim_columns() -> list[JsonObject]:
    return [*_STATES, _column("CONNECTION-SECRET", ".spec.writeConnectionSecretToRef.name"), _AGE]


def _column(name: str, path: str, type_: str = "string") -> JsonObject:
    return {"name": name, "type": type_, "jsonPath": path}


_STATES: Final = (
    _column("SYNCED", ".status.conditions[?(@.type=='Synced')].status"),
    _column("READY", ".status.conditions[?(@.type=='Ready')].status"),
)
_AGE: Final = _column("AGE", ".metadata.creationTimestamp", "date")
