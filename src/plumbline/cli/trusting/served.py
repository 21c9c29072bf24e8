"""Certificates and keys of a server."""

import base64
from collections.abc import Sequence

from plumbline.base.json import JsonObject
from plumbline.cli.server.api import Api
from plumbline.source.certificates import Certificate, Selector
from plumbline.source.signatures.publickeys import Imported, PublicKey


class ServedCertificates:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def listed(self, selector: Selector) -> list[Certificate]:
        return _certificates(await self._api.ask("GET", ("certificates",), query=_query(selector)))

    async def add(self, certificates: Sequence[Certificate], *, upsert: bool) -> list[Certificate]:
        body: JsonObject = {"items": [each.as_json() for each in certificates]}
        query = {"upsert": "true" if upsert else ""}
        return _certificates(await self._api.ask("POST", ("certificates",), body, query))

    async def remove(self, selector: Selector) -> list[Certificate]:
        return _certificates(await self._api.ask("DELETE", ("certificates",), query=_query(selector)))


class ServedKeys:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def listed(self) -> list[PublicKey]:
        return _keys(await self._api.get("gpgkeys"))

    async def one(self, text: str) -> PublicKey:
        return _key(await self._api.get("gpgkeys", text))

    async def add(self, text: str) -> Imported:
        said = await self._api.ask("POST", ("gpgkeys",), {"keyData": text})
        return Imported(_keys(said.get("created") or {}), [str(each) for each in said.get("skipped") or ()])

    async def remove(self, text: str) -> None:
        await self._api.ask("DELETE", ("gpgkeys",), query={"keyID": text})


def _query(selector: Selector) -> dict[str, str]:
    return {"hostNamePattern": selector.pattern, "certType": selector.type, "certSubType": selector.subtype}


def _certificates(said: JsonObject) -> list[Certificate]:
    return [
        Certificate(
            str(each.get("serverName") or ""),
            str(each.get("certType") or ""),
            str(each.get("certSubType") or ""),
            base64.b64decode(each.get("certData") or "").decode("utf-8", "replace"),
            str(each.get("certInfo") or ""),
        )
        for each in said.get("items") or ()
    ]


def _keys(said: JsonObject) -> list[PublicKey]:
    return [_key(each) for each in said.get("items") or ()]


def _key(said: JsonObject) -> PublicKey:
    names = ("keyID", "fingerprint", "owner", "trust", "subType", "keyData")
    return PublicKey(*(str(said.get(name) or "") for name in names))
