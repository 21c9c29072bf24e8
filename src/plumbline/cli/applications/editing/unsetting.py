"""Taking back what was set on a source. Pure."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from plumbline.base.json import JsonObject
from plumbline.cli.applications.editing.fields import at, put
from plumbline.cli.applications.editing.sources import same_image, values_literal

_SWITCHES: Final = {
    "ignore_missing_components": ("kustomize", "ignoreMissingComponents"),
    "ignore_missing_value_files": ("helm", "ignoreMissingValueFiles"),
    "kustomize_namespace": ("kustomize", "namespace"),
    "kustomize_version": ("kustomize", "version"),
    "nameprefix": ("kustomize", "namePrefix"),
    "namesuffix": ("kustomize", "nameSuffix"),
    "pass_credentials": ("helm", "passCredentials"),
    "ref": ("ref",),
}
Meant = Callable[[Any, str], bool]
_LISTS: Final[dict[str, tuple[tuple[str, ...], Meant]]] = {
    "kustomize_image": (("kustomize", "images"), lambda item, name: same_image(name, item)),
    "kustomize_replica": (("kustomize", "replicas"), lambda item, name: item.get("name") == name),
    "parameter": (("helm", "parameters"), lambda item, name: item.get("name") == name),
    "plugin_env": (("plugin", "env"), lambda item, name: item.get("name") == name),
    "values": (("helm", "valueFiles"), lambda item, name: item == name),
}
NAMES: Final = frozenset({*_SWITCHES, *_LISTS, "values_literal"})


def unset(source: JsonObject, given: Mapping[str, Any]) -> JsonObject:
    """*source* without what *given* names; itself where there is nothing of the kind."""
    changed = source
    for name, path in _SWITCHES.items():
        if given.get(name) and at(changed, *path):
            changed = put(changed, None, *path)
    for name, (path, meant) in _LISTS.items():
        for wanted in given.get(name) or ():
            items = at(changed, *path) or []
            kept = [item for item in items if not meant(item, wanted)]
            if len(kept) != len(items):
                changed = put(changed, kept, *path)
    if given.get("values_literal") and (at(changed, "helm", "values") or at(changed, "helm", "valuesObject")):
        changed = values_literal(changed, "")
    return changed
