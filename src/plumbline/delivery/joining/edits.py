"""Edits of cluster Secrets. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject, decode, encode
from plumbline.delivery.joining.secrets import coded
from plumbline.delivery.settings.clusters import REFRESH, TYPE_LABEL

_MANAGED_BY: Final = "managed-by"


class Edit(NamedTuple):
    """What becomes of each part; None leaves it as it is."""

    name: str | None = None
    namespaces: Sequence[str] | None = None
    """None of them are all of them."""
    labels: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None
    project: str | None = None
    shard: int | None = None
    cluster_resources: bool | None = None
    config: JsonObject | None = None


def edited(secret: JsonObject, edit: Edit) -> JsonObject:
    metadata = dict(secret["metadata"])
    if edit.labels is not None:
        metadata["labels"] = {**edit.labels, TYPE_LABEL: "cluster"}
    if edit.annotations is not None:
        kept = {key: value for key, value in (metadata.get("annotations") or {}).items() if key == _MANAGED_BY}
        metadata["annotations"] = {**edit.annotations, **kept}
    said = {
        "name": edit.name,
        "namespaces": None if edit.namespaces is None else ",".join(edit.namespaces),
        "project": edit.project,
        "shard": None if edit.shard is None else str(edit.shard),
        "clusterResources": None if edit.cluster_resources is None else "true" if edit.cluster_resources else "",
        "config": None if edit.config is None else encode(edit.config).decode(),
    }
    content = {**(secret.get("data") or {}), **{key: coded(value) for key, value in said.items() if value is not None}}
    return {**secret, "metadata": metadata, "data": {key: value for key, value in content.items() if value}}


def looked_at_anew(secret: JsonObject, at: str) -> JsonObject:
    """With the wish that nothing is believed that was read from it before *at*."""
    annotations = {**(secret["metadata"].get("annotations") or {}), REFRESH: at}
    return {**secret, "metadata": {**secret["metadata"], "annotations": annotations}}


def with_token(config: bytes, token: str) -> Edit:
    """With another token in its *config*."""
    return Edit(config={**decode(config), "bearerToken": token})
