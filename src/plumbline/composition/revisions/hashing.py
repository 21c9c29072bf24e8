"""The hash of a composition: equal for equal labels, annotations and spec, and the one that upstream computes. Pure.

Upstream hashes the YAML of its own types. So a field that it does not know does not count, one that says nothing is left
out, and one is there even where nobody wrote it.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from plumbline.base.documents import dump_yaml
from plumbline.base.json import Json, JsonObject

_LABEL_CHARS: Final = 63
_SUFFIX_CHARS: Final = 7

_Form: TypeAlias = Callable[[Json], Json]
_Record: TypeAlias = Mapping[str, _Form]


def composition_hash(composition: JsonObject) -> str:
    metadata = composition["metadata"]
    parts = (metadata.get("labels"), metadata.get("annotations"), canonical_spec(composition["spec"]))
    return hashlib.sha256("".join(map(dump_yaml, parts)).encode()).hexdigest()


def hash_label(full: str) -> str:
    """As much of the hash as the value of a label can hold."""
    return full[:_LABEL_CHARS]


def revision_name(composition: str, full: str) -> str:
    return f"{composition}-{full[:_SUFFIX_CHARS]}"


def canonical_spec(spec: JsonObject) -> JsonObject:
    """*spec* as upstream's types write it."""
    return _record(_SPEC)(spec)


class _Nothing:
    """A value that is not written."""


_NOTHING: Final = _Nothing()


def _said(value: Json) -> Json:
    """Written if anybody wrote it."""
    return value


def _full(value: Json) -> Json:
    """Not written where it is empty, false or zero."""
    return value or _NOTHING


def _record(fields: _Record, *always: str) -> _Form:
    def written(value: Json) -> Json:
        found = {name: form(value[name]) for name, form in fields.items() if value.get(name) is not None}
        kept: JsonObject = {name: each for name, each in found.items() if each is not _NOTHING}
        return {**dict.fromkeys(always), **kept}

    return written


def _each(form: _Form) -> _Form:
    return lambda value: [form(item) for item in value]


def _some(form: _Form) -> _Form:
    return lambda value: [form(item) for item in value] or _NOTHING


def _fields(*names: str) -> dict[str, _Form]:
    return dict.fromkeys(names, _said)


_COMBINE: Final = _record(
    {"variables": _each(_record(_fields("fromFieldPath"))), **_fields("strategy"), "string": _record(_fields("fmt"))}
)
_MATCH: Final = _record(
    {
        "patterns": _some(_record(_fields("type", "literal", "regexp", "result"), "result")),
        "fallbackValue": _said,
        "fallbackTo": _full,
    },
    "fallbackValue",
)
_STRING: Final = _record(
    {
        "type": _full,
        **_fields("fmt", "convert", "trim"),
        "regexp": _record(_fields("match", "group")),
        "join": _record(_fields("separator")),
    }
)
_TRANSFORM: Final = _record(
    {
        "type": _said,
        "math": _record({"type": _full, **_fields("multiply", "clampMin", "clampMax")}),
        "map": _said,
        "match": _MATCH,
        "string": _STRING,
        "convert": _record(_fields("toType", "format")),
    }
)
_POLICY: Final = _record({"fromFieldPath": _said, "mergeOptions": _record(_fields("keepMapValues", "appendSlice"))})
_PATCH: Final = _record(
    {
        "type": _full,
        **_fields("fromFieldPath", "toFieldPath", "patchSetName"),
        "combine": _COMBINE,
        "transforms": _some(_TRANSFORM),
        "policy": _POLICY,
    }
)
_CHECK: Final = _record(
    {
        "type": _said,
        **dict.fromkeys(("fieldPath", "matchString", "matchInteger"), _full),
        "matchCondition": _record(_fields("type", "status")),
    }
)
_TEMPLATE: Final = _record(
    {
        **_fields("name", "base"),
        "patches": _some(_PATCH),
        "connectionDetails": _some(
            _record(_fields("name", "type", "fromConnectionSecretKey", "fromFieldPath", "value"))
        ),
        "readinessChecks": _some(_CHECK),
    }
)
_REQUIRED: Final = _record(
    {**_fields("requirementName", "apiVersion", "kind", "namespace", "name"), "matchLabels": _full}
)
_STEP: Final = _record(
    {
        **_fields("step", "input"),
        "functionRef": _record(_fields("name")),
        "credentials": _some(
            _record({**_fields("name", "source"), "secretRef": _record(_fields("name", "namespace"))})
        ),
        "requirements": _record(
            {
                "requiredResources": _some(_REQUIRED),
                "requiredSchemas": _some(_record(_fields("requirementName", "apiVersion", "kind"))),
            }
        ),
    }
)
_SPEC: Final[_Record] = {
    "compositeTypeRef": _record(_fields("apiVersion", "kind")),
    "mode": _said,
    "patchSets": _some(_record({"name": _said, "patches": _each(_PATCH)})),
    "resources": _some(_TEMPLATE),
    "pipeline": _some(_STEP),
    "writeConnectionSecretsToNamespace": _said,
    "publishConnectionDetailsWithStoreConfigRef": _record(_fields("name")),
}
