"""Objects in the namespace of an application that are nobody's, looked for here."""

import asyncio
from typing import Final

import click

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, UnknownKind
from plumbline.base.glob import glob_matches
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.cli.applications.drawing import destination_of
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.cli.terminal import plain
from plumbline.composition.tracing.branches import Unlisted
from plumbline.composition.tracing.causes import passed_over
from plumbline.delivery.asking.operations import project_of
from plumbline.delivery.compare.rollup import Candidate, orphaned
from plumbline.delivery.settings.reading import CONTROL_PLANE, PARAMETERS, SettingsReader, Sources
from plumbline.kinds.appproject import APP_PROJECT, AppProjectSpec
from plumbline.kinds.read import read
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import Ref
from plumbline.ownership.learn.facts import read_facts
from plumbline.ownership.learn.tracking import Tracking, tracked

_UNINTERESTING: Final = frozenset({"events", "leases", "endpoints", "endpointslices"})
_AT_ONCE: Final = 16


async def orphans_of(apps: Applications, app: JsonObject) -> tuple[Ref, ...]:
    namespace = str(destination_of(app).get("namespace") or "")
    project = await _project(apps, app)
    if project is None or project.orphaned_resources is None or not namespace:
        return ()
    tracking = await _tracking(apps)
    candidates = await _candidates(apps.client, namespace, tracking)
    managed = [Ref(*(str(each.get(part) or "") for part in ("group", "kind", "namespace", "name"))) for each in (app.get("status") or {}).get("resources") or []]  # fmt: skip
    known = {str(AppName.of(each)) for each in await apps.listed()}
    rules = project.orphaned_resources.ignore

    def ignored(ref: Ref) -> bool:
        return any(
            each.group == ref.group
            and glob_matches(each.kind or "*", ref.kind)
            and glob_matches(each.name or "*", ref.name)
            for each in rules
        )

    return orphaned(candidates, managed, known.__contains__, lambda _: True, ignored)


async def _project(apps: Applications, app: JsonObject) -> AppProjectSpec | None:
    try:
        found = await apps.client.get(Target(APP_PROJECT.resource, apps.namespace, project_of(app)))
        return read(APP_PROJECT, decode(found)).spec
    except (NotFound, InvalidInput):
        return None


async def _tracking(apps: Applications) -> Tracking:
    sources = Sources(await apps.config_map(CONTROL_PLANE), await apps.config_map(PARAMETERS), None, None)
    return SettingsReader(apps.namespace).read(sources, lambda *_: None).tracking


async def _candidates(client: Client, namespace: str, tracking: Tracking) -> list[Candidate]:
    catalog = await client.discovery.catalog()
    kinds = {
        each.gvk.group_kind: each
        for each in reversed(catalog.resources)
        if each.namespaced and {"list", "watch"} <= each.verbs and each.name not in _UNINTERESTING
    }
    turns = asyncio.Semaphore(_AT_ONCE)
    async with task_group() as group:
        asked = [group.create_task(_listed(client, each, namespace, tracking, turns)) for each in kinds.values()]
    listed = [each.result() for each in asked]
    unseen = passed_over((each for each in listed if isinstance(each, Unlisted)), "There may be more orphans")
    if unseen:
        click.echo(plain(unseen), err=True)
    return [candidate for each in listed if not isinstance(each, Unlisted) for candidate in each]


async def _listed(
    client: Client, resource: Resource, namespace: str, tracking: Tracking, turns: asyncio.Semaphore
) -> list[Candidate] | Unlisted:
    async with turns:
        try:
            page = await client.list(resource.target(namespace), Selection(metadata_only=True))
        except (NotFound, UnknownKind):
            return []  # a kind that has gone has no objects
        except PlumblineError as error:
            return Unlisted(resource.kind, error.why or error.what)
    found: list[Candidate] = []
    for item in page.items:
        facts = read_facts(item, resource.gvk.group_kind)
        claims = tracked(facts, tracking)
        owner = claims[0].owner.ref if claims else None
        instance = f"{owner.namespace}/{owner.name}" if owner is not None else ""
        found.append(Candidate(facts.object.ref, bool(facts.owners), instance))
    return found
