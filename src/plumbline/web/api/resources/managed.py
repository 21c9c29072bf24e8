"""What Git asks for beside what is there: manifests, managed resources, differences, and what a sync would do."""

from typing import Final

from plumbline.base.json import JsonObject, encode
from plumbline.delivery.compare.difference import NO_ANSWERS
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.predicting import predicted
from plumbline.delivery.compare.text import differing
from plumbline.delivery.looks import Found, Wanted, bodies, hunks, manifests, plans
from plumbline.delivery.looks.showing import Sides, ref_of, shape_of, without_managers
from plumbline.kinds.application import ResourceStatus, SyncOperation
from plumbline.kube.names import Ref
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.parameters import switch, texts
from plumbline.web.api.resources.asking import Asked, Reception
from plumbline.web.api.resources.revisions import revisions_of
from plumbline.web.api.resources.uploads import Uploads
from plumbline.web.api.rights import APPLICATIONS
from plumbline.web.requests import Request, Response

_NONE: Final = "null"
_MOST_BYTES: Final = 2 << 20
"""Of all hunks together; of objects after that only what has changed is told."""
_MOST_ROWS: Final = 1_000
_FILTERS: Final = ("group", "kind", "namespace", "name")


class Managed:
    """Of what the application has in Git; where files at hand are sent along, of these."""

    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        self._uploads = Uploads(reception)

    async def manifests(self, request: Request, captured: Captured) -> Response:
        _, found = await self._found(request, captured, judged=False, by_hand=True)
        shown = [encode(each).decode() for each in manifests(found, live=False)]
        return answered({"manifests": shown} if shown else {})

    async def local(self, request: Request, captured: Captured) -> Response:
        """Ours: what files at hand ask for, as whoever may sync them hands it over for that."""
        asked = await self._reception.asked(request, captured, "override")
        self._reception.parts.desk.rights.demand(asked.found.asker, APPLICATIONS, "sync", asked.found.called)
        await self._reception.place(asked)
        async with self._uploads.folder(asked) as folder:
            target = await self._reception.rendering().target(Wanted(asked.app, folder=folder))
        return answered({"manifests": bodies(target)} if target.desired else {})

    async def resources(self, request: Request, captured: Captured) -> Response:
        asked, found = await self._found(request, captured, by_hand=True)
        sides = Sides(found)
        rows = [each for each in found.comparison.resources if not each.hook and _fits(each, asked.query)]
        items = [await _managed(found, each, sides) for each in rows]
        return answered({"items": items} if items else {})

    async def diff(self, request: Request, captured: Captured) -> Response:
        """Ours: per object, per line, whose each field is."""
        asked, found = await self._found(request, captured, by_hand=True)
        sides, left = Sides(found), _MOST_BYTES
        items: list[JsonObject] = []
        everything = switch(request, "all", default=False)
        for row in sorted(found.comparison.resources, key=ref_of):
            if row.hook or not _fits(row, asked.query) or (row.status == "Synced" and not everything):
                continue
            item = await _differing(found, row, sides)
            if left <= 0:
                item = {**item, "hunks": [], "truncated": True}
            left -= len(encode(item))
            items.append(item)
        return answered({"revisions": list(found.target.revisions), "status": found.comparison.status, "items": items})

    async def plan(self, request: Request, captured: Captured) -> Response:
        """Ours: what a sync would do, by waves."""
        _, found = await self._found(request, captured)
        policy = found.run.spec.sync_policy
        automated = policy.automated if policy is not None else None
        prunes = bool(automated is not None and automated.prune)
        asked = SyncOperation(
            prune=switch(request, "prune", default=prunes),
            sync_options=(*(policy.sync_options if policy is not None else ()), *texts(request, "syncOptions")),
        )
        desk = self._reception.parts.desk
        made = await plans.planned(found, asked, desk.clock.now(), self._reception.parts.scoped)
        return answered({"revisions": list(found.target.revisions), **plans.as_json(made, _MOST_ROWS)})

    async def _found(
        self, request: Request, captured: Captured, *, judged: bool = True, by_hand: bool = False
    ) -> tuple[Asked, Found]:
        """*judged* is whether how objects differ is of interest; *by_hand* whether what was synced by hand counts."""
        asked = await self._reception.asked(request, captured)
        await self._reception.place(asked)  # refuses where the application may not be at all
        fresh = switch(request, "noCache", default=False)
        by_server = switch(request, "serverSideDiff", default=False) if "serverSideDiff" in asked.query else None
        by_server = by_server if judged else False
        by_hand = by_hand and not switch(request, "fromGit", default=False)
        wanted = Wanted(asked.app, revisions_of(asked), fresh=fresh, server_side=by_server, by_hand=by_hand)
        if request.method == "GET":
            return asked, await self._reception.rendering().found(wanted)
        async with self._uploads.folder(asked) as folder:
            return asked, await self._reception.rendering().found(wanted._replace(folder=folder))


def _fits(row: ResourceStatus, query: dict[str, str]) -> bool:
    wanted = (query.get(name, "") for name in _FILTERS)
    return all(not each or each == said for each, said in zip(wanted, ref_of(row), strict=True))


async def _managed(found: Found, row: ResourceStatus, sides: Sides) -> JsonObject:
    """Argo CD's `ResourceDiff`, whose states are JSON in text."""
    ref = ref_of(row)
    desired, live = sides(ref)
    sensitive = found.at.rules.options.sensitive_annotations
    target, present = masked(desired, live, sensitive)
    foretold = sides.foretold(ref)
    if foretold is not None:
        changed = masked(*foretold, sensitive)[0]
    else:
        changed = await _predicted(found, row, (desired, live), (target, present))
    observed = found.comparison.observed.get(ref)
    said = {
        **_named(ref),
        "targetState": _state(target),
        "liveState": _state(present),
        "normalizedLiveState": _state(present),
        "predictedLiveState": _state(changed),
        "resourceVersion": observed.live.meta.resource_version if observed is not None else "",
        "modified": row.status != "Synced" and target is not None,
    }
    return {name: value for name, value in said.items() if value}


async def _predicted(
    found: Found,
    row: ResourceStatus,
    sides: tuple[JsonObject | None, JsonObject | None],
    shown: tuple[JsonObject | None, JsonObject | None],
) -> JsonObject | None:
    """The live object once the target is applied; all of it masked."""
    (desired, live), (target, present) = sides, shown
    if desired is None or live is None or target is None or present is None:
        return target
    shape = await shape_of(found, row)
    compared = found.comparison.compared.get(ref_of(row))
    answers = compared.answers if compared is not None else NO_ANSWERS
    changes = differing(desired, live, shape, found.at.rules, answers, foretold=False)
    made: JsonObject = predicted(present, target, [each.elements for each in changes], shape) if changes else present
    return made


def _state(obj: JsonObject | None) -> str:
    return encode(without_managers(obj)).decode() if obj is not None else _NONE


def _named(ref: Ref) -> JsonObject:
    return {name: value for name, value in zip(_FILTERS, ref, strict=True) if value}


async def _differing(found: Found, row: ResourceStatus, sides: Sides) -> JsonObject:
    ref = ref_of(row)
    foretold = sides.foretold(ref)
    desired, live = foretold or sides(ref)
    compared = found.comparison.compared.get(ref)
    answers = compared.answers if compared is not None else NO_ANSWERS
    shape, rules = await shape_of(found, row), found.at.rules
    told = hunks.hunks_of(desired, live, shape, rules, answers, foretold=foretold is not None)
    state = "Missing" if live is None else "Extra" if desired is None else row.status
    return {**_named(ref), "version": row.version, "state": state, **hunks.as_json(told)}
