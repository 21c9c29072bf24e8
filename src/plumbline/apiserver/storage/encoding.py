"""An object as bytes: encoded once, when it is written; every reader gets the same ones."""

from plumbline.apiserver.storage.store import Encode
from plumbline.base.json import JsonObject, encode


def encoded(obj: JsonObject) -> bytes:
    """With kind and apiVersion first, so that lists can leave them out by cutting a prefix of known length."""
    head = {"kind": obj.get("kind"), "apiVersion": obj.get("apiVersion")}
    return encode({**head, **obj})


def prefix_of(api_version: str, kind: str) -> bytes:
    """What every encoded object of a kind begins with."""
    return encode({"kind": kind, "apiVersion": api_version})[:-1] + b","


def with_revision(obj: JsonObject, revision: int) -> JsonObject:
    metadata = obj.get("metadata") or {}
    return {**obj, "metadata": {**metadata, "resourceVersion": str(revision)}}


def under_revision(obj: JsonObject) -> Encode:
    return lambda revision: encoded(with_revision(obj, revision))
