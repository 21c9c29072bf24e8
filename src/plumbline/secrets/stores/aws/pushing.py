"""Values on their way into AWS. Secrets and parameters are tagged as ours in the call that makes them."""

import base64
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound, NotYet
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import AwsSecretsManager
from plumbline.secrets.stores.aws.calls import Calls
from plumbline.secrets.stores.pushing import MANAGED_BY, MANAGER, Effect, Piece, foreign, wanted
from plumbline.secrets.stores.store import Remote

_MARK = {MANAGED_BY: MANAGER}
_DESCRIPTION = f"secret '{MANAGED_BY}:{MANAGER}'"


class _Noted(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    description: str = _DESCRIPTION
    tags: dict[str, str] = {}
    kms_key_id: str = msgspec.field(name="kmsKeyID", default="")

    def __post_init__(self) -> None:
        if MANAGED_BY in self.tags:
            raise ValueError(f"Cannot specify a '{MANAGED_BY}' tag")

    def marked(self) -> list[Json]:
        return [{"Key": key, "Value": value} for key, value in {**self.tags, **_MARK}.items()]


class _OfSecret(_Noted, frozen=True, rename="camel", forbid_unknown_fields=True):
    form: Literal["binary", "string"] = msgspec.field(name="secretPushFormat", default="binary")


class _Tier(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    type: Literal["Standard", "Advanced"] = "Standard"
    policies: Any = None


class _OfParameter(_Noted, frozen=True, rename="camel", forbid_unknown_fields=True):
    kind: Literal["String", "StringList", "SecureString"] = msgspec.field(name="secretType", default="String")
    tier: _Tier = _Tier()
    encode_as_decoded: bool = False


class SecretsManagerSink:
    def __init__(self, calls: Calls, prefix: str, leaving: AwsSecretsManager | None, ids: Ids) -> None:
        self._calls, self._prefix, self._leaving, self._ids = calls, prefix, leaving, ids

    async def exists(self, remote: Remote) -> bool:
        held = await self._held(self._prefix + remote.key)
        return held is not None and (not remote.property or remote.property in _members(held))

    async def pushing(self, piece: Piece) -> Effect | None:
        name, said = self._prefix + piece.remote.key, wanted(piece.metadata, _OfSecret)
        described = await self._described(name)
        if described is None:
            return Effect("create", lambda: self._created(name, _value(piece, None), said))
        if described.get("DeletedDate"):
            raise NotYet(
                f"Secret {name} cannot be written", why="it waits for its deletion", hint="Restore it, or wait."
            )
        if not _marked(described.get("Tags")):
            raise foreign(f"Secret {name}")
        held = await self._held(name) if described.get("VersionIdsToStages") else None
        after = _value(piece, held)
        return None if held == after else Effect("update", lambda: self._put(name, after, said))

    async def withdrawing(self, remote: Remote) -> Effect | None:
        name = self._prefix + remote.key
        described = await self._described(name)
        if described is None or described.get("DeletedDate") or not _marked(described.get("Tags")):
            return None
        held = await self._held(name)
        if remote.property and held is not None:
            members = _members(held)
            left = {key: value for key, value in members.items() if key != remote.property}
            if left == members:
                return None
            if left:
                body = Plaintext(encode(left))
                return Effect("delete", lambda: self._put(name, body, _OfSecret(form="string")))
        return Effect("delete", lambda: self._removed(name))

    async def _described(self, name: str) -> JsonObject | None:
        try:
            return await self._calls.call("describe_secret", f"Secret {name} cannot be read", SecretId=name)
        except NotFound:
            return None

    async def _held(self, name: str) -> Plaintext | None:
        try:
            answer = await self._calls.call("get_secret_value", f"Secret {name} cannot be read", SecretId=name)
        except NotFound:
            return None
        if answer.get("SecretString") is not None:
            return Plaintext(str(answer["SecretString"]))
        return Plaintext(answer.get("SecretBinary") or b"")

    async def _created(self, name: str, value: Plaintext, said: _OfSecret) -> None:
        more: dict[str, Json] = {"KmsKeyId": said.kms_key_id} if said.kms_key_id else {}
        with_tags = {"Tags": said.marked(), "Description": said.description, **more}
        try:
            await self._sent("create_secret", name, value, said, Name=name, **with_tags)
        except AlreadyExists as outrun:
            raise Conflict(str(outrun)) from outrun

    async def _put(self, name: str, value: Plaintext, said: _OfSecret) -> None:
        await self._sent("put_secret_value", name, value, said, SecretId=name)

    async def _sent(self, operation: str, name: str, value: Plaintext, said: _OfSecret, /, **more: Json) -> None:
        raw = value.reveal()
        if said.form == "string":
            body: dict[str, Json] = {"SecretString": raw.decode(errors="replace")}
        else:
            body = {"SecretBinary": raw}
        what = f"Secret {name} cannot be written"
        await self._calls.call(operation, what, ClientRequestToken=self._ids.uid(), **body, **more)

    async def _removed(self, name: str) -> None:
        leaving = self._leaving or AwsSecretsManager()
        how: dict[str, Json] = {}
        if leaving.force_delete_without_recovery:
            how["ForceDeleteWithoutRecovery"] = True
        elif leaving.recovery_window_in_days:
            how["RecoveryWindowInDays"] = leaving.recovery_window_in_days
        try:
            await self._calls.call("delete_secret", f"Secret {name} cannot be deleted", SecretId=name, **how)
        except NotFound:
            return


class ParameterStoreSink:
    def __init__(self, calls: Calls, prefix: str) -> None:
        self._calls, self._prefix = calls, prefix

    async def exists(self, remote: Remote) -> bool:
        return await self._held(self._prefix + remote.key) is not None

    async def pushing(self, piece: Piece) -> Effect | None:
        name, said = self._prefix + piece.remote.key, wanted(piece.metadata, _OfParameter)
        if piece.remote.property:
            what = f"Parameter {name} cannot be written"
            raise InvalidInput(what, why="a parameter is one value", hint="Leave match.remoteRef.property out.")
        value = _parameter(piece, said)
        held = await self._held(name)
        if held is None:
            return Effect("create", lambda: self._put(name, value, said, new=True))
        if not await self._marked(name):
            raise foreign(f"Parameter {name}")
        return None if held == value else Effect("update", lambda: self._put(name, value, said, new=False))

    async def withdrawing(self, remote: Remote) -> Effect | None:
        name = self._prefix + remote.key
        if await self._held(name) is None or not await self._marked(name):
            return None
        return Effect("delete", lambda: self._removed(name))

    async def _held(self, name: str) -> Plaintext | None:
        what = f"Parameter {name} cannot be read"
        try:
            answer = await self._calls.call("get_parameter", what, Name=name, WithDecryption=True)
        except NotFound:
            return None
        return Plaintext(str((answer.get("Parameter") or {}).get("Value") or ""))

    async def _marked(self, name: str) -> bool:
        asked = {"ResourceType": "Parameter", "ResourceId": name}
        what = f"The tags of parameter {name} cannot be read"
        return _marked((await self._calls.call("list_tags_for_resource", what, **asked)).get("TagList"))

    async def _put(self, name: str, value: Plaintext, said: _OfParameter, *, new: bool) -> None:
        body: dict[str, Json] = {
            "Name": name,
            "Value": value.reveal().decode(errors="replace"),
            "Type": said.kind,
        }
        body |= {"Description": said.description, "Overwrite": not new}
        if new:
            body["Tags"] = said.marked()
        if said.kind == "SecureString" and said.kms_key_id:
            body["KeyId"] = said.kms_key_id
        if said.tier.type == "Advanced":
            policies = {} if said.tier.policies is None else {"Policies": encode(said.tier.policies).decode()}
            body |= {"Tier": "Advanced", **policies}
        try:
            await self._calls.call("put_parameter", f"Parameter {name} cannot be written", **body)
        except AlreadyExists as outrun:
            raise Conflict(str(outrun)) from outrun

    async def _removed(self, name: str) -> None:
        try:
            await self._calls.call("delete_parameter", f"Parameter {name} cannot be deleted", Name=name)
        except NotFound:
            return


def _marked(tags: Any) -> bool:
    return any(tag.get("Key") == MANAGED_BY and tag.get("Value") == MANAGER for tag in tags or ())


def _value(piece: Piece, held: Plaintext | None) -> Plaintext:
    if not piece.remote.property:
        return piece.value
    members = _members(held) if held else {}
    return Plaintext(encode({**members, piece.remote.property: piece.value.reveal().decode(errors="replace")}))


def _members(held: Plaintext) -> JsonObject:
    try:
        return decode(held.reveal(), type=JsonObject) if held else {}
    except ValueError:
        raise InvalidInput(
            "The secret cannot be written in part",
            why="PushSecret for aws secrets manager with a pushSecretData property requires a json secret",
        ) from None


def _parameter(piece: Piece, said: _OfParameter) -> Plaintext:
    if piece.chosen or said.encode_as_decoded:
        return piece.value
    # Without a word about it, upstream writes the entries as a Secret has them.
    entries: Mapping[str, str] = {
        name: base64.b64encode(value.reveal()).decode() for name, value in piece.entries.items()
    }
    return Plaintext(encode_sorted(dict(entries)))
