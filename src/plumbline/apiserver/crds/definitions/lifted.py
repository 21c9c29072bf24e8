"""A CRD as the server holds it: what all versions say alike is said once, above them.

Errors point there, so that the place of a schema is `spec.validation` where there is one schema for all versions.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical

_LIFTED: Final = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


class Lifted(NamedTuple):
    spec: JsonObject
    shared: Mapping[str, Json]
    """What is the same in all versions."""
    versions: tuple[JsonObject, ...]
    """Without that."""

    @property
    def schemas(self) -> tuple[JsonObject, ...]:
        """Every schema that is there, the shared one first."""
        holders = (self.shared.get("schema"), *(version.get("schema") for version in self.versions))
        found = (_mapping(holder).get("openAPIV3Schema") for holder in holders)
        return tuple(each for each in found if isinstance(each, dict))


def lifted(crd: JsonObject) -> Lifted:
    spec = _mapping(crd.get("spec"))
    listed = spec.get("versions")
    versions = [_mapping(each) for each in listed] if isinstance(listed, list) else []
    shared: JsonObject = {}
    for name in _LIFTED if versions else ():
        first = _held(versions[0].get(name))
        if all(identical(_held(version.get(name)), first) for version in versions[1:]):
            shared[name] = first
    kept = tuple({name: each for name, each in version.items() if name not in shared} for version in versions)
    return Lifted(spec, {name: each for name, each in shared.items() if each is not None}, kept)


def _held(value: Json) -> Json:
    """An empty list is none."""
    return None if value == [] else value


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
