"""The endpoints of repositories and of credentials for many of them."""

from typing import Final

from plumbline.access.policy.requests import scoped_name
from plumbline.base.errors import AlreadyExists, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.source.repository import Repository
from plumbline.source.secrets import Entry, Kind, secret_for
from plumbline.source.urls import normalised, redacted
from plumbline.web.api.answers import Captured, Serve, answered, body_of, denied, object_of
from plumbline.web.api.desk import SECRETS, Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.api.parameters import switch, text
from plumbline.web.api.repositories.shapes import repository, repository_shape
from plumbline.web.api.repositories.states import States, Test
from plumbline.web.api.rights import REPOSITORIES, Asker
from plumbline.web.api.writing import Errand
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response

__all__ = ["Repositories", "Test"]

_PATH: Final = "/api/v1/repositories"
_CREDS: Final = "/api/v1/repocreds"
_KIND: Final[Kind] = "repository"
_TEMPLATE: Final[Kind] = "repo-creds"


class Repositories:
    """*test* connects to one; without it nobody knows whether they answer."""

    def __init__(self, desk: Desk, test: Test | None = None) -> None:
        self._desk = desk
        self._states = States(test, self._connected, desk.clock)
        anew, project = Parameter("forceRefresh", kind=bool), Parameter("appProject")
        upsert = Parameter("upsert", kind=bool)
        self.endpoints = (
            _said("GET", _PATH, self._list, "Repositories that you may see", anew),
            _said("POST", _PATH, self._create, "Register one", upsert, takes=dict),
            _said("GET", f"{_PATH}/{{repo}}", self._get, "One repository", anew, project),
            _said("PUT", f"{_PATH}/{{repo}}", self._update, "Replace one", takes=dict),
            _said("DELETE", f"{_PATH}/{{repo}}", self._delete, "Forget one", project),
            _said("POST", f"{_PATH}/{{repo}}/validate", self._validate, "Whether it answers", takes=str),
            _said("GET", _CREDS, self._list_creds, "Credentials that you may see"),
            _said("POST", _CREDS, self._create_creds, "Register some", upsert, takes=dict),
            _said("PUT", f"{_CREDS}/{{url}}", self._update_creds, "Replace some", takes=dict),
            _said("DELETE", f"{_CREDS}/{{url}}", self._delete_creds, "Forget some"),
        )

    async def _list(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        seen = self._seen(asker, _KIND)
        states = await self._states.of(seen, anew=switch(request, "forceRefresh", default=False))
        items = [repository_shape(each, state) for each, state in zip(seen, states, strict=True)]
        return answered({"metadata": {}, "items": items})

    async def _get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        found = self._one(asker, captured["repo"], text(request, "appProject"), "get")
        (state,) = await self._states.of((found,), anew=switch(request, "forceRefresh", default=False))
        return answered(repository_shape(found, state))

    async def _create(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        body = await object_of(request)
        wanted = self._wanted(body, str(body.get("repo") or ""))
        self._desk.rights.demand(asker, REPOSITORIES, "create", scoped_name(wanted.project, wanted.url))
        if not wanted.project:
            await self._check_answers(wanted)
        await self._put(asker, wanted, _KIND, upsert=switch(request, "upsert", default=False))
        return answered(_brief(wanted))

    async def _update(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        wanted = self._wanted(await object_of(request), captured["repo"])
        self._one(asker, wanted.url, wanted.project, "update")
        self._desk.rights.demand(asker, REPOSITORIES, "update", scoped_name(wanted.project, wanted.url))
        await self._put(asker, wanted, _KIND, upsert=True)
        return answered(_brief(wanted))

    async def _delete(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        found = self._one(asker, captured["repo"], text(request, "appProject"), "get")
        self._desk.rights.demand(asker, REPOSITORIES, "delete", _called(found))
        await self._removed(asker, found)
        return answered({})

    async def _validate(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        body = await body_of(request)
        url = body if isinstance(body, str) and body else captured["repo"]
        described = {**request.query, **(body if isinstance(body, dict) else {})}
        wanted = self._wanted(described, url)
        self._desk.rights.demand(asker, REPOSITORIES, "create", scoped_name(wanted.project, url))
        await self._check_answers(wanted)
        return answered({})

    async def _list_creds(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        items = [
            {"url": redacted(each.url), **({"username": name} if (name := each.fields.legible("username")) else {})}
            for each in self._seen(asker, _TEMPLATE)
        ]
        return answered({"metadata": {}, "items": items})

    async def _create_creds(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        body = await object_of(request)
        url = str(body.get("url") or "")
        if not url:
            raise InvalidInput("must specify URL")
        self._desk.rights.demand(asker, REPOSITORIES, "create", url)
        await self._put(asker, repository(body, url), _TEMPLATE, upsert=switch(request, "upsert", default=False))
        return answered({"url": redacted(url)})

    async def _update_creds(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        url = captured["url"]
        self._desk.rights.demand(asker, REPOSITORIES, "update", url)
        body = await object_of(request)
        self._template(url)
        await self._put(asker, repository(body, url), _TEMPLATE, upsert=True)
        return answered({"url": redacted(url)})

    async def _delete_creds(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        self._desk.rights.demand(asker, REPOSITORIES, "delete", captured["url"])
        await self._removed(asker, self._template(captured["url"]))
        return answered({})

    def _wanted(self, said: JsonObject, url: str) -> Repository:
        return repository(said, url, self._desk.installation.repositories.local)

    def _connected(self, url: str, project: str) -> Repository:
        return self._desk.installation.repositories.choose(url, project)

    def _seen(self, asker: Asker, kind: Kind) -> list[Entry]:
        sees = self._desk.rights.sees(asker, REPOSITORIES)
        entries = self._desk.installation.repositories.entries
        seen = [each for each in entries if each.kind == kind and sees(_called(each))]
        return sorted(seen, key=lambda each: f"{each.project}/{each.url}")

    def _one(self, asker: Asker, url: str, project: str, action: str) -> Entry:
        """One that is not there and one that somebody may not see are the same to them."""
        meant = normalised(url)
        fitting = [each for each in self._seen(asker, _KIND) if normalised(each.url) == meant]
        if len(fitting) > 1 or project:
            fitting = [each for each in fitting if each.project == project]
        if not fitting or not self._desk.rights.may(asker, REPOSITORIES, action, _called(fitting[0])):
            raise denied()
        return fitting[0]

    def _template(self, url: str) -> Entry:
        meant = normalised(url)
        for each in self._desk.installation.repositories.entries:
            if each.kind == _TEMPLATE and normalised(each.url) == meant:
                return each
        raise NotFound(f"there are no credentials for {redacted(url)}")

    async def _check_answers(self, wanted: Repository) -> None:
        await self._states.check(lambda: self._desk.installation.repositories.completed(wanted))

    async def _put(self, asker: Asker, wanted: Repository, kind: Kind, *, upsert: bool) -> None:
        """Write it. One that is there with other values is replaced only with *upsert*."""
        secret = self._placed(secret_for(wanted, self._desk.namespace, kind), wanted, kind)
        target = Target(SECRETS, self._desk.namespace, secret["metadata"]["name"])
        errand = self._errand(asker, secret["metadata"]["name"], f"Register {redacted(wanted.url)}")
        self._states.forget(wanted.url, wanted.project)
        try:
            await self._desk.pen.create(target, secret, errand)
        except AlreadyExists:
            live = decode(await self._desk.client.get(target))
            if live.get("data") == secret["data"]:
                return
            if not upsert:
                raise InvalidInput("existing repository spec is different; use upsert flag to force update") from None
            labels = {**(live["metadata"].get("labels") or {}), **secret["metadata"]["labels"]}
            body = {**live, "metadata": {**live["metadata"], "labels": labels}, "data": secret["data"]}
            await self._desk.pen.update(target, body, errand)

    def _placed(self, secret: JsonObject, wanted: Repository, kind: Kind) -> JsonObject:
        """Under the name of the Secret that has the same address, whoever named it."""
        meant, project = normalised(wanted.url), wanted.project if kind == _KIND else ""
        for each in self._desk.installation.repositories.entries:
            if each.kind == kind and each.project == project and normalised(each.url) == meant:
                return {**secret, "metadata": {**secret["metadata"], "name": each.secret}}
        return secret

    async def _removed(self, asker: Asker, known: Entry) -> None:
        target = Target(SECRETS, self._desk.namespace, known.secret)
        live = decode(await self._desk.client.get(target, metadata_only=True))
        self._states.forget(known.url, known.project)
        errand = self._errand(asker, known.secret, f"Forget {redacted(known.url)}")
        await self._desk.pen.delete(target, live["metadata"]["uid"], errand)

    def _errand(self, asker: Asker, name: str, why: str) -> Errand:
        return Errand(asker=asker, ref=Ref("", "Secret", self._desk.namespace, name), why=why)


def _called(known: Entry) -> str:
    return scoped_name(known.project, known.url)


def _brief(wanted: Repository) -> JsonObject:
    said = {"repo": redacted(wanted.url), "type": wanted.type, "name": wanted.name}
    return {name: value for name, value in said.items() if value} | {"connectionState": {"status": "", "message": "", "attemptedAt": None}}  # fmt: skip


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="repositories", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
