"""Applications of one installation, read and written through the Kubernetes API."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from difflib import get_close_matches
from typing import Final

import click

from plumbline.base.errors import Conflict, Forbidden, NotFound, PlumblineError, TimedOut
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.seams import Behind
from plumbline.delivery.asking.operations import begun, ended, project_of
from plumbline.delivery.settings.reading import PARAMETERS
from plumbline.delivery.status import REFRESH
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Selection, Synced, Target, WatchEvent, Writing
from plumbline.kube.names import GroupVersionResource

CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
AS_PERSON: Final = Writing(field_manager="plumb")
_ATTEMPTS: Final = 10
_PAUSE_S: Final = 0.05
_LIST: Final = "See which there are with: plumb app list."
_HIDDEN: Final = "permission denied"
"""All that a server says of what it does not show, be it there or not."""
_NAMESPACES: Final = "application.namespaces"


class Applications:
    """*namespace* is the installation's; *looking* is how to see what is behind them."""

    def __init__(self, client: Client, namespace: str, looking: "Callable[[Applications], Behind]") -> None:
        self.client = client
        self.namespace = namespace
        self.behind = looking(self)

    def named(self, text: str, app_namespace: str = "") -> AppName:
        return AppName.parse(text, app_namespace or self.namespace)

    async def get(self, name: AppName) -> JsonObject:
        try:
            return decode(await self.client.get(name.target))
        except NotFound as gone:
            raise NotFound(f"there is no application {name}", hint=await self._meant(name)) from gone
        except Forbidden as hidden:
            if hidden.why != _HIDDEN:
                raise
            raise Forbidden(
                f"there is no application {name} that you may see", hint=await self._meant(name)
            ) from hidden

    async def _meant(self, name: AppName) -> str:
        """What somebody may have meant by a name that there is not."""
        try:
            page = await self.client.list(name.target.collection, Selection(metadata_only=True))
        except PlumblineError:
            return _LIST
        known = [AppName.of(decode(bytes(each))).name for each in page.items]
        close = get_close_matches(name.name, known, 1)
        return f"Did you mean {close[0]}?" if close else _LIST

    async def listed(self, *, app_namespace: str = "", selector: str = "") -> list[JsonObject]:
        """All in one namespace, or in all that this installation looks at; sorted by name."""
        selection = Selection(labels=selector)
        if app_namespace:
            found = await self._collected(app_namespace, selection)
        else:
            found = await self._everywhere(selection)
        return sorted(found, key=AppName.of)

    async def _everywhere(self, selection: Selection) -> list[JsonObject]:
        from plumbline.delivery.settings.namespaces import listed  # noqa: PLC0415 - only where others are asked for

        others = await self._other_namespaces()
        if not others:
            return await self._collected(self.namespace, selection)
        try:
            found = await self._collected("", selection)
        except Forbidden as refused:
            why = refused.why or refused.what
            click.echo(f"Applications in other namespaces than {self.namespace} are left out: {why}.", err=True)
            return await self._collected(self.namespace, selection)
        return [app for app in found if (at := AppName.of(app).namespace) == self.namespace or listed(at, others)]

    async def _other_namespaces(self) -> tuple[str, ...]:
        config = await self.config_map(PARAMETERS)
        said = str(((config or {}).get("data") or {}).get(_NAMESPACES) or "")
        return tuple(each.strip() for each in said.split(",") if each.strip())

    async def config_map(self, name: str) -> JsonObject | None:
        try:
            return decode(await self.client.get(Target(CONFIG_MAPS, self.namespace, name)))
        except (NotFound, Forbidden):
            return None

    async def _collected(self, namespace: str, selection: Selection) -> list[JsonObject]:
        page = await self.client.list(Target(APPLICATION.resource, namespace), selection)
        return [decode(item) for item in page.items]

    async def chosen(
        self, texts: Sequence[str], *, app_namespace: str = "", selector: str = "", projects: Iterable[str] = ()
    ) -> list[AppName]:
        """Those that are named, and those that the selector and the projects choose; NotFound where they choose none."""
        names = [self.named(text, app_namespace) for text in texts]
        wanted = frozenset(projects)
        if not selector and not wanted:
            return names
        found = await self.listed(app_namespace=app_namespace, selector=selector)
        fitting = [AppName.of(app) for app in found if not wanted or project_of(app) in wanted]
        if not fitting:
            asked = [f"selector {selector}"] if selector else []
            asked += [f"projects [{' '.join(sorted(wanted))}]"] if wanted else []
            raise NotFound(f"No matching apps found for filter: {' '.join(asked)}")
        return list(dict.fromkeys((*names, *fitting)))

    async def patch(self, name: AppName, change: JsonObject, kind: str = "merge") -> JsonObject:
        return decode(await self.client.patch(name.target, encode(change), kind, AS_PERSON))

    async def operate(self, name: AppName, operation: JsonObject, annotations: JsonObject | None = None) -> JsonObject:
        """Ask for *operation*, unless one is under way; the annotations are written in the same moment."""
        for attempt in range(_ATTEMPTS):
            change = begun(await self.get(name), operation, annotations)
            try:
                return await self.patch(name, change)
            except Conflict:
                await asyncio.sleep(_PAUSE_S * attempt)  # a controller that is at it has more to write
        raise Conflict(f"{name} is not synced", why="somebody else keeps writing it")

    async def terminate(self, name: AppName) -> None:
        for attempt in range(_ATTEMPTS):
            change = ended(await self.get(name))
            try:
                await self.patch(name, change)
            except Conflict:
                await asyncio.sleep(_PAUSE_S * attempt)
                continue
            return
        raise Conflict(f"the operation of {name} is not ended", why="somebody else keeps writing it")

    async def refreshed(self, name: AppName, *, hard: bool, within_s: float) -> JsonObject:
        """The application once somebody has looked at it anew; TimedOut where nobody does."""
        await self.patch(name, {"metadata": {"annotations": {REFRESH: "hard" if hard else "normal"}}})
        try:
            async with asyncio.timeout(within_s or None), aclosing(self.follow(name)) as changes:
                async for app in changes:
                    if app is None:
                        raise NotFound(f"the application {name} was deleted meanwhile")
                    if REFRESH not in (app["metadata"].get("annotations") or {}):
                        return app
        except TimeoutError as late:
            raise TimedOut(
                f"nobody refreshed {name} within {within_s:g} s",
                hint="Check that `plumb run` or `plumb up` runs for this cluster.",
            ) from late
        raise TimedOut(f"nobody refreshed {name}")  # pragma: no cover - it is followed for ever

    async def follow(self, name: AppName) -> AsyncGenerator[JsonObject | None, None]:
        """The application as it is and after every change; None once it is gone."""
        selection = Selection(fields=f"metadata.name={name.name}")
        async with aclosing(self.client.follow(name.target.collection, selection)) as events:
            async for event in events:
                if isinstance(event, Synced):
                    if (name.namespace, name.name) not in event.present:
                        yield None
                elif isinstance(event, WatchEvent) and event.key == (name.namespace, name.name):
                    yield None if event.type == "DELETED" else decode(event.raw)
