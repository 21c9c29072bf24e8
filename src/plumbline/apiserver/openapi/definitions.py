"""Definitions of built-in kinds, made from the catalog in the dialect of a document."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.openapi.defaults import Absent, bare_type, default_of, zero_of
from plumbline.apiserver.openapi.enums import enum_of
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersion
from plumbline.kube.schema.builtin import catalog, short_name


class Dialect(NamedTuple):
    """OpenAPI 3 declares defaults and wraps references that have something beside them; Swagger does neither."""

    prefix: str
    modern: bool

    def refer(self, name: str) -> JsonObject:
        return {"$ref": self.prefix + name}


SWAGGER: Final = Dialect("#/definitions/", modern=False)
OPENAPI: Final = Dialect("#/components/schemas/", modern=True)

_IN_EVERY_GROUP: Final = frozenset({"meta.v1.DeleteOptions", "meta.v1.WatchEvent"})
_TYPE_META: Final = ("apiVersion", "kind")
_QUANTITY: Final = (
    "A fixed-point number with a suffix: of decimal SI (m, k, M, G, T, P, E), of binary SI (Ki, Mi, Gi, Ti, Pi, Ei), or a "
    "decimal exponent. It is kept in its canonical form, without loss and with the smallest whole mantissa."
)
_INT_OR_STRING: Final = "An integer of 32 bits or a string; JSON tells which of them it is."
_SPECIAL: Final[Mapping[str, Mapping[bool, JsonObject]]] = {
    "api.resource.Quantity": {
        True: {"description": _QUANTITY, "oneOf": [{"type": "string"}, {"type": "number"}]},
        False: {"description": _QUANTITY, "type": "string"},
    },
    "util.intstr.IntOrString": {
        True: {
            "description": _INT_OR_STRING,
            "format": "int-or-string",
            "oneOf": [{"type": "integer"}, {"type": "string"}],
        },
        False: {"description": _INT_OR_STRING, "type": "string", "format": "int-or-string"},
    },
}


class Definitions:
    """*option_versions* are the group-versions in which options and watch events are known; None means all."""

    def __init__(self, dialect: Dialect, option_versions: Sequence[GroupVersion] | None = None) -> None:
        self._dialect = dialect
        self._option_versions = option_versions
        self._wanted: list[str] = []

    def closure(self, names: Iterable[str]) -> dict[str, JsonObject]:
        """The definitions of *names* (`io.k8s.api.apps.v1.Deployment`) and all that they refer to, by name."""
        self._wanted = list(names)
        found: dict[str, JsonObject] = {}
        while self._wanted:
            name = self._wanted.pop()
            if name not in found:
                found[name] = self._definition(short_name(name))
        return {name: found[name] for name in sorted(found)}

    def _definition(self, short: str) -> JsonObject:
        special = _SPECIAL.get(short)
        if special is not None:
            return special[self._dialect.modern]
        raw = catalog().definition(short) or {}
        made = self._schema(raw, short, "")
        if "properties" in raw:
            made["properties"] = {name: self._field(short, name, raw) for name in raw["properties"]}
        if short in _IN_EVERY_GROUP and self._option_versions is not None:
            kind = short.rpartition(".")[2]
            made["x-kubernetes-group-version-kind"] = [
                {"group": each.group, "kind": kind, "version": each.version} for each in self._option_versions
            ]
        return made

    def _field(self, short: str, name: str, record: JsonObject) -> JsonObject:
        raw: JsonObject = record["properties"][name]
        made = self._schema(raw, short, name)
        if name in _TYPE_META:
            made.pop("enum", None)
        self._restrict(made, enum_of(short, name), described=True)
        return self._finished(made, default_of(short, name, raw, record) if self._dialect.modern else None)

    def _schema(self, raw: JsonObject, short: str, field: str) -> JsonObject:
        made: JsonObject = {}
        for key, value in raw.items():
            if key == "type":
                made["type"] = bare_type(raw)
            elif key == "$ref":
                made["$ref"] = self._reference(value)
            elif key in {"items", "additionalProperties"} and isinstance(value, dict):
                made[key] = self._within(value, short, field + ("[]" if key == "items" else "{}"))
            elif key != "properties":
                made[key] = value
        return made

    def _within(self, raw: JsonObject, short: str, field: str) -> JsonObject:
        made = self._schema(raw, short, field)
        self._restrict(made, enum_of(short, field), described=False)
        return self._finished(made, zero_of(raw) if self._dialect.modern else None)

    def _reference(self, raw: str) -> str:
        name = raw.rpartition("/")[2]
        self._wanted.append(name)
        return self._dialect.prefix + name

    @staticmethod
    def _restrict(made: JsonObject, values: list[str] | None, *, described: bool) -> None:
        if values is None:
            return
        made["enum"] = values
        if described:
            listed = "\n".join(f' - `"{value}"`' for value in values)
            made["description"] = f"{made.get('description', '')}\n\nPossible enum values:\n{listed}"

    def _finished(self, made: JsonObject, default: Json | Absent) -> JsonObject:
        if not self._dialect.modern:
            return made
        if not isinstance(default, Absent):
            made["default"] = default
        if "$ref" in made and len(made) > 1:
            made["allOf"] = [{"$ref": made.pop("$ref")}]
        return made
