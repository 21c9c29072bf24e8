"""Messages that are no objects in JSON: times, quantities, numbers or strings, JSON within protobuf."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from plumbline.apiserver.protobuf.wire import Malformed
from plumbline.base.documents import load_json
from plumbline.base.errors import BadDocument, BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import canonical

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, and its offset is spelled Z
_GO_ZERO_S: Final = -62_135_596_800
"""The first second of year 1 is how Go says that there is no time."""


def _time(message: JsonObject) -> str | None:
    """To the second: protobuf could hold more, but nobody may rely on it."""
    seconds = message.get("seconds", 0)
    if not message or seconds == _GO_ZERO_S:
        return None
    return f"{_moment(seconds, 0).isoformat()}Z"


def _micro_time(message: JsonObject) -> str | None:
    seconds, nanos = message.get("seconds", 0), message.get("nanos", 0)
    micros = nanos // 1000 if nanos >= 0 else -(-nanos // 1000)
    if not message or (seconds == _GO_ZERO_S and not micros):
        return None
    return f"{_moment(seconds, micros).isoformat(timespec='microseconds')}Z"


def _moment(seconds: int, micros: int) -> datetime:
    try:
        return _EPOCH + timedelta(seconds=seconds, microseconds=micros)
    except OverflowError:
        raise Malformed("a time is outside of the years 1 to 9999") from None


def _quantity(message: JsonObject) -> str:
    try:
        return canonical(message["string"]) if "string" in message else "0"
    except BadQuantity as error:
        raise Malformed(error.why) from error


def _int_or_string(message: JsonObject) -> int | str:
    kind = message["Type"]
    if kind not in {0, 1}:
        raise Malformed("impossible IntOrString.Type")
    return message["StrVal"] if kind else message["IntVal"]


def _json(message: JsonObject) -> Json:
    raw = message.get("raw")
    if raw is None:
        return None
    try:
        return load_json(raw, repeats="ignore").value
    except BadDocument as error:
        raise Malformed(f"a field that holds JSON does not: {error.why}") from error


def _schema_or_array(message: JsonObject) -> Json:
    return message["JSONSchemas"] or message["Schema"]


def _schema_or_bool(message: JsonObject) -> Json:
    return message["Allows"] if message["Schema"] is None else message["Schema"]


def _schema_or_strings(message: JsonObject) -> Json:
    return message["Property"] or message["Schema"]


def _items(message: JsonObject) -> Json:
    """Lists that are values of maps are there even where they are empty."""
    return message["items"] or []


FOLDS: Final[dict[str, Callable[[JsonObject], Json]]] = {
    "api/resource.Quantity": _quantity,
    "apiextensions/v1.JSON": _json,
    "apiextensions/v1.JSONSchemaPropsOrArray": _schema_or_array,
    "apiextensions/v1.JSONSchemaPropsOrBool": _schema_or_bool,
    "apiextensions/v1.JSONSchemaPropsOrStringArray": _schema_or_strings,
    "authentication/v1.ExtraValue": _items,
    "authorization/v1.ExtraValue": _items,
    "certificates/v1.ExtraValue": _items,
    "meta/v1.FieldsV1": _json,
    "meta/v1.MicroTime": _micro_time,
    "meta/v1.Time": _time,
    "pkg/runtime.RawExtension": _json,
    "util/intstr.IntOrString": _int_or_string,
}
