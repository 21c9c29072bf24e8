"""Objects of our kinds as typed values: strict about what people ask for, lenient about what was reported."""

import re
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import msgspec

from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.base.json import Json, JsonObject
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind, Version
from plumbline.kinds.unknown import unknown_fields
from plumbline.kinds.values import converted
from plumbline.kube.names import GroupVersionKind, Ref

S = TypeVar("S", bound=Fields)
T = TypeVar("T", bound=Fields)
P = TypeVar("P", bound=Fields)

_WHERE: Final = re.compile(r"(?P<why>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(?P<field>.*)`")
_LONGEST_WHY: Final = 300


@dataclass(frozen=True)
class Read(Generic[S, T]):
    """One object, typed. `raw` is the object as it came, with everything that the types do not know."""

    ref: Ref
    spec: S
    status: T
    unknown: tuple[str, ...]
    """Paths that the kind does not declare: a typing error, or a field of a newer upstream. Reported, never dropped."""
    unreadable: tuple[str, ...]
    """Fields of the status that are not of their type and were taken as absent."""
    raw: JsonObject


def read(kind: Kind[S, T], obj: JsonObject) -> Read[S, T]:
    """*obj* as a *kind*, or InvalidInput naming the path in it and what was expected there."""
    version = _version(kind, obj)
    ref = Ref.of(obj)
    spec = _strict(obj.get("spec", {}), version.spec, f"{ref}: spec")
    status, unreadable = _lenient(obj.get("status"), version.status)
    unknown = unknown_fields(obj.get("spec"), version.spec, "spec")
    return Read(ref, spec, status, unknown, unreadable, obj)


def read_part(obj: JsonObject, name: str, part: type[P]) -> P | None:
    """The field *name* beside spec and status, strictly typed; None where it is absent."""
    raw = obj.get(name)
    return None if raw is None else _strict(raw, part, f"{Ref.of(obj)}: {name}")


def _version(kind: Kind[S, T], obj: JsonObject) -> Version[S, T]:
    gvk = GroupVersionKind.of(obj)
    if gvk.group_kind != kind.group_kind:
        raise InvalidInput(f"Not a {kind.group_kind}: {Ref.of(obj)}", why=f"its kind is {gvk.group_kind}")
    version = kind.version(gvk.version)
    if version is None:
        known = ", ".join(version.name for version in kind.versions)
        raise UnknownKind(f"No version {gvk.version!r} of {kind.group_kind}", why=f"its versions are {known}")
    return version


def _strict(raw: Json, type_: type[P], where: str) -> P:
    try:
        return converted(raw, type_)
    except msgspec.ValidationError as cause:
        path, why = _explained(str(cause))
        raise InvalidInput(f"{where}{path} cannot be used", why=why, hint="Correct it in the manifest.") from cause


def _lenient(raw: Json, type_: type[T]) -> tuple[T, tuple[str, ...]]:
    try:
        return converted(raw or {}, type_), ()
    except msgspec.ValidationError:
        return _salvaged(raw, type_)


def _salvaged(raw: Json, type_: type[T]) -> tuple[T, tuple[str, ...]]:
    """What can be read, field by field: one bad field must not hide the others."""
    if not isinstance(raw, dict):
        return type_(), ("status",)
    readable: dict[str, Any] = {}
    unreadable: list[str] = []
    for field in msgspec.structs.fields(type_):
        if field.encode_name not in raw:
            continue
        try:
            readable[field.name] = converted(raw[field.encode_name], field.type)
        except msgspec.ValidationError:
            unreadable.append(f"status.{field.encode_name}")
    return type_(**readable), tuple(unreadable)


def _explained(message: str) -> tuple[str, str]:
    """A message of msgspec as a path below the part and the reason, in the words that people use for YAML."""
    match = _WHERE.fullmatch(message)
    why, path = (match["why"], match["path"] or "") if match else (message, "")
    if missing := _MISSING.fullmatch(why):
        return f"{path}.{missing['field']}", "it is required and missing"
    shown = why if len(why) <= _LONGEST_WHY else why[:_LONGEST_WHY] + "…"
    return path, shown[:1].lower() + shown[1:]
