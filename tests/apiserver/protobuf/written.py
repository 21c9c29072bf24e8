"""Protobuf as a client writes it: the pieces, and whole objects by the table that they are read by."""

from base64 import b64decode
from datetime import UTC, datetime

from plumbline.apiserver.protobuf.table import BODIES, SCALARS
from plumbline.apiserver.protobuf.wire import varint_bytes
from plumbline.base.json import encode


def chunk(number, content):
    raw = content.encode() if isinstance(content, str) else content
    return varint_bytes(number << 3 | 2) + varint_bytes(len(raw)) + raw


def number(field, value):
    return varint_bytes(field << 3) + varint_bytes(value)


def body(api_version, kind, raw=b""):
    meta = chunk(1, api_version) + chunk(2, kind)
    return b"k8s\0" + chunk(1, meta) + chunk(2, raw) + chunk(3, "") + chunk(4, "")


def body_of(obj):
    """As client-go sends it: fields that are no pointers are written even where they are empty."""
    api_version, kind = obj["apiVersion"], obj["kind"]
    name = "meta/v1.DeleteOptions" if kind == "DeleteOptions" else BODIES.kinds[api_version, kind]
    return body(api_version, kind, message(obj, name))


def message(value, name):
    if name in _UNFOLDED:
        value = _UNFOLDED[name](value)
    return b"".join(_field(value, field) for field in BODIES.fields(name))


def _field(obj, field):
    if field.name == "-":
        return chunk(field.number, message(obj, field.type))
    value = obj.get(field.name)
    if field.shape == "[]":
        return b"".join(_value(field, each) for each in value or ())
    if field.shape == "{}":
        bare = field._replace(number=2)
        return b"".join(chunk(field.number, chunk(1, key) + _value(bare, value[key])) for key in value or ())
    if value is None and (field.shape == "*" or field.type in SCALARS):
        return b"" if field.shape == "*" or field.type in {"bytes", "raw"} else _value(field, _ZEROES[field.type])
    return _value(field, {} if value is None else value)


_ZEROES = {"string": "", "bool": False, "int32": 0, "int64": 0}


def _value(field, value):
    if field.type == "string":
        return chunk(field.number, value)
    if field.type == "bytes":
        return chunk(field.number, b64decode(value))
    if field.type == "raw":
        return chunk(field.number, value)
    if field.type in SCALARS:
        return number(field.number, int(value))
    return chunk(field.number, message(value, field.type))


def _seconds(value):
    if not value:
        return {}
    moment = datetime.fromisoformat(value).astimezone(UTC)
    return {"seconds": int(moment.replace(microsecond=0).timestamp()), "nanos": moment.microsecond * 1000}


def _raw(value):
    return {} if value is None else {"raw": encode(value)}


_UNFOLDED = {
    "api/resource.Quantity": lambda value: {"string": value or "0"},
    "apiextensions/v1.JSON": _raw,
    "apiextensions/v1.JSONSchemaPropsOrArray": lambda value: (
        {"JSONSchemas": value} if isinstance(value, list) else {"Schema": value}
    ),
    "apiextensions/v1.JSONSchemaPropsOrBool": lambda value: (
        {"Allows": value} if isinstance(value, bool) else {"Allows": True, "Schema": value}
    ),
    "apiextensions/v1.JSONSchemaPropsOrStringArray": lambda value: (
        {"Property": value} if isinstance(value, list) else {"Schema": value}
    ),
    "authentication/v1.ExtraValue": lambda value: {"items": value},
    "authorization/v1.ExtraValue": lambda value: {"items": value},
    "certificates/v1.ExtraValue": lambda value: {"items": value},
    "meta/v1.FieldsV1": _raw,
    "meta/v1.MicroTime": _seconds,
    "meta/v1.Time": _seconds,
    "pkg/runtime.RawExtension": _raw,
    "util/intstr.IntOrString": lambda value: (
        {"Type": 1, "StrVal": value} if isinstance(value, str) else {"Type": 0, "IntVal": value or 0}
    ),
}
