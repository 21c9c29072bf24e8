"""Operations: a sync, a rollback, and the end of either. What is written is what `plumb app` writes."""

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Final

import msgspec

from plumbline.access.policy import access_settings
from plumbline.access.policy.requests import rollback_action
from plumbline.base.errors import Conflict, Forbidden, InvalidInput, NotFound, WrongState
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.asking.operations import (
    Asked,
    automated,
    begun,
    ended,
    entry,
    pin,
    revisions_for,
    rollback,
    sync,
    until,
)
from plumbline.delivery.facts import sources_of
from plumbline.delivery.projects.windows import allowed, matching
from plumbline.delivery.settings.reading import CONTROL_PLANE
from plumbline.delivery.status import REFRESH
from plumbline.delivery.steps.handed import UNSIGNED, wants_signatures
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.read import read
from plumbline.web.api.answers import Captured, answered, asked
from plumbline.web.api.applications.finding import Finder, Found
from plumbline.web.api.applications.shapes import complete
from plumbline.web.api.desk import Desk
from plumbline.web.api.rights import APPLICATIONS
from plumbline.web.api.telling import STARTED, UPDATED, Deed
from plumbline.web.api.writing import Errand
from plumbline.web.requests import Request, Response

_ATTEMPTS: Final = 10
_HELD: Final = "24h"
_REPLACE: Final = frozenset({"Replace=true", "Force=true,Replace=true"})
_HEAD: Final = "HEAD"


class Options(msgspec.Struct):
    items: list[str] | None = None


class Sync(msgspec.Struct, rename="camel"):
    app_namespace: str = ""
    project: str = ""
    revision: str = ""
    revisions: list[str] = []
    source_positions: list[int] = []
    dry_run: bool = False
    prune: bool = False
    strategy: dict[str, dict[str, bool] | None] | None = None
    resources: list[dict[str, str]] | None = None
    manifests: list[str] | None = None
    infos: list[dict[str, str]] | None = None
    retry_strategy: JsonObject | None = None
    sync_options: Options | None = None

    @property
    def details(self) -> JsonObject:
        """For the journal: with which options, and of local manifests how many."""
        said: JsonObject = {
            "revision": self.revision,
            "revisions": self.revisions,
            "dryRun": self.dry_run,
            "prune": self.prune,
            "syncOptions": self.sync_options.items if self.sync_options else None,
            "resources": len(self.resources or ()),
            "manifests": len(self.manifests or ()),
        }
        return {name: value for name, value in said.items() if value}


class Rollback(msgspec.Struct, rename="camel"):
    id: int = 0
    dry_run: bool = False
    prune: bool = False
    app_namespace: str = ""
    project: str = ""
    held_for: str = _HELD
    """How long an automated application stays there; empty for until somebody takes the pin away."""


