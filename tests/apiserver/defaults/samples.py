"""The manifests that are also created on the real server, and the way an object takes to its defaults."""

from pathlib import Path

from plumbline.apiserver.defaults import defaulted
from plumbline.base.documents import load_documents
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.typed import typed_form

HERE = Path(__file__).parent


def manifests() -> list[JsonObject]:
    plain = [
        each.value for path in sorted((HERE / "manifests").glob("*.yaml")) for each in load_documents(path.read_text())
    ]
    written = [each.value["object"] for each in load_documents((HERE / "subresources.yaml").read_text())]
    return plain + written


def label(obj: JsonObject) -> str:
    return f"{obj['kind']}:{obj['metadata'].get('name', '')}"


def typed(obj: JsonObject) -> JsonObject:
    shape = builtin_shape(GroupVersionKind.of(obj))
    assert shape is not None, obj
    return typed_form(obj, shape)


def held(obj: JsonObject, *, now: str = "") -> JsonObject:
    return defaulted(GroupVersionKind.of(obj), typed(obj), now=now)
