"""Values from Secrets that a vendor takes and never shows again.

What was sent last is known only from the connection Secret, under the same keys as upstream's (`attribute.password`). Without
one, a changed password goes unnoticed: there is nothing to compare it with.
"""

import msgspec

from plumbline.base.errors import NotFound
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import Difference, Managed, SecretKey
from plumbline.providers.rest.shapes import put, taken


class SecretField(msgspec.Struct, frozen=True):
    """A value that comes from a Secret and that the API never shows again."""

    field: str
    """Such as `rootPasswordSecretRef`."""
    to: tuple[str, ...]
    key: str
    """Under which the connection Secret keeps what was last sent: the only memory of it."""
    also: tuple[str, ...] = ()
    """Other keys with the same value."""
    final: bool = False
    """It cannot change while the resource exists."""


SecretFields = tuple[SecretField, ...]


class Sent(msgspec.Struct, frozen=True):
    """The secrets of a resource: as they should be, and as they were when they were last told to the vendor."""

    wanted: dict[str, Plaintext]
    before: dict[str, Plaintext]

    def differences(self, secrets: SecretFields) -> tuple[Difference, ...]:
        """Fields whose value has changed since. The values themselves are not in there."""
        return tuple(
            Difference(secret.field, "(the present value)", "(an earlier value)", secret.final)
            for secret in secrets
            if secret.field in self.before and self.before[secret.field] != self.wanted[secret.field]
        )


async def secrets_of(secrets: SecretFields, managed: Managed, wanted: JsonObject) -> Sent:
    """Raises NotFound where a Secret that forProvider names is missing."""
    now, before = {}, {}
    for secret in secrets:
        reference = taken(wanted, secret.field.split("."))
        if reference is None:
            continue
        now[secret.field] = await managed.secrets.read(_key(managed, reference))
        if (kept := await _kept(secret, managed)) is not None:
            before[secret.field] = kept
    return Sent(now, before)


def connection(secrets: SecretFields, values: dict[str, Plaintext]) -> dict[str, Plaintext]:
    return {
        key: values[secret.field] for secret in secrets if secret.field in values for key in (secret.key, *secret.also)
    }


def put_secrets(secrets: SecretFields, body: JsonObject, values: dict[str, Plaintext]) -> None:
    """Open them into what is sent next, and nowhere else."""
    for secret in secrets:
        if secret.field in values:
            put(body, secret.to, values[secret.field].reveal().decode())


async def _kept(secret: SecretField, managed: Managed) -> Plaintext | None:
    target = taken(managed.object, ("spec", "writeConnectionSecretToRef"))
    if not isinstance(target, dict):
        return None
    try:
        return await managed.secrets.read(_key(managed, {**target, "key": secret.key}))
    except NotFound:
        return None


def _key(managed: Managed, reference: Json) -> SecretKey:
    said = reference if isinstance(reference, dict) else {}
    namespace = managed.ref.namespace or str(said.get("namespace", ""))
    return SecretKey(str(said.get("name", "")), str(said.get("key", "")), namespace)
