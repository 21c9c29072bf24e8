"""Objects as the server's own structures write them: the part of their typed form that schemas do not tell.

On its way through the server an object is a structure. What that declares no field for is gone; zeros of optional
fields are not written unless they can be told from absence, those of required ones always are; a required list that is
empty is null, since the store keeps no empty lists; bytes and moments are read and written anew.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Final, NamedTuple, TypeAlias

from plumbline.apiserver.defaults.moments import in_microseconds, in_seconds
from plumbline.apiserver.defaults.octets import spelled
from plumbline.apiserver.defaults.rules import Rule, each, each_value
from plumbline.apiserver.defaults.zeros import UNWRITTEN, WRITTEN, kept
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema.builtin import catalog, short_name
from plumbline.kube.schema.compiler import declared_type, reference
from plumbline.kube.schema.shape import Form, Shape, zero_of

_Found: TypeAlias = Rule | None
_NONE: Final[Mapping[str, Json]] = {}
_PLAIN: Final = frozenset(("string", "integer", "number", "boolean"))
_COLLECTIONS: Final = frozenset((Form.LIST, Form.SET, Form.TABLE, Form.MAP))
_MOMENTS: Final[Mapping[str, Rule]] = {"meta.v1.Time": in_seconds, "meta.v1.MicroTime": in_microseconds}
_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"
_SCHEMA_OR: Final = f"{_SCHEMA}Or"


def struct_of(gvk: GroupVersionKind) -> Rule:
    """The rule that gives an object of a built-in kind the form in which the server's structure writes it."""
    name = catalog().kinds.get(gvk)
    return (_named(name) if name else None) or _as_is


def _as_is(value: Json) -> Json:
    return value


def _gone(_: Json) -> Json:
    """The rule of a field that is not declared."""
    return _GONE


def _optional(value: Json) -> Json:
    """The rule of a field whose zero means that nobody wrote it."""
    return value if value or not isinstance(value, str | int | float) else _GONE


def _optional_octets(text: Json) -> Json:
    return spelled(text) if text else _optional(text)


_GONE: Final = object()


class _Compiled(NamedTuple):
    fields: Mapping[str, _Found]
    """None where any value stays as it is."""
    undeclared: _Found
    nulls: tuple[str, ...]
    zeros: tuple[tuple[str, Json], ...]


class _Struct:
    """The fields of one definition. Compiled when first met, because definitions refer to each other in circles."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ready: _Compiled | None = None

    @cached_property
    def _shape(self) -> Shape:
        return catalog().shape(self._name)

    def held(self, value: Json) -> Json:
        """*value* as this structure writes it."""
        if type(value) is not dict:
            return value
        fields, undeclared, nulls, zeros = self._ready or self._compiled()
        if not value:
            return self._blank() or value
        changes: JsonObject = {}
        for name, child in value.items():
            rule = fields.get(name, undeclared)
            if rule is not None and (held := rule(child)) is not child:
                changes[name] = held
        for name in nulls:
            if not value.get(name) and value.get(name, _GONE) is not None:
                changes[name] = None
        for name, zero in zeros:
            if value.get(name) is None:
                changes[name] = zero
        if not changes:
            return value
        return {name: child for name, child in {**value, **changes}.items() if child is not _GONE}

    def _compiled(self) -> _Compiled:
        shape, written = self._shape, WRITTEN.get(self._name, _NONE)
        properties: Mapping[str, JsonObject] = (catalog().definition(self._name) or {}).get("properties") or {}
        unwritten = UNWRITTEN.get(self._name, ())
        required = {name: shape.fields[name] for name in shape.required if name in shape.fields}
        lists = (name for name, each in required.items() if each.form in _COLLECTIONS and name not in unwritten)
        zeros = {**{name: _zero(required[name]) for name in shape.zeros}, **written}
        self._ready = _Compiled(
            {name: self._field(name, schema) for name, schema in properties.items()},
            None if shape.open else _gone,
            tuple({*lists, *shape.nulls, *(name for name, zero in zeros.items() if zero is None)}),
            tuple((name, zero) for name, zero in zeros.items() if zero is not None),
        )
        return self._ready

    def _field(self, name: str, schema: JsonObject) -> _Found:
        shape, rule = self._shape.fields[name], _rule(schema)
        if shape.kind not in _PLAIN or name in self._shape.required or name in kept().get(self._name, ()):
            return rule
        return _optional_octets if rule is spelled else _optional

    def _blank(self) -> JsonObject:
        """The structure that nobody wrote anything into."""
        fields, _, nulls, zeros = self._ready or self._compiled()
        below = {name: rule({}) if (rule := fields.get(name)) else {} for name in self._shape.embedded}
        return {**dict.fromkeys(nulls), **dict(zeros), **below}


def _zero(shape: Shape) -> Json:
    return 0 if shape.kind == "int-or-string" else zero_of(shape)


@cache
def _named(name: str) -> _Found:
    if name.startswith(_SCHEMA_OR):
        return _schema_or_list
    if name in _MOMENTS:
        return _MOMENTS[name]
    return _Struct(name).held if catalog().shape(name).form is Form.RECORD else None


def _schema_or_list(value: Json) -> Json:
    """A schema, or a list of them; or whatever else may stand in its place."""
    schema = _named(_SCHEMA) or _as_is
    return each(schema)(value) if type(value) is list else schema(value)


def _rule(schema: JsonObject) -> _Found:
    """The rule for what *schema* describes, or None where any value stays as it is."""
    target = reference(schema)
    if target:
        return _named(short_name(target))
    if schema.get("format") == "byte":
        return spelled
    kind = declared_type(schema)
    below = schema.get("items") if kind == "array" else schema.get("additionalProperties")
    inner = _rule(below) if isinstance(below, dict) else None
    if inner is None:
        return None
    return each(inner) if kind == "array" else each_value(inner)
