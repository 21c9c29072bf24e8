"""The administrator's first password, where Argo CD's users look for it."""

import base64
from typing import Final

from plumbline.base.errors import AlreadyExists, NotFound
from plumbline.base.json import JsonObject, encode
from plumbline.base.plaintext import unguessable
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource

INITIAL: Final = "argocd-initial-admin-secret"
SETTINGS: Final = "argocd-secret"
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_AS_US: Final = Writing(field_manager="plumbline")


async def initial_password(client: Client, namespace: str) -> None:
    """Make it, once: whoever removes the Secret, as one should, does not get another.

    That it was made is known by the Secret of the settings, which comes after it.
    """
    try:
        await client.get(Target(_SECRETS, namespace, SETTINGS), metadata_only=True)
    except NotFound:
        password = base64.b64encode(unguessable().reveal()).decode()
        await _made(client, namespace, {"metadata": {"name": INITIAL}, "data": {"password": password}})
        labels = {"app.kubernetes.io/name": SETTINGS, "app.kubernetes.io/part-of": "argocd"}
        await _made(client, namespace, {"metadata": {"name": SETTINGS, "labels": labels}})


async def _made(client: Client, namespace: str, secret: JsonObject) -> None:
    body: JsonObject = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", **secret}
    try:
        await client.create(Target(_SECRETS, namespace), encode(body), _AS_US)
    except AlreadyExists:
        return
