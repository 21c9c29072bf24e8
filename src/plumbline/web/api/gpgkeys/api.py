"""The endpoints of keys that sign. Somebody may read, add or remove all of them or none, as with Argo CD."""

from typing import Annotated, Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.source.signatures.publickeys import MOST_BYTES, PublicKey, PublicKeys
from plumbline.web.api.answers import Captured, Serve, answered, asked
from plumbline.web.api.configmaps import AskedMaps
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.api.parameters import switch, text
from plumbline.web.api.rights import GPG_KEYS
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response

_PATH: Final = "/api/v1/gpgkeys"


class Said(msgspec.Struct, rename={"key_data": "keyData"}):
    """What else Argo CD has of a key follows from its content."""

    key_data: Annotated[str, msgspec.Meta(max_length=MOST_BYTES)] = ""


class GpgKeys:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: dict[str, tuple[PublicKey, ...]] = {}
        which = Parameter("keyID", "Id or fingerprint")
        upsert = Parameter("upsert", "Taken, and without effect: a key that is there is the same key", kind=bool)
        self.endpoints = (
            _said("GET", _PATH, self._list, "Keys whose signatures count, without their content"),
            _said("POST", _PATH, self._create, "Add all keys of an armor", upsert, takes=Said),
            _said("DELETE", _PATH, self._delete, "Remove one", which),
            _said("GET", f"{_PATH}/{{keyID}}", self._get, "One key"),
        )

    async def _list(self, request: Request, _: Captured) -> Response:
        keys = await (await self._keys(request, "get")).listed()
        return answered({"metadata": {}, "items": [each.as_json(whole=False) for each in keys]})

    async def _get(self, request: Request, captured: Captured) -> Response:
        keys = await self._keys(request, "get")
        return answered((await keys.one(captured["keyID"])).as_json())

    async def _create(self, request: Request, _: Captured) -> Response:
        keys = await self._keys(request, "create")
        switch(request, "upsert", default=False)
        done = await keys.add((await asked(request, Said)).key_data)
        created: JsonObject = {"metadata": {}, "items": [each.as_json() for each in done.created]}
        return answered({"created": created, **({"skipped": done.skipped} if done.skipped else {})})

    async def _delete(self, request: Request, _: Captured) -> Response:
        keys = await self._keys(request, "delete")
        await keys.remove(text(request, "keyID"))
        return answered({})

    async def _keys(self, request: Request, action: str) -> PublicKeys:
        asker = await self._desk.rights.asker(request)
        self._desk.rights.demand(asker, GPG_KEYS, action, "")
        return PublicKeys(AskedMaps(self._desk, asker), self._read)


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="gpgkeys", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
