"""What users say about kinds: health, actions, and fields that do not count.

Each of these comes in two forms, a key for each kind and topic (`resource.customizations.<topic>.<group>_<Kind>`), and
`resource.customizations`, one YAML document for all. The key beats the document.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, encode
from plumbline.delivery.settings.keys import Keys
from plumbline.delivery.settings.problems import Problem
from plumbline.kinds.application import ResourceIgnoreDifferences
from plumbline.kube.health import Overrides, parse_overrides

KEY: Final = "resource.customizations"
_STATUS: Final = "/status"
_EVERY_KIND: Final = "*/*"
_CRDS: Final = "apiextensions.k8s.io/CustomResourceDefinition"
_NO_NEWS: Final = ("/metadata/resourceVersion", "/metadata/generation", "/metadata/managedFields")
_TOPICS: Final = frozenset(
    {"health", "useOpenLibs", "actions", "ignoreDifferences", "ignoreResourceUpdates", "knownTypeFields"}
)
_KIND_PARTS: Final = 2


class CompareOptions(msgspec.Struct, frozen=True, rename="camel"):
    ignore_aggregated_roles: bool = False
    ignore_resource_status_field: str = "all"
    """`all`, `crd` or `none`."""
    ignore_differences_on_resource_updates: bool = True
    """Whether what does not count as a difference does not count as news either."""


class IgnoredFields(msgspec.Struct, frozen=True):
    json_pointers: tuple[str, ...] = msgspec.field(name="jsonPointers", default=())
    jq_path_expressions: tuple[str, ...] = msgspec.field(name="jqPathExpressions", default=())
    managed_fields_managers: tuple[str, ...] = msgspec.field(name="managedFieldsManagers", default=())

    def __add__(self, other: object) -> "IgnoredFields":
        if not isinstance(other, IgnoredFields):
            return NotImplemented
        return IgnoredFields(
            self.json_pointers + other.json_pointers,
            self.jq_path_expressions + other.jq_path_expressions,
            self.managed_fields_managers + other.managed_fields_managers,
        )


class KnownTypeField(msgspec.Struct, frozen=True):
    """A field that holds what another type is known for, such as `core/v1/PodSpec`."""

    field: str = ""
    type: str = ""


class ActionDefinition(msgspec.Struct, frozen=True):
    name: str
    lua: str = msgspec.field(name="action.lua", default="")


class Actions(msgspec.Struct, frozen=True):
    """What people can do with an object of some kind, in Lua."""

    discovery_lua: str = msgspec.field(name="discovery.lua", default="")
    definitions: tuple[ActionDefinition, ...] = ()
    merge_builtin_actions: bool = msgspec.field(name="mergeBuiltinActions", default=False)


class Customizations(msgspec.Struct, frozen=True):
    """By kind, written `group/Kind` or `Kind`; both may be patterns."""

    health: Overrides
    actions: Mapping[str, Actions] = {}
    known_type_fields: Mapping[str, tuple[KnownTypeField, ...]] = {}
    ignored_differences: tuple[ResourceIgnoreDifferences, ...] = ()
    """For every application, beside its own; that of the status among them."""
    ignored_updates: tuple[ResourceIgnoreDifferences, ...] = ()
    """Fields whose change is no reason to look at an application again."""


class _Said(NamedTuple):
    """One topic about one kind, and the key that it was said under."""

    key: str
    topic: str
    kind: str
    value: Json


def read_customizations(keys: Keys, options: CompareOptions) -> Customizations:
    said = [*_together(keys), *_apart(keys)]
    ignored: dict[str, IgnoredFields] = {}
    unnoticed: dict[str, IgnoredFields] = {}
    actions: dict[str, Actions] = {}
    known: dict[str, tuple[KnownTypeField, ...]] = {}
    for each in said:
        found: Any = None
        match each.topic:
            case "ignoreDifferences" | "ignoreResourceUpdates":
                into = ignored if each.topic == "ignoreDifferences" else unnoticed
                if found := keys.value(each.key, keys.yaml(each.key, each.value), IgnoredFields):
                    into[each.kind] = found
            case "actions":
                if found := keys.value(each.key, keys.yaml(each.key, each.value), Actions):
                    actions[each.kind] = found
            case "knownTypeFields":
                listed = keys.yaml(each.key, each.value) if isinstance(each.value, str) else each.value
                known[each.kind] = keys.each(each.key, listed, lambda item: msgspec.convert(item, KnownTypeField))
    with_status = _with_status(ignored, options)
    return Customizations(
        health=_health(keys, said),
        actions=actions,
        known_type_fields=known,
        ignored_differences=_rules(with_status),
        ignored_updates=_rules(_updates(unnoticed, with_status, options)),
    )


def _apart(keys: Keys) -> Iterator[_Said]:
    """The form with one key for each kind and topic."""
    for key, value in sorted(keys.entries.items()):
        topic, dot, name = key.removeprefix(f"{KEY}.").partition(".")
        if not key.startswith(f"{KEY}.") or not dot:
            continue
        if topic not in _TOPICS:
            keys.told(key, f"resource customization type {topic} not supported")
        elif not name or name.count("_") >= _KIND_PARTS:
            keys.told(key, f"it names no kind; write {KEY}.{topic}.<group>_<Kind>, or without group for a core kind")
        else:
            yield _Said(key, topic, _EVERY_KIND if name == "all" else name.replace("_", "/"), value)


def _together(keys: Keys) -> Iterator[_Said]:
    """The older form, one document."""
    found = keys.document(KEY)
    if found is not None and not isinstance(found, dict):
        keys.told(KEY, "it is no mapping from group/Kind to customizations")
        return
    for kind, entry in (found or {}).items():
        if not isinstance(entry, dict) or kind.count("/") >= _KIND_PARTS:
            keys.told(KEY, f"{kind}: it is no mapping, or the name of no kind")
            continue
        for name, value in entry.items():
            topic = {"health.lua": "health", "health.lua.useOpenLibs": "useOpenLibs"}.get(name, name)
            if topic in _TOPICS and (isinstance(value, str) or topic in {"useOpenLibs", "knownTypeFields"}):
                yield _Said(KEY, topic, kind, value)
            elif topic in _TOPICS:
                keys.told(KEY, f"{kind}: {name} is not text")


def _health(keys: Keys, said: list[_Said]) -> Overrides:
    """Every script that can be read; one that cannot takes no other with it."""
    about = [each for each in said if each.topic in {"health", "useOpenLibs"}]
    older: dict[str, dict[str, Json]] = {}
    entries: dict[str, str] = {}
    for each in about:
        if each.key == KEY:
            older.setdefault(each.kind, {})["health.lua" if each.topic == "health" else "health.lua.useOpenLibs"] = (
                each.value
            )
        else:
            entries[each.key] = each.value
    if older:
        entries[KEY] = encode(older).decode()
    readable: dict[str, str] = {}
    for key, value in entries.items():
        try:
            parse_overrides({key: value})
        except InvalidInput as fault:
            keys.problems.append(Problem.of(key, fault))
        else:
            readable[key] = value
    return parse_overrides(readable)


def _with_status(ignored: dict[str, IgnoredFields], options: CompareOptions) -> dict[str, IgnoredFields]:
    kind = {"all": _EVERY_KIND, "crd": _CRDS}.get(options.ignore_resource_status_field)
    return _more(ignored, kind, (_STATUS,)) if kind else ignored


def _updates(
    unnoticed: dict[str, IgnoredFields], ignored: dict[str, IgnoredFields], options: CompareOptions
) -> dict[str, IgnoredFields]:
    if options.ignore_differences_on_resource_updates:
        none = IgnoredFields()
        unnoticed = {
            kind: unnoticed.get(kind, none) + ignored.get(kind, none) for kind in sorted({*unnoticed, *ignored})
        }
    return _more(unnoticed, _EVERY_KIND, _NO_NEWS)


def _more(fields: dict[str, IgnoredFields], kind: str, pointers: tuple[str, ...]) -> dict[str, IgnoredFields]:
    return {**fields, kind: fields.get(kind, IgnoredFields()) + IgnoredFields(pointers)}


def _rules(fields: Mapping[str, IgnoredFields]) -> tuple[ResourceIgnoreDifferences, ...]:
    rules = []
    for name, each in sorted(fields.items()):
        group, slash, kind = name.partition("/")
        rules.append(
            ResourceIgnoreDifferences(
                group=group if slash else "",
                kind=kind if slash else name,
                json_pointers=each.json_pointers,
                jq_path_expressions=each.jq_path_expressions,
                managed_fields_managers=each.managed_fields_managers,
            )
        )
    return tuple(rules)
