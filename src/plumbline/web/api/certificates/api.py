"""The endpoints of certificates. Somebody may read, add or remove all of them or none, as with Argo CD."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.source.certificates import Certificates as Keeping
from plumbline.source.certificates import Selector
from plumbline.web.api.answers import Captured, Serve, answered, asked
from plumbline.web.api.certificates.shapes import Items, shaped
from plumbline.web.api.configmaps import AskedMaps
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.api.parameters import switch, text
from plumbline.web.api.rights import CERTIFICATES
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response

_PATH: Final = "/api/v1/certificates"
_NARROWED: Final = (
    Parameter("hostNamePattern", "Only of hosts that fit, where `*` and `?` stand for others"),
    Parameter("certType", "`ssh` or `https`"),
    Parameter("certSubType", "Kind of the key; only for ssh"),
)


class Certificates:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        upsert = Parameter("upsert", "Whether those that are there and differ are replaced", kind=bool)
        self.endpoints = (
            _said("GET", self._list, "Host keys and certificates, without their content", *_NARROWED),
            _said("POST", self._create, "Add some: all of them or none", upsert, takes=Items),
            _said("DELETE", self._delete, "Remove those that fit", *_NARROWED),
        )

    async def _list(self, request: Request, _: Captured) -> Response:
        keeping = await self._keeping(request, "get")
        return answered(shaped(await keeping.listed(_selector(request))))

    async def _create(self, request: Request, _: Captured) -> Response:
        keeping = await self._keeping(request, "create")
        wanted = [each.certificate for each in (await asked(request, Items)).items or ()]
        return answered(shaped(await keeping.add(wanted, upsert=switch(request, "upsert", default=False))))

    async def _delete(self, request: Request, _: Captured) -> Response:
        keeping = await self._keeping(request, "delete")
        selector = _selector(request)
        if not selector.pattern:
            hint = "Give hostNamePattern; ?* fits every host."
            raise InvalidInput("nothing is removed", why="no host is named, and none would be left", hint=hint)
        return answered(shaped(await keeping.remove(selector)))

    async def _keeping(self, request: Request, action: str) -> Keeping:
        asker = await self._desk.rights.asker(request)
        self._desk.rights.demand(asker, CERTIFICATES, action, "")
        return Keeping(AskedMaps(self._desk, asker))


def _selector(request: Request) -> Selector:
    return Selector(text(request, "hostNamePattern"), text(request, "certType"), text(request, "certSubType"))


def _said(method: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None) -> Endpoint:
    said = Operation(method=method, path=_PATH, summary=summary, tag="certificates", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
