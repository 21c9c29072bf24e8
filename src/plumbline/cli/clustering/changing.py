"""Edits of cluster Secrets. Pure."""

from collections.abc import Sequence

from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.clustering.secrets import coded, labelled
from plumbline.delivery.settings.clusters import TYPE_LABEL

_MANAGED_BY = "managed-by"


def edited(
    secret: JsonObject, name: str, namespaces: Sequence[str], labels: Sequence[str], annotations: Sequence[str]
) -> JsonObject:
    metadata, content = dict(secret["metadata"]), dict(secret.get("data") or {})
    if name:
        content["name"] = coded(name)
    if list(namespaces) == ["*"]:
        content.pop("namespaces", None)
    elif namespaces:
        content["namespaces"] = coded(",".join(namespaces))
    if labels:
        metadata["labels"] = {**labelled(labels), TYPE_LABEL: "cluster"}
    if annotations:
        kept = {key: value for key, value in (metadata.get("annotations") or {}).items() if key == _MANAGED_BY}
        metadata["annotations"] = {**labelled(annotations), **kept}
    return {**secret, "metadata": metadata, "data": content}


def with_token(secret: JsonObject, config: bytes, token: str) -> JsonObject:
    """With another token in its *config*."""
    changed = {**decode(config), "bearerToken": token}
    return {**secret, "data": {**secret["data"], "config": coded(encode(changed).decode())}}
