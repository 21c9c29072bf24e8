"""Fields that are given as the name of another managed resource, or by selecting one: what they come to. Pure.

`resolved` asks for the other resources through two functions, so that whoever has a copy of them answers at once.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.base.errors import BadFieldPath, FieldNotFound, Unresolved
from plumbline.base.json import Json, JsonObject
from plumbline.kernel.cache import Cached
from plumbline.kube.fieldpath import get_path
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.kinds import EXTERNAL_NAME as BY_NAME
from plumbline.managed.kinds import Reference
from plumbline.managed.spec import EXTERNAL_NAME

MANAGER: Final = "managed.crossplane.io/api-simple-reference-resolver"
Place: TypeAlias = tuple[Any, ...]
"""Fields and places in lists, from the part down."""
_PARTS: Final = ("forProvider", "initProvider")
_NO_GET: Final = "cannot get referenced resource"
_NO_MATCH: Final = "no resources matched selector"
_NO_VALUE: Final = "referenced field was empty (referenced resource may not yet be ready)"


class Others(NamedTuple):
    """How other managed resources are found, in a copy of what there is."""

    get: Callable[[GroupKind, str, str], Cached | None]
    """By kind, namespace and name."""
    all: Callable[[GroupKind, str], list[Cached]]
    """Of a kind in a namespace, in the order of a listing."""


class From(NamedTuple):
    """The resource that refers to others."""

    namespace: str
    controller: str
    """Uid of the owner that controls it."""
    spec: JsonObject


class Resolution(NamedTuple):
    spec: JsonObject
    """With everything that could be resolved."""
    applied: JsonObject
    """The fields that come of references, all of them, as they are applied; empty where nothing changed."""


def resolved(source: From, references: tuple[Reference, ...], others: Others) -> Resolution:
    """The spec with its references resolved, as upstream does it. Raises Unresolved for the first that cannot be."""
    spec, changed = source.spec, False
    applied: JsonObject = {}
    for part in _PARTS:
        for reference in references:
            for path, holder in _holders(spec.get(part), reference):
                found = _Look(source, reference, holder, others, f"spec.{part}.{reference.field}").found()
                if not found:
                    continue
                spec = _put(spec, (part, *path), found)
                applied = _put(applied, (part, *path), found)
                changed = changed or any(holder.get(name) != value for name, value in found.items())
    return Resolution(spec, _whole_lists(applied, spec) if changed else {})


def _holders(part: Json, reference: Reference) -> Iterator[tuple[Place, JsonObject]]:
    """The objects that hold the field, or could: there are several where a list leads there."""
    *path, _ = reference.field.split(".")
    yield from _walk(part, tuple(path), ())


def _walk(node: Json, path: tuple[str, ...], at: Place) -> Iterator[tuple[Place, JsonObject]]:
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _walk(item, path, (*at, index))
    elif isinstance(node, dict):
        if not path:
            yield at, node
        elif path[0] in node:
            yield from _walk(node[path[0]], path[1:], (*at, path[0]))


class _Look(NamedTuple):
    """One field of one holder."""

    source: From
    reference: Reference
    holder: JsonObject
    others: Others
    field: str

    def found(self) -> JsonObject:
        """The fields that the holder gets; none where there is nothing to resolve."""
        own = self.reference.field.rpartition(".")[2]
        current = self.holder.get(own)
        refs = self._refs()
        selector = self.holder.get(self.reference.selector_field)
        selector = selector if isinstance(selector, dict) else None
        if not refs and selector is None:
            return {}
        always = _always(selector) if selector is not None else any(_always(ref) for ref in refs)
        if current and not always:
            return self._kept(own, current, refs)
        if selector is not None and (always or not refs):
            pairs = self._selected(selector)
        else:
            pairs = [(self._value(ref), ref) for ref in refs]
        pairs = [(value, ref) for value, ref in pairs if value]
        if not pairs:
            return {}
        values = [value for value, _ in pairs]
        named = [ref for _, ref in pairs]
        many, field = self.reference.many, self.reference.ref_field
        return {own: values if many else values[0], field: named if many else named[0]}

    def _kept(self, own: str, current: Json, refs: list[JsonObject]) -> JsonObject:
        """What was resolved before stays ours: an apply that leaves it out would take it away."""
        named = {self.reference.ref_field: refs if self.reference.many else refs[0]} if refs else {}
        return {own: current, **named}

    def _refs(self) -> list[JsonObject]:
        said = self.holder.get(self.reference.ref_field)
        listed = said if isinstance(said, list) else [said]
        return [each for each in listed if isinstance(each, dict) and each.get("name")]

    def _value(self, ref: JsonObject) -> str:
        namespace = str(ref.get("namespace") or self.source.namespace) if self.source.namespace else ""
        sought = Ref(*self.reference.to, namespace, str(ref["name"]))
        other = self.others.get(self.reference.to, namespace, sought.name)
        if other is None:
            missing = f'{_NO_GET}: {self.reference.to} "{sought.name}" not found'
            return self._missed(ref, missing, sought)
        return extracted(other, self.reference.extract) or self._missed(ref, _NO_VALUE, sought)

    def _selected(self, selector: JsonObject) -> list[tuple[str, JsonObject]]:
        namespace = str(selector.get("namespace") or self.source.namespace) if self.source.namespace else ""
        sought = Ref(*self.reference.to, namespace, "")
        matches = [each for each in self.others.all(self.reference.to, namespace) if self._matches(selector, each)]
        matches = matches if self.reference.many else matches[:1]
        if not matches:
            self._missed(selector, _NO_MATCH, sought)
        pairs = [(extracted(each, self.reference.extract), {"name": each.meta.name}) for each in matches]
        if any(not value for value, _ in pairs):
            self._missed(selector, _NO_VALUE, sought)
        return sorted(dict(pairs).items()) if self.reference.many else pairs

    def _matches(self, selector: JsonObject, other: Cached) -> bool:
        labels: Mapping[str, str] = selector.get("matchLabels") or {}
        if any(other.meta.labels.get(name) != value for name, value in labels.items()):
            return False
        if selector.get("matchControllerRef") is not True:
            return True
        controller = next((each.uid for each in other.meta.owner_references if each.controller), "")
        return bool(controller) and controller == self.source.controller

    def _missed(self, said: JsonObject, why: str, sought: Ref) -> str:
        """Nothing, where that was said to be no problem; else the reason that people are told."""
        if (said.get("policy") or {}).get("resolution") == "Optional":
            return ""
        raise Unresolved(f"cannot resolve references: {self.field}", why=why, sought=sought)


def _always(said: JsonObject) -> bool:
    return (said.get("policy") or {}).get("resolve") == "Always"


def extracted(other: Cached, what: str) -> str:
    """What of *other* is taken; empty while it is not there yet."""
    if what == BY_NAME:
        return other.meta.annotations.get(EXTERNAL_NAME, "")
    try:
        value = get_path(other.object(), what)
    except (FieldNotFound, BadFieldPath):
        return ""
    return value if isinstance(value, str) else ""


def _put(root: JsonObject, path: Place, fields: JsonObject) -> JsonObject:
    """*root* with *fields* at *path*. Lists on the way are there already, or are made as long as it takes."""
    if not path:
        return {**root, **fields}
    first, rest = path[0], path[1:]
    if rest and isinstance(rest[0], int):
        items = list(root.get(first) or ())
        items += [{} for _ in range(rest[0] + 1 - len(items))]
        items[rest[0]] = _put(items[rest[0]], rest[1:], fields)
        return {**root, first: items}
    below = root.get(first)
    return {**root, first: _put(below if isinstance(below, dict) else {}, rest, fields)}


def _whole_lists(applied: JsonObject, spec: JsonObject) -> JsonObject:
    """A list has one owner: where it is applied at all, it is applied as a whole."""
    result: JsonObject = {}
    for name, value in applied.items():
        live = spec.get(name)
        if isinstance(value, list):
            result[name] = live
        elif isinstance(value, dict) and isinstance(live, dict) and not name.endswith(("Ref", "Selector")):
            result[name] = _whole_lists(value, live)
        else:
            result[name] = value
    return result