class Syncing:
    def __init__(self, desk: Desk, finder: Finder) -> None:
        self._desk = desk
        self._finder = finder

    async def sync(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        wanted = await asked(request, Sync)
        named = self._finder.named(request, captured, _whereabouts(wanted.app_namespace, wanted.project))
        found = await self._finder.found(asker, named, "get")
        self._check_window(found)
        self._desk.rights.demand(asker, APPLICATIONS, "sync", found.called)
        meant = self._meant(found, wanted)
        operation = sync(found.app, meant, asker.username or asker.name)
        partly = "partial " if wanted.resources else ""
        why = f"Begin a {partly}sync of {named.name}{' from manifests at hand' if wanted.manifests else ''}"
        to = "locally" if wanted.manifests is not None else f"to {_shown(found.app, meant)}"
        errand = _errand(found, why, wanted.details, Deed(STARTED, f"initiated {partly}sync {to}"))
        # What was pushed a moment ago is meant as well, whether or not anybody has heard of it yet.
        return await self._begin(found, operation, {REFRESH: "normal"}, errand)

    def _meant(self, found: Found, wanted: Sync) -> Asked:
        app = found.app
        if wanted.manifests is not None:
            self._check_local(found, wanted)
        if app["metadata"].get("deletionTimestamp"):
            raise WrongState("application is deleting")
        revisions = self._revisions(found, wanted)
        options = wanted.sync_options.items or [] if wanted.sync_options is not None else None
        own = ((app.get("spec") or {}).get("syncPolicy") or {}).get("syncOptions") or []
        if not self._desk.installation.settings.replace_allowed and not _REPLACE.isdisjoint(
            own if options is None else options
        ):
            raise WrongState("sync with replace was disabled on the API Server level via the server configuration")
        return Asked(
            prune=wanted.prune,
            dry_run=wanted.dry_run,
            strategy=_strategy(wanted.strategy),
            options=options,
            revision="" if (app.get("spec") or {}).get("sources") else wanted.revision,
            revisions=revisions,
            resources=[dict(each) for each in wanted.resources or ()],
            manifests=wanted.manifests or (),
            infos=[dict(each) for each in wanted.infos or ()],
            retry=wanted.retry_strategy,
        )

    def _check_local(self, found: Found, wanted: Sync) -> None:
        """Manifests that are in no repository pass by whoever reviews: that takes a right of its own."""
        self._desk.rights.demand(found.asker, APPLICATIONS, "override", found.called)
        if automated(found.app) and not wanted.dry_run:
            raise WrongState("cannot use local sync when Automatic Sync Policy is enabled unless for dry run")
        if wants_signatures(found.project, sources_of(read(APPLICATION, found.app).spec)):
            raise WrongState(UNSIGNED)

    def _revisions(self, found: Found, wanted: Sync) -> tuple[str, ...]:
        """One for each of several sources. Another than the spec's takes the right to override, where that is set."""
        several = (found.app.get("spec") or {}).get("sources")
        if several:
            if len(wanted.revisions) != len(wanted.source_positions):
                raise InvalidInput("revisions and sourcePositions do not fit", why="there is not one for each")
            chosen = revisions_for(found.app, "", wanted.revisions, wanted.source_positions)
        else:
            chosen = (wanted.revision,)
        for revision, source in zip(chosen, _sources(found.app), strict=False):
            own = str(source.get("targetRevision") or "")
            if not revision or revision == (own or _HEAD):
                continue
            if self._desk.installation.settings.revision_needs_override:
                self._desk.rights.demand(found.asker, APPLICATIONS, "override", found.called)
            if automated(found.app) and not wanted.dry_run:
                raise WrongState(f"Cannot sync to {revision}: auto-sync currently set to {own}")
        return chosen if several else ()

    def _check_window(self, found: Found) -> None:
        destination = read(APPLICATION, found.app).spec.destination
        windows = matching(found.project.spec.sync_windows, found.named.name, destination)
        try:
            open_ = allowed(windows, manual=True, now=self._desk.clock.now())
        except InvalidInput as fault:
            raise Forbidden(f"cannot sync: invalid sync window: {fault.what}") from fault
        if not open_:
            raise Forbidden("cannot sync: blocked by sync window")

    async def rollback(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        wanted = await asked(request, Rollback)
        named = self._finder.named(request, captured, _whereabouts(wanted.app_namespace, wanted.project))
        found = await self._finder.found(asker, named, self._rollback_action())
        if found.app["metadata"].get("deletionTimestamp"):
            raise WrongState("application is deleting")
        try:
            past = entry(found.app, wanted.id)
        except NotFound:
            raise InvalidInput(f"application {named.name} does not have deployment with id {wanted.id}") from None
        username = asker.username or asker.name
        operation = rollback(found.app, past, prune=wanted.prune, username=username, dry_run=wanted.dry_run)
        noted = {} if wanted.dry_run else pin(found.app, past, until(self._desk.clock.now(), wanted.held_for))
        details = {"id": wanted.id, "prune": wanted.prune, "dryRun": wanted.dry_run}
        deed = Deed(STARTED, f"initiated rollback to {wanted.id}")
        errand = _errand(found, f"Begin a rollback of {named.name} to {wanted.id}", details, deed)
        return await self._begin(found, operation, noted, errand)

    def _rollback_action(self) -> str:
        config = self._desk.installation.config_map(CONTROL_PLANE) or {}
        entries: Mapping[str, str] = config.get("data") or {}
        return rollback_action(access_settings(entries))

    async def terminate(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        found = await self._finder.found(asker, self._finder.named(request, captured), "sync")
        deed = Deed(UPDATED, "terminated running operation")
        errand = _errand(found, f"End the operation of {found.named.name}", {}, deed)
        await self._written(found, ended, errand)
        return answered({})

    async def _begin(self, found: Found, operation: JsonObject, noted: JsonObject, errand: Errand) -> Response:
        def change(app: JsonObject) -> JsonObject:
            try:
                return begun(app, operation, noted)
            except Conflict as other:
                raise WrongState(other.why) from None

        written = await self._written(found, change, errand)
        return answered(complete(decode(written)))

    async def _written(self, found: Found, change: Callable[[JsonObject], JsonObject], errand: Errand) -> bytes:
        """*change* of the version at hand, and of the next where somebody else wrote first."""
        app: JsonObject | None = found.app
        for _ in range(_ATTEMPTS):
            if app is None or app["metadata"].get("uid") != found.app["metadata"].get("uid"):
                break
            try:
                raw = await self._desk.pen.patch(found.named.target, change(app), errand)
            except Conflict:
                app = await self._finder.present(found.named)
                continue
            self._desk.board.learn(raw)
            return raw
        raise Conflict(f"{found.named.name} is not changed", why="somebody else keeps writing it")


def _whereabouts(namespace: str, project: str) -> JsonObject:
    return {"appNamespace": namespace, "project": project}


def _errand(found: Found, why: str, details: JsonObject, deed: Deed) -> Errand:
    return Errand(
        asker=found.asker, ref=found.named.ref, why=why, project=found.project_name, details=details, deed=deed
    )


def _shown(app: JsonObject, meant: Asked) -> str:
    """Which revisions a sync is to, for people: one for each source."""
    chosen = meant.revisions or (meant.revision,)
    own = (str(each.get("targetRevision") or "") or _HEAD for each in _sources(app))
    return ",".join(revision or usual for revision, usual in zip_longest(chosen, own, fillvalue=""))


def _sources(app: JsonObject) -> list[JsonObject]:
    spec = app.get("spec") or {}
    return list(spec.get("sources") or filter(None, (spec.get("source"),)))


def _strategy(said: Mapping[str, Mapping[str, bool] | None] | None) -> JsonObject | None:
    """Only what there is: `apply` or `hook`, each with `force`."""
    for name in ("apply", "hook"):
        if said is not None and said.get(name) is not None:
            return {name: {"force": True} if (said[name] or {}).get("force") else {}}
    return None
