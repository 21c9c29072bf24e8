"""A Helm repository: an index, asked for only if it changed, and the addresses of archives that it names."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final
from urllib.parse import urljoin, urlsplit, urlunsplit

from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, NotFound
from plumbline.source.charts import index as indexes
from plumbline.source.charts.digests import digest_of
from plumbline.source.charts.identity import presented
from plumbline.source.charts.index import INDEX_BYTES, Index
from plumbline.source.charts.kept import Kept, Seen
from plumbline.source.charts.lines import Lines
from plumbline.source.charts.listed import Listed
from plumbline.source.charts.tar import PACKED_BYTES
from plumbline.source.charts.values import Moved
from plumbline.source.charts.wire import Ask, Line, Reply, origin
from plumbline.source.followed import Answer
from plumbline.source.repository import Repository
from plumbline.source.urls import checked, redacted, without_credentials

_SAME: Final = 304
_LONGEST_TAG: Final = 1024


class HelmRemote:
    """`base` is the address as `urls.mirror_key` has it."""

    def __init__(self, base: str, url: str, kept: Kept, lines: Lines, tell: Callable[[Moved], None]) -> None:
        self.base = base
        self._url = url
        self._what = f"Cannot read {redacted(url)}"
        self._lines = lines
        self._tell = tell
        self.own_url = without_credentials(checked(url)).url
        if urlsplit(self.own_url).scheme.lower() not in {"http", "https"}:
            raise InvalidInput(self._what, why="it is not the address of a Helm repository")
        self._kept = kept
        self._seen: Seen | None = None
        self.contents: dict[str, str] = {}
        """Digests of archives for which the index names none, by where they are."""

    @property
    def known(self) -> int:
        return len(self._seen.offer.charts) if self._seen else 0

    @property
    def index(self) -> Index:
        """As last seen; only after somebody was admitted."""
        if self._seen is None:
            raise NotFound(self._what, why="nothing is known of it")
        return self._seen.offer

    async def open(self) -> None:
        self._seen = await asyncio.to_thread(self._kept.read, self.base)

    def line(self, repository: Repository) -> AbstractAsyncContextManager[Line]:
        """To the server of the repository."""
        return self._lines.line(repository, self.own_url, self._what)

    async def ask(self, repository: Repository, *, trusted: bool) -> Answer:  # noqa: ARG002 - all or nothing comes
        async with self.line(repository) as line:
            reply = await line.ask(self._question(line.repository))
        if reply.status == _SAME and self._seen is not None:
            return Answer(proof=True)
        seen = await asyncio.to_thread(self._read, reply)
        changed = seen.offer.changed(self._seen.offer) if self._seen else frozenset()
        self._seen = seen
        return Answer(True, partial(self._tell, Moved(self.base, changed))) if changed else Answer(proof=True)

    async def tend(self) -> None:
        """There is one file, and each index takes the place of the one before."""

    async def leave(self) -> None:
        """Archives stay until their room is needed."""
        await asyncio.to_thread(self._kept.forget, self.base)

    async def archive(self, line: Line, listed: Listed) -> bytes:
        """The bytes of an archive, which have the digest that the index names, if it names one."""
        url = self.place(listed)
        trusted = origin(url) == line.own or line.repository.credentials.pass_to_others
        if line.own.scheme == "https" and origin(url).scheme != "https":
            raise InvalidInput(
                line.what,
                why=f"its index names {origin(url).host} without TLS for {listed.version}",
                hint="Let it name an address with https.",
            )
        known = presented(line.repository.credentials, self._url) if trusted else None
        reply = await line.ask(Ask(url, PACKED_BYTES, authorization=known))
        if listed.digest and digest_of(reply.body) != listed.digest:
            raise GarbledReply(
                line.what,
                why=f"the archive of {listed.version} is not the one in the index",
                hint="Somebody replaced the archive, or the index is older than it: index the repository again.",
            )
        return reply.body

    def place(self, listed: Listed) -> str:
        """Where an archive is. Relative addresses are below the repository, and keep its query."""
        if not listed.urls:
            raise NotFound(self._what, why=f"its index has no address for {listed.version}")
        named = listed.urls[0]
        if urlsplit(named).scheme:
            return checked(named)
        base = urlsplit(self.own_url)
        folder = urlunsplit((base.scheme, base.netloc, base.path.rstrip("/") + "/", "", ""))
        joined = urlsplit(urljoin(folder, named))
        return checked(urlunsplit((joined.scheme, joined.netloc, joined.path, base.query, "")))

    def _question(self, repository: Repository) -> Ask:
        return Ask(
            index_url(self.own_url),
            INDEX_BYTES,
            headers=self._conditions(),
            authorization=presented(repository.credentials, self._url),
            fine=frozenset({200, _SAME}),
            compressed=True,
        )

    def _conditions(self) -> dict[str, str]:
        if self._seen is None:
            return {}
        named = {"If-None-Match": self._seen.etag, "If-Modified-Since": self._seen.modified}
        return {name: value for name, value in named.items() if value}

    def _read(self, reply: Reply) -> Seen:
        try:
            index = indexes.read(reply.body)
        except LimitExceeded as error:
            raise LimitExceeded(self._what, why=error.why) from error
        except InvalidInput as error:
            raise InvalidInput(self._what, why=f"its index cannot be read: {error}", hint=error.hint) from error
        seen = Seen(index, *(reply.headers.get(name, "")[:_LONGEST_TAG] for name in ("etag", "last-modified")))
        self._kept.write(self.base, seen)
        return seen


def index_url(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, f"{parts.path.rstrip('/')}/index.yaml", parts.query, ""))
