"""Secrets that hold the token of a service account: filled, and gone with their account."""

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from plumbline.apiserver.authentication.legacy import claims_in_secret
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

ACCOUNT: Final = GroupKind("", "ServiceAccount")
SECRET: Final = GroupKind("", "Secret")
TYPE: Final = "kubernetes.io/service-account-token"
ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
ACCOUNT_UID: Final = "kubernetes.io/service-account.uid"
_TYPE_IN_BODY: Final = TYPE.encode()

Sign = Callable[[JsonObject], str]
"""Claims, signed."""


class TokensController:
    """What has gone from a Secret is put back. A Secret whose account is not there, or is another by now, is deleted."""

    name = "serviceaccount-token"

    def __init__(self, cluster: Cluster, sign: Sign, authority_pem: str) -> None:
        self._cluster = cluster
        self._sign = sign
        self._authority_pem = authority_pem
        self._accounts: dict[Key, str] = {}
        """Whose token each Secret held: when it is gone, nothing else tells."""

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {SECRET: self._itself, ACCOUNT: self._tokens_of}

    def _itself(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        secret = _token_secret(entry)
        if secret is None:
            return ()
        self._accounts[entry.key] = _annotation(secret, ACCOUNT_NAME)
        return (entry.key,)

    def _tokens_of(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        if previous is None:  # a new account: no Secret can hold a token of it yet
            return ()
        place = (entry.key.namespace, entry.key.name)
        return [key for key, name in self._accounts.items() if (key.namespace, name) == place]

    async def reconcile(self, key: Key) -> float | None:
        secret = self._cluster.at(key)
        if secret is None:
            await self._forget(key)
            return None
        if self._account_of(secret) is None:
            await self._cluster.delete(secret)
        else:
            await self._cluster.edit(secret, self._filled)
        return None

    def _account_of(self, secret: JsonObject) -> JsonObject | None:
        """The one that *secret* names, unless it is another than the one that the token is of."""
        namespace = str(metadata_of(secret).get("namespace") or "")
        account = self._cluster.get(ACCOUNT, namespace, _annotation(secret, ACCOUNT_NAME))
        uid = _annotation(secret, ACCOUNT_UID)
        return account if account and uid in ("", metadata_of(account).get("uid")) else None

    def _filled(self, secret: JsonObject) -> JsonObject | None:
        """None where nothing is missing, or nothing can be changed."""
        account, metadata, held = self._account_of(secret), metadata_of(secret), secret.get("data") or {}
        if account is None or secret.get("immutable") is True:
            return None
        missing: JsonObject = {}
        if self._authority_pem and held.get("ca.crt") != (authority := _coded(self._authority_pem)):
            missing["ca.crt"] = authority
        if not held.get("namespace"):
            missing["namespace"] = _coded(str(metadata["namespace"]))
        if not held.get("token"):
            missing["token"] = _coded(self._sign(claims_in_secret(account, str(metadata["name"]))))
        if not missing:
            return None
        named = {ACCOUNT_NAME: metadata_of(account)["name"], ACCOUNT_UID: metadata_of(account)["uid"]}
        annotations = {**(metadata.get("annotations") or {}), **named}
        return {**secret, "metadata": {**metadata, "annotations": annotations}, "data": {**held, **missing}}

    async def _forget(self, key: Key) -> None:
        """An account that lists a Secret with a token of its own does no longer."""
        account = self._cluster.get(ACCOUNT, key.namespace, self._accounts.pop(key, ""))
        if account is not None and _lists(account, key.name):
            await self._cluster.edit(account, lambda live: _without(live, key.name) if _lists(live, key.name) else None)


def _token_secret(entry: Entry) -> JsonObject | None:
    if _TYPE_IN_BODY not in entry.body:
        return None
    secret = entry.object()
    return secret if secret.get("type") == TYPE else None


def _annotation(obj: JsonObject, name: str) -> str:
    return str((metadata_of(obj).get("annotations") or {}).get(name) or "")


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _lists(account: JsonObject, secret: str) -> bool:
    return any(each.get("name") == secret for each in account.get("secrets") or ())


def _without(account: JsonObject, secret: str) -> JsonObject:
    return {**account, "secrets": [each for each in account["secrets"] if each.get("name") != secret]}
