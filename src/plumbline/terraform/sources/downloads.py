"""Artifacts that other controllers serve: fetched once, checked against what their object says, unpacked in memory."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.base.clock import Clock
from plumbline.base.tree import Tree
from plumbline.kinds.flux.common import Artifact

if TYPE_CHECKING:
    from plumbline.terraform.sources.fetched import Fetched


class Downloads:
    """What was fetched stays in *folder*, which no other process may use."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._fetched: Fetched | None = None

    async def tree(self, artifact: Artifact, fetch: Callable[[], Awaitable[bytes]] | None = None) -> Tree:
        """The files of *artifact*; with *fetch*, which knows better where its bytes are."""
        if self._fetched is None:
            from plumbline.terraform.sources.fetched import Fetched  # noqa: PLC0415 - it brings the HTTP client along

            self._fetched = Fetched(self._folder, self._clock)
        return await self._fetched.tree(artifact, fetch)
