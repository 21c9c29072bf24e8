"""What an object says that it is made of: claims name their composite, composites what they compose, Applications what they deliver. Pure."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, GroupVersionKind

APPLICATION: Final = GroupKind("argoproj.io", "Application")


class Branch(NamedTuple):
    """Where a part of an object is."""

    gvk: GroupVersionKind
    namespace: str
    name: str


def below(obj: JsonObject, *path: str) -> JsonObject:
    found: Json = obj
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def branches(obj: JsonObject, *, secrets: bool = False) -> list[Branch]:
    """What *obj* names as its parts, in a fixed order."""
    gvk = GroupVersionKind.of(obj)
    if gvk.group_kind == APPLICATION:
        return list(_delivered(obj))
    spec = below(obj, "spec")
    own = str(below(obj, "metadata").get("namespace") or "")
    refs = spec.get("resourceRefs") or below(spec, "crossplane").get("resourceRefs")
    found = [_branch(each, own) for each in refs if _names(each)] if isinstance(refs, list) else []
    claimed = below(spec, "resourceRef")
    if own and not found and _names(claimed):
        found = [_branch(claimed, "")]
    secret = below(spec, "writeConnectionSecretToRef")
    if secrets and secret.get("name") and (found or "forProvider" in spec):
        place = str(secret.get("namespace") or own)
        found.append(Branch(GroupVersionKind("", "v1", "Secret"), place, str(secret["name"])))
    return sorted(found, key=lambda each: each.gvk.api_version + each.gvk.kind + each.name)


def _names(ref: Json) -> bool:
    return isinstance(ref, dict) and all(ref.get(key) for key in ("apiVersion", "kind", "name"))


def _branch(ref: JsonObject, own: str) -> Branch:
    gvk = GroupVersionKind.parse(str(ref["apiVersion"]), str(ref["kind"]))
    return Branch(gvk, str(ref.get("namespace") or own), str(ref["name"]))


def _delivered(app: JsonObject) -> Iterator[Branch]:
    listed = below(app, "status").get("resources")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("kind") and each.get("name"):
            group, version, kind, namespace, name = (
                str(each.get(key) or "") for key in ("group", "version", "kind", "namespace", "name")
            )
            yield Branch(GroupVersionKind(group, version, kind), namespace, name)


def condition(obj: JsonObject, type_: str) -> JsonObject:
    listed = below(obj, "status").get("conditions")
    found = listed if isinstance(listed, list) else []
    return next((each for each in found if isinstance(each, dict) and each.get("type") == type_), {})
