"""What is known of one repository in a registry: which tags there are, and what those that somebody uses name."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound
from plumbline.base.versions import best
from plumbline.source.charts.digests import is_digest
from plumbline.source.charts.index import NEWEST, matching
from plumbline.source.charts.lines import Lines
from plumbline.source.charts.metrics import OciMetrics
from plumbline.source.charts.registry import Registry, is_tag
from plumbline.source.charts.store import Store, kept_at
from plumbline.source.charts.values import Moved
from plumbline.source.charts.wire import Line
from plumbline.source.followed import RECENT_S, Answer
from plumbline.source.repository import Repository
from plumbline.source.urls import redacted

_WISHES: Final = 64
_ANSWERS: Final = 1024


class Tools(NamedTuple):
    """What all of them have in common."""

    lines: Lines
    store: Store
    clock: Clock
    tell: Callable[[Moved], None]
    metrics: OciMetrics


class Place(NamedTuple):
    base: str
    """The address that Applications name, as `urls.mirror_key` has it."""
    chart: str
    """Empty for what the address names without one."""
    what: str
    """Fails where it cannot be read."""


class OciRemote:
    """Follows the references that somebody wished for lately, and the list of tags once somebody needed it."""

    def __init__(self, place: Place, registry: Registry, tools: Tools) -> None:
        self.base = place.base
        self.registry = registry
        self.repo = redacted(registry.url)
        """As metrics call it."""
        self._place = place
        self._tools = tools
        self._wishes: dict[str, None] = {}
        self._digests: dict[str, str] = {}
        self._absent: dict[str, float] = {}
        """References that are not there, and until when that is believed."""
        self._tags: tuple[str, ...] | None = None
        self._listing = False
        self._answers: dict[tuple[str, bool], str | None] = {}

    @property
    def kept_as(self) -> str:
        """Whose contents on disk are: those of this repository of the registry."""
        return self.registry.url

    @property
    def known(self) -> int:
        return int(bool(self._digests or self._tags))

    async def open(self) -> None:
        """Nothing of it is kept: what a tag names has to be asked for."""

    def wish(self, reference: str) -> None:
        """Follow a tag or digest from now on."""
        self._wishes.pop(reference, None)
        self._wishes[reference] = None
        while len(self._wishes) > _WISHES:
            oldest = next(iter(self._wishes))
            del self._wishes[oldest]
            self._digests.pop(oldest, None)

    def wish_for_tags(self) -> None:
        self._listing = True

    def absent(self, reference: str) -> bool:
        """Whether it was asked for just now, and is not there."""
        return self._absent.get(reference, float("-inf")) > self._tools.clock.monotonic()

    def settled(self, reference: str) -> bool:
        """Whether it is known what it names, or that it names nothing."""
        return reference in self._digests or self.absent(reference)

    def listed(self) -> bool:
        return self._tags is not None

    def has(self, tag: str) -> bool:
        return tag in (self._tags or ())

    def digest(self, reference: str) -> str:
        """What a reference names; empty where there is no such."""
        return self._digests.get(reference, "")

    def resolved(self, revision: str, *, as_helm: bool) -> str | None:
        """The version that a revision means: as Argo CD resolves it, or as Helm looks for it."""
        key = (revision, as_helm)
        if key not in self._answers:
            if len(self._answers) >= _ANSWERS:
                self._answers.clear()
            versions = [tag.replace("_", "+") for tag in self._tags or ()]
            find = matching if as_helm else best
            self._answers[key] = find(revision or NEWEST, versions)
        return self._answers[key]

    def line(self, repository: Repository) -> AbstractAsyncContextManager[Line]:
        """To the registry."""
        return self._tools.lines.line(repository, self.registry.base, self._place.what)

    async def ask(self, repository: Repository, *, trusted: bool) -> Answer:
        async with self.line(repository) as line:
            return await self._ask(line, everything=True, trusted=trusted)

    async def ask_missing(self, repository: Repository, *, trusted: bool) -> Answer:
        """Ask for no more than what is wished for and not known."""
        async with self.line(repository) as line:
            return await self._ask(line, everything=False, trusted=trusted)

    async def tend(self) -> None:
        """Nothing of it is kept."""

    async def leave(self) -> None:
        """Nothing of it is kept but what was counted."""
        self._tools.metrics.forget(self.repo)

    async def _ask(self, line: Line, *, everything: bool, trusted: bool) -> Answer:
        proof = moved = False
        if self._listing and (everything or self._tags is None):
            before = self._tags
            proof = await self._list(line, trusted=trusted)
            moved = before is not None and before != self._tags
        for reference in self._due(everything=everything, proof=proof):
            known = self.digest(reference)
            proof = await self._look(line, reference, trusted=trusted) or proof
            moved = moved or (bool(known) and known != self.digest(reference))
        if not moved:
            return Answer(proof)
        return Answer(proof, partial(self._tools.tell, Moved(self.base, frozenset({self._place.chart}))))

    def _due(self, *, everything: bool, proof: bool) -> Iterable[str]:
        """References to ask for. What a digest names never changes, so one of them is asked for if nothing else is."""
        due = [each for each in self._wishes if not self.settled(each)]
        if everything:
            due += [each for each in self._wishes if each in self._digests and not is_digest(each)]
        return due or ([] if proof else list(self._wishes)[-1:])

    async def _list(self, line: Line, *, trusted: bool) -> bool:
        try:
            with self._tools.metrics.question(self.repo, "get-tags"):
                tags = await self.registry.tags(line)
        except NotFound:
            if trusted or self._tags is None:
                self._know(())
            return False
        self._know(tags)
        return True

    def _know(self, tags: tuple[str, ...]) -> None:
        if tags != self._tags:
            self._answers.clear()
        self._tags = tags

    async def _look(self, line: Line, reference: str, *, trusted: bool) -> bool:
        known = self.digest(reference)
        with self._tools.metrics.question(self.repo, "resolve-revision", reference):
            digest = await self._named(line, reference, known)
        if not digest:
            self._tools.metrics.failed(self.repo, "resolve-revision", reference)
        if digest:
            self._digests[reference] = digest
            self._absent.pop(reference, None)
        elif trusted or not known:
            self._digests.pop(reference, None)
            now_s = self._tools.clock.monotonic()
            self._absent = {each: until_s for each, until_s in self._absent.items() if until_s > now_s}
            self._absent[reference] = now_s + RECENT_S
        return bool(digest)

    async def _named(self, line: Line, reference: str, known: str) -> str | None:
        """What the other side says that it names; its manifest is read only where that is not known."""
        digest = await self.registry.head(line, reference) if known else ""
        if digest == "":
            found = await self.registry.manifest(line, reference)
            if found is not None:
                await asyncio.to_thread(self._tools.store.write, kept_at(self.kept_as, found[0]), found[1])
            digest = found[0] if found else None
        return digest


def tag_of(version: str) -> str:
    """Tags cannot hold a plus, so Helm writes an underscore for it. Empty where it cannot be a tag."""
    tag = version.replace("+", "_")
    return tag if is_tag(tag) else ""
