"""Passwords: where they come from, that they are never shown, and how one survives a lost reply.

A password that nobody gives is made up when the resource is created and goes to the connection Secret, nowhere else. If the
answer to the creation is lost, or the Secret is, the resource exists and the Secret has no password: that is a difference,
and the update that follows sets a new one. So the Secret always has the password of the last acknowledged call.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.errors import NotFound
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.managed.external import Difference, Managed, Observed, SecretKey
from plumbline.providers.aws import models
from plumbline.providers.aws.fields import snake
from plumbline.providers.aws.table import Master, Table

_HIDDEN: Final = "(secret)"
_USER_LETTERS: Final = 10


class Sealed(msgspec.Struct, frozen=True):
    """Members of a request that are secret, and what goes to the connection Secret once it was accepted."""

    params: Mapping[str, Plaintext] = {}
    connection: Mapping[str, Plaintext] = {}


def revealed(params: Mapping[str, Plaintext]) -> JsonObject:
    return {name: value.reveal().decode() for name, value in params.items()}


def with_user(table: Table, managed: Managed) -> JsonObject:
    """What is wanted at creation, with a user name that depends on nothing but the object."""
    wanted, master = managed.at_creation, table.master
    if master is None or wanted.get(master.user) or _inherited(master, wanted):
        return wanted
    return {**wanted, master.user: "u" + hashlib.sha256("/".join(managed.ref).encode()).hexdigest()[:_USER_LETTERS]}


def _inherited(master: Master, wanted: JsonObject) -> bool:
    return any(wanted.get(field) for field in master.inherited.split())


def _secret_key(said: Json) -> SecretKey:
    return SecretKey(
        name=str(said.get("name", "")), key=str(said.get("key", "")), namespace=str(said.get("namespace", ""))
    )


async def _given(table: Table, managed: Managed) -> dict[str, tuple[str, Plaintext]]:
    """Fields that name Secrets, with the member that each value goes to. Raises NotFound for one that is missing."""
    fields = dict(table.secrets)
    if table.master is not None:
        fields[table.master.reference] = "MasterUserPassword"
    wanted = managed.at_creation
    return {
        field: (member, await managed.secrets.read(_secret_key(wanted[field])))
        for field, member in fields.items()
        if wanted.get(field)
    }


def _made_up(table: Table, managed: Managed) -> bool:
    master, wanted = table.master, managed.at_creation
    if master is None or wanted.get(master.reference) or wanted.get(master.switch):
        return False
    return not _inherited(master, wanted)


def _keys(table: Table, field: str) -> tuple[str, ...]:
    if table.master is not None and field == table.master.reference:
        return table.master.keys
    return (f"attribute.{snake(field.removesuffix('SecretRef'))}",)


async def for_creation(table: Table, managed: Managed, operation: str) -> Sealed:
    known = models.request(table.service, operation).members
    params: dict[str, Plaintext] = {}
    connection: dict[str, Plaintext] = {}
    for field, (member, value) in (await _given(table, managed)).items():
        connection |= dict.fromkeys(_keys(table, field), value)
        if member in known:
            params[member] = value
    if table.master is not None and _made_up(table, managed):
        password = unguessable()
        params["MasterUserPassword"] = password
        connection |= dict.fromkeys(table.master.keys, password)
    return Sealed(params, connection)


async def compared(table: Table, managed: Managed, observed: Observed, found: JsonObject) -> Observed:
    """*observed*, with passwords from where they are kept, and a difference where the last one set is not the one wanted."""
    if not table.secrets and table.master is None:
        return observed
    kept = await _kept(table, managed) | _told(table, found)
    connection, differences = dict(observed.connection), list(observed.differences)
    settled = observed.after_s is None
    for field, value in (await _readable(table, managed)).items():
        known = [kept[key] for key in _keys(table, field) if key in kept]
        connection |= dict.fromkeys(_keys(table, field), known[0] if known else value)
        if known and known[0] != value and settled:
            differences.append(Difference(field, _HIDDEN, _HIDDEN))
    if table.master is not None and _made_up(table, managed) and _connection_secret(managed) is not None:
        if table.master.keys[0] in kept:
            connection |= dict.fromkeys(table.master.keys, kept[table.master.keys[0]])
        elif settled:
            differences.append(Difference(table.master.reference, _HIDDEN, None))
    return msgspec.structs.replace(observed, connection=connection, differences=tuple(differences))


def _told(table: Table, found: JsonObject) -> dict[str, Plaintext]:
    """What AWS itself says about secrets."""
    values = {field: models.pick(at, found) for field, at in table.secrets_found.items()}
    return {
        key: Plaintext(value) for field, value in values.items() if value is not None for key in _keys(table, field)
    }


async def _readable(table: Table, managed: Managed) -> dict[str, Plaintext]:
    try:
        return {field: value for field, (_, value) in (await _given(table, managed)).items()}
    except NotFound:
        return {}  # what is there stays there; a creation or a change would say what is missing


def _connection_secret(managed: Managed) -> SecretKey | None:
    said = managed.object.get("spec", {}).get("writeConnectionSecretToRef") or {}
    if not said.get("name"):
        return None
    return SecretKey(name=said["name"], key="", namespace=said.get("namespace") or managed.ref.namespace)


async def _kept(table: Table, managed: Managed) -> dict[str, Plaintext]:
    """What the connection Secret has of passwords."""
    place = _connection_secret(managed)
    if place is None:
        return {}
    keys = {key for field in table.secrets for key in _keys(table, field)} | set(
        table.master.keys if table.master else ()
    )
    result: dict[str, Plaintext] = {}
    for key in sorted(keys):
        try:
            result[key] = await managed.secrets.read(msgspec.structs.replace(place, key=key))
        except NotFound:
            continue
    return result


async def for_update(table: Table, managed: Managed, differences: tuple[Difference, ...]) -> Sealed:
    paths = {difference.path for difference in differences}
    params: dict[str, Plaintext] = {}
    connection: dict[str, Plaintext] = {}
    given = {field: both for field, both in (await _given(table, managed)).items() if field in paths}
    for field, (member, value) in given.items():
        params[member] = value
        connection |= dict.fromkeys(_keys(table, field), value)
    master = table.master
    if master is not None and master.reference in paths and _made_up(table, managed):
        password = unguessable()
        params["MasterUserPassword"] = password
        connection |= dict.fromkeys(master.keys, password)
    return Sealed(params, connection)
