"""Applications made, changed and deleted."""

from typing import Final

import msgspec

from plumbline.base.documents import load_json
from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput
from plumbline.base.json import Json, JsonObject, decode
from plumbline.delivery.asking.deletion import finalizers
from plumbline.kube.patch import json_patch, merge_patch
from plumbline.web.api.answers import Captured, answered, asked, object_of
from plumbline.web.api.applications.checking import Checker, Try, said
from plumbline.web.api.applications.finding import Finder, Found, Named
from plumbline.web.api.applications.shapes import complete
from plumbline.web.api.desk import Desk
from plumbline.web.api.parameters import switch, text
from plumbline.web.api.rights import APPLICATIONS, Asker
from plumbline.web.api.telling import CREATED, DELETED, UPDATED, Deed
from plumbline.web.api.writing import Errand
from plumbline.web.requests import Request, Response

_ATTEMPTS: Final = 10
_PARTS: Final = ("labels", "annotations", "finalizers")
_POLICIES: Final = frozenset({"", "foreground", "background"})


class Patch(msgspec.Struct, rename="camel"):
    patch: str = ""
    patch_type: str = ""
    app_namespace: str = ""
    project: str = ""


class Making:
    def __init__(self, desk: Desk, finder: Finder, tries: Try) -> None:
        self._desk = desk
        self._finder = finder
        self._checker = Checker(desk, finder, tries)

    async def create(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        upsert, validate = switch(request, "upsert", default=False), switch(request, "validate", default=True)
        body = await object_of(request)
        named = self._meant(body)
        app = said(body, named)
        called = self._finder.called(app["spec"]["project"], named.namespace, named.name)
        self._desk.rights.demand(asker, APPLICATIONS, "create", called)
        if not self._desk.installation.settings.applications_in(named.namespace):
            raise InvalidInput(f"namespace '{named.namespace}' is not permitted")
        current = await self._finder.present(named)
        self._checker.check(asker, app, named, current)
        if validate:
            await self._checker.try_out(app)
        errand = Errand(
            asker=asker,
            ref=named.ref,
            why=f"Create the application {named.name}",
            project=app["spec"]["project"],
            details={"upsert": upsert, "validate": validate},
            deed=Deed(CREATED, "created application"),
        )
        try:
            made = await self._desk.pen.create(named.target, app, errand)
        except AlreadyExists:
            return await self._brought(asker, named, app, upsert=upsert)
        return self._written(made)

    async def _brought(self, asker: Asker, named: Named, app: JsonObject, *, upsert: bool) -> Response:
        live = await self._finder.present(named)
        if live is None:
            raise Conflict(f"{named.name} is not created", why="somebody deletes it at the same time")
        same = live.get("spec") == app["spec"] and all(
            (live["metadata"].get(part) or None) == (app["metadata"].get(part) or None) for part in _PARTS
        )
        if same:
            return answered(complete(live))
        if not upsert:
            raise InvalidInput("existing application spec is different, use upsert flag to force update")
        called = self._finder.called(app["spec"]["project"], named.namespace, named.name)
        self._desk.rights.demand(asker, APPLICATIONS, "update", called)
        merged = dict(app["metadata"])
        for part in ("labels", "annotations"):
            merged[part] = {**(live["metadata"].get(part) or {}), **(app["metadata"].get(part) or {})}
        return self._written(await self._replaced(asker, named, {**app, "metadata": merged}))

    async def update(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        validate = switch(request, "validate", default=True)
        body = await object_of(request)
        at = (body.get("metadata") or {}).get("namespace") if isinstance(body.get("metadata"), dict) else ""
        named = self._finder.named(request, captured, {"appNamespace": at or ""})
        return self._written(await self._changed(asker, named, said(body, named), validate=validate))

    async def update_spec(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        validate = switch(request, "validate", default=True)
        spec = await object_of(request)
        named = self._finder.named(request, captured)
        found = await self._finder.found(asker, named, "update")
        app = said({**found.app, "spec": spec}, named)
        written = decode(await self._changed(asker, named, app, validate=validate))
        return answered(written["spec"])

    async def patch(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        wanted = await asked(request, Patch)
        body = {"appNamespace": wanted.app_namespace, "project": wanted.project}
        named = self._finder.named(request, captured, body)
        found = await self._finder.found(asker, named, "get")
        self._desk.rights.demand(asker, APPLICATIONS, "update", found.called)
        change: Json = load_json(wanted.patch, source="the patch").value
        match wanted.patch_type:
            case "" | "json":
                patched = json_patch(found.app, change)
            case "merge":
                patched = merge_patch(found.app, change)
            case other:
                raise InvalidInput(f"Patch type '{other}' is not supported", hint="Use json or merge.")
        if not isinstance(patched, dict) or _place(patched) != _place(found.app):
            raise InvalidInput("the patch is not applied", why="it makes another object of the application")
        return self._written(await self._changed(asker, named, said(patched, named)))

    async def delete(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        cascade, policy = switch(request, "cascade", default=True), text(request, "propagationPolicy").lower()
        found = await self._finder.found(asker, self._finder.named(request, captured), "get")
        self._desk.rights.demand(asker, APPLICATIONS, "delete", found.called)
        if not cascade and policy:
            raise InvalidInput("cannot set propagation policy when cascading is disabled")
        if policy not in _POLICIES:
            raise InvalidInput(f"invalid propagation policy: {policy}", hint="Use foreground or background.")
        await self._finalized(found, cascade=cascade, policy=policy)
        said_ = {"cascade": cascade, **({"propagationPolicy": policy} if policy else {})}
        why = f"Delete the application {found.named.name}{'' if cascade else ' and leave what it delivers'}"
        errand = _errand(found, why, said_, Deed(DELETED, "deleted application"))
        await self._desk.pen.delete(found.named.target, found.app["metadata"]["uid"], errand)
        return answered({})

    async def _finalized(self, found: Found, *, cascade: bool, policy: str) -> None:
        change = finalizers(found.app, cascade=cascade, policy=policy)
        if change is None or found.app["metadata"].get("deletionTimestamp"):
            return
        pinned = {"uid": found.app["metadata"]["uid"], "finalizers": change}
        why = "Say what becomes of what it delivers"
        await self._desk.pen.patch(found.named.target, {"metadata": pinned}, _errand(found, why, {}))

    async def _changed(self, asker: Asker, named: Named, app: JsonObject, *, validate: bool = True) -> bytes:
        """*asker* has the right to change what it is now and what it will be."""
        called = self._finder.called(app["spec"]["project"], named.namespace, named.name)
        self._desk.rights.demand(asker, APPLICATIONS, "update", called)
        found = await self._finder.found(asker, named, "update")
        self._checker.check(asker, app, named, found.app)
        if validate:
            await self._checker.try_out(app, found.app)
        return await self._replaced(asker, named, app)

    async def _replaced(self, asker: Asker, named: Named, app: JsonObject) -> bytes:
        """What people say about it is theirs; the rest stays as it is, whoever writes it meanwhile."""
        errand = Errand(
            asker=asker,
            ref=named.ref,
            why=f"Change the application {named.name}",
            project=app["spec"]["project"],
            deed=Deed(UPDATED, "updated application spec"),
        )
        for _ in range(_ATTEMPTS):
            live = await self._finder.present(named)
            if live is None:
                break
            kept = {part: value for part, value in live["metadata"].items() if part not in _PARTS}
            said_ = {part: app["metadata"][part] for part in _PARTS if app["metadata"].get(part)}
            body = {**live, "metadata": {**kept, **said_}, "spec": app["spec"]}
            try:
                return await self._desk.pen.update(named.target, body, errand)
            except Conflict:
                continue
        raise Conflict(f"{named.name} is not changed", why="somebody else keeps writing it")

    def _meant(self, body: JsonObject) -> Named:
        metadata = body.get("metadata") if isinstance(body.get("metadata"), dict) else {}
        name = str((metadata or {}).get("name") or "")
        if not name:
            raise InvalidInput("resource name may not be empty")
        return Named(str((metadata or {}).get("namespace") or self._desk.namespace), name)

    def _written(self, raw: bytes) -> Response:
        self._desk.board.learn(raw)
        return answered(complete(decode(raw)))


def _errand(found: Found, why: str, details: JsonObject, deed: Deed | None = None) -> Errand:
    labels = found.app["metadata"].get("labels") or {}
    return Errand(
        asker=found.asker,
        ref=found.named.ref,
        why=why,
        project=found.project_name,
        details=details,
        deed=deed,
        labels=labels,
    )


def _place(app: JsonObject) -> tuple[Json, ...]:
    metadata = app.get("metadata") or {}
    return app.get("apiVersion"), app.get("kind"), metadata.get("namespace"), metadata.get("name")
