"""What a template printed, as objects."""

from typing import Final

from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.base.limits import KIB, MIB, Limits
from plumbline.base.redaction import redact
from plumbline.composition.functions.gotemplating.extras import NAME
from plumbline.kube.gotext import printed, quoted, type_name
from plumbline.kube.names import GroupVersionKind

_PRINTED: Final = Limits(
    size_bytes=4 * MIB,
    scalar_bytes=1 * MIB,
    depth=100,
    nodes=250_000,
    expanded_nodes=250_000,
    expanded_chars=8 * MIB,
    documents=5_000,
)
_QUOTED: Final = 1 * KIB


def manifests(text: str) -> list[JsonObject]:
    """Raises InvalidInput with the function's own words."""
    try:
        documents = load_documents(text, limits=_PRINTED, repeats="ignore")
    except InvalidInput as fault:
        raise InvalidInput("cannot decode manifest", why=str(fault)) from fault
    return [_object(each.value) for each in documents if each.value is not None]


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        said = {list: "array", str: "string", bool: "bool"}.get(type(value), "number")
        why = f"json: cannot unmarshal {said} into Go value of type map[string]interface {{}}"
        raise InvalidInput("cannot decode manifest", why=why)
    if not isinstance(value.get("kind"), str) or not value["kind"]:
        shown = encode_sorted(redact(value)).decode()[:_QUOTED]
        raise InvalidInput("cannot decode manifest", why=f"Object 'Kind' is missing in '{shown}'")
    _check_annotations(value)
    return value


def _check_annotations(obj: JsonObject) -> None:
    """YAML reads `true` and `1` as something other than text, and annotations are text."""
    metadata = obj.get("metadata")
    if metadata is None or (isinstance(metadata, dict) and "annotations" not in metadata):
        return
    if not isinstance(metadata, dict):
        raise _invalid(obj, None, f"accessor error: {_typed(metadata)}, expected map[string]interface{{}}")
    annotations = metadata["annotations"]
    if not isinstance(annotations, dict):
        raise _invalid(obj, None, f"accessor error: {_typed(annotations)}, expected map[string]interface{{}}")
    for key in sorted(annotations):
        if not isinstance(annotations[key], str):
            why = f"contains non-string value in the map under key {quoted(key)}: {_typed(annotations[key])}"
            raise _invalid(obj, annotations.get(NAME), f"accessor error: {why}, expected string")


def _typed(value: Json) -> str:
    return f"{printed(value)} is of the type {'<nil>' if value is None else type_name(value)}"


def _invalid(obj: JsonObject, name: Json, why: str) -> InvalidInput:
    what = f"invalid annotations in resource '{GroupVersionKind.of(obj)} resource-name={printed(name)}'"
    return InvalidInput(what, why=f".metadata.annotations {why}")
