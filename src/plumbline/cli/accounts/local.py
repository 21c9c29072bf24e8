"""Accounts as argocd-cm and argocd-secret have them, for whoever may read and write those."""

import base64
from collections.abc import Callable, Mapping
from typing import Final

from plumbline.access.accounts import (
    ADMIN,
    API_KEY,
    Account,
    Accounts,
    Edit,
    TokenRecord,
    opened,
    read_accounts,
    with_password,
    with_tokens,
)
from plumbline.access.passwords import PATTERN, check_new, hashed
from plumbline.access.realm import CONFIG, SECRETS, SIGNING_KEY
from plumbline.access.tokens import ISSUER, Claims, signed
from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_AS_PERSON: Final = Writing(field_manager="plumb")
_ATTEMPTS: Final = 5


class Local:
    def __init__(self, client: Client, namespace: str, clock: Clock | None = None, ids: Ids | None = None) -> None:
        self._client = client
        self._namespace = namespace
        self._clock = clock or SystemClock()
        self._ids = ids or Ids()

    async def listed(self) -> list[JsonObject]:
        settings, secret = await self._settings(), await self._secret()
        accounts = _read(settings, secret).named
        return [told(accounts[name]) for name in sorted(accounts)]

    async def named(self, name: str) -> JsonObject:
        return told(_named(_read(await self._settings(), await self._secret()), name or ADMIN))

    async def token(self, name: str, token_id: str, life_s: int) -> str:
        name, now_s = name or ADMIN, int(self._clock.now().timestamp())
        record = TokenRecord(token_id or self._ids.uid(), now_s, now_s + life_s if life_s else 0)
        made = ""

        def added(accounts: Accounts, secret: Mapping[str, Plaintext]) -> Edit:
            nonlocal made
            account = _named(accounts, name)
            if API_KEY not in account.capabilities:
                hint = f"Add it to accounts.{name} in argocd-cm."
                raise InvalidInput(f"account '{name}' does not have {API_KEY} capability", hint=hint)
            if account.token(record.id) is not None:
                raise AlreadyExists(f"account already has token with id '{record.id}'", hint="Choose another id.")
            key = secret.get(SIGNING_KEY)
            if not key:
                raise NotFound(f"{SECRETS} has no {SIGNING_KEY}", hint="It is made when the server starts first.")
            subject = f"{name}:{API_KEY}"
            made = signed(Claims(ISSUER, subject, now_s, now_s, record.expires_s, record.id), key)
            return with_tokens(name, (*account.tokens, record))

        await self._change(added)
        return made

    async def drop_token(self, name: str, token_id: str) -> None:
        name = name or ADMIN

        def dropped(accounts: Accounts, secret: Mapping[str, Plaintext]) -> Edit:
            del secret
            account = _named(accounts, name)
            if account.token(token_id) is None:
                raise NotFound(f"token with id '{token_id}' does not exist")
            return with_tokens(name, tuple(each for each in account.tokens if each.id != token_id))

        await self._change(dropped)

    async def set_password(self, name: str, current: str, new: str) -> None:
        """*current* is not asked for: whoever may write the Secret may do so anyway."""
        del current
        name, given = name or ADMIN, Plaintext(new)
        settings = await self._settings()
        kept = hashed(given)

        def changed(accounts: Accounts, secret: Mapping[str, Plaintext]) -> Edit:
            del secret
            account = _named(accounts, name)
            check_new(given, name, settings.get("passwordPattern") or PATTERN, account.password)
            return with_password(name, kept, self._clock.now())

        await self._change(changed)

    async def _settings(self) -> Mapping[str, str]:
        try:
            found = decode(await self._client.get(Target(_CONFIG_MAPS, self._namespace, CONFIG)))
        except NotFound:
            return {}
        return {key: value for key, value in (found.get("data") or {}).items() if isinstance(value, str)}

    async def _secret(self) -> JsonObject:
        found: JsonObject = decode(await self._client.get(Target(_SECRETS, self._namespace, SECRETS)))
        return found

    async def _change(self, edit: Callable[[Accounts, Mapping[str, Plaintext]], Edit]) -> None:
        """Change keys of argocd-secret, decided on what is there now."""
        settings = await self._settings()
        target = Target(_SECRETS, self._namespace, SECRETS)
        for _ in range(_ATTEMPTS):
            secret = await self._secret()
            values = opened(secret.get("data"))
            changes = edit(read_accounts(settings, values), values)
            coded = {key: None if value is None else base64.b64encode(value).decode() for key, value in changes.items()}
            body = {"metadata": {"resourceVersion": Object(secret).resource_version}, "data": coded}
            try:
                await self._client.patch(target, encode(body), "merge", _AS_PERSON)
            except Conflict:
                continue
            return
        raise Conflict(f"{SECRETS} is not changed", why="somebody else keeps writing it")


def told(account: Account) -> JsonObject:
    """As Argo CD's API does: what is empty or false is left out."""
    tokens = [
        {"id": each.id, "issuedAt": each.issued_s} | ({"expiresAt": each.expires_s} if each.expires_s else {})
        for each in sorted(account.tokens, key=lambda each: each.issued_s, reverse=True)
    ]
    parts: JsonObject = {"enabled": account.enabled, "capabilities": list(account.capabilities), "tokens": tokens}
    return {"name": account.name, **{key: value for key, value in parts.items() if value}}


def _read(settings: Mapping[str, str], secret: JsonObject) -> Accounts:
    return read_accounts(settings, opened(secret.get("data")))


def _named(accounts: Accounts, name: str) -> Account:
    account = accounts.named.get(name)
    if account is None:
        raise NotFound(f"account '{name}' does not exist", hint="See which there are with: plumb account list.")
    return account
