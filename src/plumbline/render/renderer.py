"""One door to all tools: what was rendered before is not rendered again, and what is under way only once."""

import asyncio
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, Refused, ToolMissing
from plumbline.base.limits import MIB
from plumbline.render.detection import explicit_type, prepared
from plumbline.render.kept import Kept
from plumbline.render.keys import key_of
from plumbline.render.manifests import manifests
from plumbline.render.places import Places
from plumbline.render.requests import Rendered, Request, SourceType
from plumbline.render.tool import Discovering, Output, Tool
from plumbline.render.waiting import Waiting

_BOOKKEEPING_BYTES: Final = 256
"""For each object beside its body."""
_ERROR_BYTES: Final = 4096
_INLINE_OBJECTS: Final = 1000
"""More than so many are encoded outside of the loop."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    heavy: int = 2
    """Renders at a time that take a core each."""
    slow: int = 4
    """Beside those, that take longer than *patience_s*: they wait more than they work, or will never end."""
    patience_s: float = 5.0
    kept_bytes: int = 256 * MIB
    refused_s: float = 600.0
    """For how long the same broken files are not looked at again: what is wrong with them stays wrong."""
    failed_s: float = 10.0
    """The same where trying again may help."""


_BOUNDS: Final = Bounds()


class Counts(msgspec.Struct):
    """What happened so far."""

    renders: int = 0
    """Tools that were started."""
    hits: int = 0
    """Answers from before, errors included."""
    joined: int = 0
    """Answers that somebody else was waiting for already."""
    failures: int = 0


class _Failure(NamedTuple):
    error: PlumblineError
    until_s: float


class _UnderWay:
    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.outcome: Rendered | PlumblineError | None = None
        """None where whoever rendered was cancelled: then the next in line does it."""


class Renderer:
    """Renders requests with *tools*, one for each type that can be rendered here."""

    def __init__(
        self,
        tools: Mapping[SourceType, Tool],
        clock: Clock,
        bounds: Bounds = _BOUNDS,
        discovering: Discovering | None = None,
    ) -> None:
        """*discovering* finds the plugin that wants a source; there are no such plugins if it is None."""
        self.counts = Counts()
        self.waiting = Waiting()
        self._discovering = discovering
        self._tools = tools
        self._clock = clock
        self._bounds = bounds
        self._places = Places(bounds.heavy, bounds.slow, bounds.patience_s, self.waiting.waited)
        self._kept: Kept[str, Rendered | _Failure] = Kept(bounds.kept_bytes)
        self._under_way: dict[str, _UnderWay] = {}

    def key(self, request: Request) -> str:
        """What the output depends on, in one text. Raises what stands in the way of any output at all."""
        return self._looked_up(request)[1]

    async def claimed(self, request: Request) -> Request:
        """*request* with the plugin that wants it, where the source does not say how it is rendered."""
        if self._discovering is None:
            return request
        ready, _ = prepared(request)
        plugin = ready.source.plugin
        if explicit_type(ready.source) is None or (plugin is not None and not plugin.name):
            return msgspec.structs.replace(request, claimed=await self._discovering.wanting(ready))
        return request

    async def render(self, request: Request) -> Rendered:
        """The objects, or the error that keeps them from being made."""
        ready, key, source_type = self._looked_up(request)
        while True:
            known = self._known(key)
            if known is not None:
                self.counts.hits += 1
                return _given(known)
            under_way = self._under_way.get(key)
            if under_way is None:
                return _given(await self._fresh(ready, key, source_type))
            await under_way.ended.wait()
            if under_way.outcome is not None:
                self.counts.joined += 1
                return _given(under_way.outcome)

    def forget(self, key: str) -> None:
        """Render it anew when it is next asked for, as a hard refresh wants. What is under way began before that."""
        self._kept.drop(key)
        self._under_way.pop(key, None)

    def _looked_up(self, request: Request) -> tuple[Request, str, SourceType]:
        ready, source_type = prepared(request)
        return ready, key_of(source_type, self._tool(source_type).inputs(ready)), source_type

    def _tool(self, source_type: SourceType) -> Tool:
        tool = self._tools.get(source_type)
        if tool is None:
            raise ToolMissing(
                f"Cannot render a source of type {source_type}",
                why="nothing here renders such sources",
                hint="Start with --plugins and the folder of plugins." if source_type == "Plugin" else "",
            )
        return tool

    def _known(self, key: str) -> Rendered | PlumblineError | None:
        known = self._kept.get(key)
        if not isinstance(known, _Failure):
            return known
        if self._clock.monotonic() < known.until_s:
            return known.error
        self._kept.drop(key)
        return None

    async def _fresh(self, request: Request, key: str, source_type: SourceType) -> Rendered | PlumblineError:
        under_way = self._under_way[key] = _UnderWay()
        try:
            with self.waiting.render(request.source.repo_url):
                under_way.outcome = await self._rendered(request, key, source_type)
            if self._under_way.get(key) is under_way:
                self._keep(key, under_way.outcome)
            return under_way.outcome
        finally:
            if self._under_way.get(key) is under_way:
                del self._under_way[key]
            under_way.ended.set()

    async def _rendered(self, request: Request, key: str, source_type: SourceType) -> Rendered | PlumblineError:
        tool = self._tool(source_type)
        try:
            output = await self._output(tool, request)
            return await _finished(_discreet(output, request), key, source_type)
        except PlumblineError as error:
            return error if request.values is None else request.values.discreet(error)

    async def _output(self, tool: Tool, request: Request) -> Output:
        async def made() -> Output:
            self.counts.renders += 1
            return await tool.render(request)

        if not tool.heavy:
            return await made()
        return await self._places.run(request.whose, made, party=request.app.project)

    def _keep(self, key: str, outcome: Rendered | PlumblineError) -> None:
        if isinstance(outcome, Rendered):
            bodies = sum(len(each.body) for each in outcome.manifests)
            self._kept.put(key, outcome, bodies + _BOOKKEEPING_BYTES * (len(outcome.manifests) + 1))
            return
        self.counts.failures += 1
        kept_s = self._bounds.refused_s if isinstance(outcome, Refused) else self._bounds.failed_s
        self._kept.put(key, _Failure(outcome, self._clock.monotonic() + kept_s), _ERROR_BYTES)


def _discreet(output: Output, request: Request) -> Output:
    """*output* whose warnings tell nothing that is secret."""
    if request.values is None or not output.warnings:
        return output
    return output._replace(warnings=tuple(map(request.values.masked, output.warnings)))


async def _finished(output: Output, key: str, source_type: SourceType) -> Rendered:
    if len(output.found) <= _INLINE_OBJECTS:
        encoded = manifests(output.found)
    else:
        encoded = await asyncio.to_thread(manifests, output.found)
    return Rendered(source_type, encoded, key, output.warnings)


def _given(outcome: Rendered | PlumblineError) -> Rendered:
    if isinstance(outcome, PlumblineError):
        # It was raised before, to others: what led there is no part of how it comes to this caller.
        raise outcome.with_traceback(None)
    return outcome
