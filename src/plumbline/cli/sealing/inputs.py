"""Secrets and SealedSecrets from a text that may hold several."""

from collections.abc import Iterator

from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

_HINT = (
    "Give it a Secret as YAML or JSON, such as `kubectl create secret generic NAME --dry-run=client -o yaml` prints."
)


def secrets_in(text: bytes, source: str) -> list[JsonObject]:
    """At least one; what does not say what it is is taken for a Secret, as kubeseal does."""
    found = [{"apiVersion": "v1", "kind": "Secret", **obj} for obj in _objects(text, source)]
    if not found:
        raise InvalidInput("no secrets found. Ensure the input is valid and UTF-8 encoded", hint=_HINT)
    for obj in found:
        if obj["kind"] != "Secret" or obj["apiVersion"] != "v1":
            raise InvalidInput(
                f"{source} holds something that is no Secret", why=f"its kind is {_kind(obj)}", hint=_HINT
            )
    return found


def sealed_secrets_in(text: bytes, source: str) -> list[JsonObject]:
    found = list(_objects(text, source))
    if not found:
        raise InvalidInput("no sealed secrets found", why=f"{source} holds none", hint="Give it a SealedSecret.")
    for obj in found:
        if obj.get("kind") != "SealedSecret" or not str(obj.get("apiVersion")).startswith("bitnami.com/"):
            why = f"its kind is {_kind(obj)}"
            raise InvalidInput(f"{source} holds something that is no SealedSecret", why=why)
    return found


def _objects(text: bytes, source: str) -> Iterator[JsonObject]:
    for document in load_documents(text, source=source):
        for value in _taken_apart(document.value):
            if isinstance(value, dict) and value:
                yield value


def _taken_apart(value: Json) -> list[Json]:
    """What `kubectl get -o yaml` writes around several objects is no object itself."""
    items = value.get("items") if isinstance(value, dict) else None
    return items if isinstance(items, list) and str(value.get("kind", "")).endswith("List") else [value]


def _kind(obj: JsonObject) -> str:
    return f"{obj.get('apiVersion')}, {obj.get('kind')}"
