"""Secrets that managed resources and ProviderConfigs name. Read when they are asked for, and kept by nobody."""

import base64
import binascii
from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import Forbidden, NotFound
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.external import SecretKey

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_DEEPEST: Final = 12


class ReadSecrets:
    """`Secrets` straight from the API. *only* is the one namespace that may be read, where there is one."""

    def __init__(self, client: Client, only: str = "") -> None:
        self._client = client
        self._only = only

    async def read(self, key: SecretKey) -> Plaintext:
        namespace = key.namespace or self._only
        if self._only and namespace != self._only:
            raise Forbidden(
                f"Secret {namespace}/{key.name} is not read",
                why=f"a namespaced resource reads Secrets of its own namespace only, which is {self._only}",
                hint=f"Copy the Secret to namespace {self._only} and leave the namespace out.",
            )
        found = await self.whole(namespace, key.name)
        value = (found.get("data") or {}).get(key.key)
        if not isinstance(value, str):
            raise NotFound(
                f"Secret {namespace}/{key.name} has no key {key.key!r}",
                hint=f"Put the value under {key.key!r}, or name the key that has it.",
            )
        try:
            return Plaintext(base64.b64decode(value, validate=True))
        except binascii.Error:
            raise NotFound(f"Secret {namespace}/{key.name} has no value under {key.key!r}") from None

    async def whole(self, namespace: str, name: str) -> JsonObject:
        """The Secret with its values, for whoever changes it."""
        try:
            return decode(await self._client.get(Target(SECRETS, namespace, name)))
        except NotFound:
            raise NotFound(
                f"Secret {namespace}/{name} not found", hint="Create it; whoever waits for it goes on by itself."
            ) from None


def named_secrets(spec: Json, namespace: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, str]]:
    """Namespace and name of every Secret that *spec* names in a field such as `secretRef`."""
    if isinstance(spec, list):
        for item in spec:
            yield from named_secrets(item, namespace, depth - 1)
    elif isinstance(spec, dict) and depth > 0:
        for field, value in spec.items():
            if field.lower().endswith("secretref") and isinstance(value, dict) and isinstance(value.get("name"), str):
                yield namespace or str(value.get("namespace") or ""), value["name"]
            else:
                yield from named_secrets(value, namespace, depth - 1)


def values_of(secret: JsonObject) -> dict[str, Plaintext]:
    found = secret.get("data")
    listed = found.items() if isinstance(found, dict) else ()
    return {key: Plaintext(base64.b64decode(value)) for key, value in listed if isinstance(value, str)}


def encoded(values: dict[str, Plaintext]) -> dict[str, str]:
    """As a Secret holds them: the one place where connection details leave their cover, on the way to the API."""
    return {key: base64.b64encode(value.reveal()).decode() for key, value in values.items()}
