"""Shapes of built-in kinds, from the schema files of the `kubernetes-validate` package.

Its files are read, its code is never imported. A definition is decoded when somebody first asks for it: of the 771 in
the file a typical process touches a few dozen.
"""

import importlib.util
import mmap
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.errors import ToolMissing
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema.compiler import compile_shape, reference, zero_defaults
from plumbline.kube.schema.native import ALWAYS_IN_KINDS, EMBEDDED, KEY_DEFAULTS, NULLS, resets_of
from plumbline.kube.schema.shape import UNTYPED, Form, Shape

SERVED_VERSION: Final = "1.36"
"""The Kubernetes release whose schemas stand for built-in kinds."""

_PREFIXES: Final = (
    "io.k8s.api.",
    "io.k8s.apiextensions-apiserver.pkg.apis.",
    "io.k8s.kube-aggregator.pkg.apis.",
    "io.k8s.apimachinery.pkg.apis.",
    "io.k8s.apimachinery.pkg.",
)
_SPECIAL: Final = {
    "api.resource.Quantity": Shape(Form.SCALAR, kind="quantity"),
    "util.intstr.IntOrString": Shape(Form.SCALAR, kind="int-or-string"),
    "runtime.RawExtension": UNTYPED,
}


class _Kind(msgspec.Struct):
    group: str
    version: str
    kind: str


class _Labels(msgspec.Struct):
    kinds: list[_Kind] = msgspec.field(name="x-kubernetes-group-version-kind", default_factory=list)


class _Raw(msgspec.Struct):
    defs: dict[str, msgspec.Raw] = msgspec.field(name="$defs")


class Catalog:
    """The definitions of one Kubernetes release."""

    def __init__(self, encoded: bytes | mmap.mmap) -> None:
        """A file that is mapped costs memory only while, and where, somebody reads it."""
        self._encoded = encoded
        self._raw: Mapping[str, msgspec.Raw] = {
            short_name(name): raw for name, raw in msgspec.json.decode(encoded, type=_Raw).defs.items()
        }
        self._leave()
        self._shapes: dict[str, Shape] = {}

    def definition(self, name: str) -> JsonObject | None:
        """The schema called *name*, such as `apps.v1.Deployment`."""
        raw = self._raw.get(name)
        return None if raw is None else decode(raw)

    @cached_property
    def kinds(self) -> Mapping[GroupVersionKind, str]:
        """Every kind with the name of its definition."""
        index: dict[GroupVersionKind, str] = {}
        for name, raw in self._raw.items():
            for each in msgspec.json.decode(raw, type=_Labels).kinds:
                index.setdefault(GroupVersionKind(each.group, each.version, each.kind), name)
        self._leave()
        return index

    def _leave(self) -> None:
        """All of the file was read, and most of it will not be again: its pages need not stay with us."""
        if isinstance(self._encoded, mmap.mmap):
            self._encoded.madvise(mmap.MADV_DONTNEED)

    def shape(self, name: str) -> Shape:
        found = self._shapes.get(name)
        if found is None:
            found = self._shapes[name] = _SPECIAL.get(name) or self._compile(name)
        return found

    def _compile(self, name: str) -> Shape:
        definition = self.definition(name) or {}
        shape = compile_shape(definition, self._resolve)
        if shape.form is not Form.RECORD:
            return shape
        properties: Mapping[str, Json] = definition["properties"]
        is_kind = bool(definition.get("x-kubernetes-group-version-kind"))
        always = tuple(each for each in ALWAYS_IN_KINDS if each in properties) if is_kind else ()
        return replace(
            shape,
            name=name.rpartition(".")[2],
            embedded=(*always, *EMBEDDED.get(name, ())),
            nulls=NULLS.get(name, ()),
            resets=resets_of(name, properties) if is_kind else {},
            resolve_fields=lambda: self._fields(shape, properties),
        )

    def _resolve(self, reference_name: str) -> Shape:
        return self.shape(short_name(reference_name))

    def _fields(self, shape: Shape, properties: Mapping[str, Json]) -> Mapping[str, Shape]:
        return {name: self._with_key_defaults(each, properties[name]) for name, each in shape.fields.items()}

    def _with_key_defaults(self, shape: Shape, schema: JsonObject) -> Shape:
        if shape.form is not Form.TABLE:
            return shape
        item = short_name(reference(schema["items"]))
        zeros = zero_defaults(self.definition(item) or {}, shape.keys)
        special = {key: value for key, value in KEY_DEFAULTS.get(item, {}).items() if key in shape.keys}
        return replace(shape, key_defaults={**zeros, **special})


def short_name(name: str) -> str:
    """`io.k8s.api.apps.v1.Deployment` as `apps.v1.Deployment`."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


@cache
def catalog(version: str = SERVED_VERSION) -> Catalog:
    """The definitions of Kubernetes *version*, such as `1.36`."""
    package = importlib.util.find_spec("kubernetes_validate")
    if package is None or not package.submodule_search_locations:
        raise ToolMissing("Schemas of built-in kinds are not installed", hint="pip install kubernetes-validate")
    root = Path(package.submodule_search_locations[0])
    path = root / "kubernetes-json-schema" / f"v{version}.0-local" / "_definitions.json"
    if not path.is_file():
        raise ToolMissing(f"There are no schemas of Kubernetes {version}", why="kubernetes-validate does not ship them")
    with path.open("rb") as file:
        return Catalog(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def builtin_shape(gvk: GroupVersionKind, version: str = SERVED_VERSION) -> Shape | None:
    """The shape of a built-in kind, or None where Kubernetes has no such kind."""
    name = catalog(version).kinds.get(gvk)
    return None if name is None else catalog(version).shape(name)
