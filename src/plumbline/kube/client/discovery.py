"""Asking a server what it serves: aggregated where it can, group by group where it cannot, again when a kind is new."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from plumbline.base.errors import PlumblineError, ServerFault, UnknownKind
from plumbline.base.tasks import task_group
from plumbline.kube.client.calls import Caller
from plumbline.kube.client.catalog import Catalog, Resource
from plumbline.kube.client.discovered import (
    ACCEPT,
    Described,
    aggregated,
    core_versions,
    group_versions,
    legacy,
)
from plumbline.kube.client.targets import JSON
from plumbline.kube.client.transport import Request, Response
from plumbline.kube.names import GroupKind, GroupVersion, GroupVersionKind

_ROOTS = ("/api", "/apis")
_REPLY_BYTES = 64 << 20
_NOT_MODIFIED = 304
_OLD_S = 600.0
# An application with a thousand objects of kinds that do not exist asks once, not a thousand times.
_MISS_EVERY_S = 2.0
_LEGACY_MISS_EVERY_S = 10.0

Offer: TypeAlias = Callable[[GroupKind], Awaitable[bool]]
"""Makes the server serve a kind that it does not yet, where that is somebody's to decide; whether it does now."""


class Discovery:
    """What one server serves, remembered. Asking again costs two small requests as long as nothing changed."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._catalog: Catalog | None = None
        self._parts: dict[str, tuple[str, Described]] = {}
        self._asked_at_s = 0.0
        self._doubts = self._settled = 0
        """How often it was forgotten, and how often when what is known was asked for."""
        self._asking = asyncio.Lock()
        self._legacy = False
        self.offer: Offer | None = None

    async def resource(self, kind: GroupVersionKind | GroupKind | str) -> Resource:
        """The resource of a kind (without a version: in the preferred one), or by the name that people type.

        Raises UnknownKind, or ServerFault where it cannot be known because a part of the API is down.
        """
        catalog = await self.catalog()
        found = _look_up(catalog, kind)
        if found is None:
            catalog = await self._asked_again(catalog, _LEGACY_MISS_EVERY_S if self._legacy else _MISS_EVERY_S)
            found = _look_up(catalog, kind)
        if found is None and self.offer is not None and isinstance(kind, GroupVersionKind | GroupKind):
            found = await self._offered(kind, self.offer)
        if found is None:
            raise _missing(catalog, kind)
        return found

    async def _offered(self, kind: GroupVersionKind | GroupKind, offer: Offer) -> Resource | None:
        if not await offer(kind if isinstance(kind, GroupKind) else kind.group_kind):
            return None
        self.forget()
        return _look_up(await self.catalog(), kind)

    async def catalog(self) -> Catalog:
        """All there is, asked for at most ten minutes ago."""
        known = self._catalog
        age_s = self._caller.clock.monotonic() - self._asked_at_s
        if known is not None and self._settled == self._doubts and age_s < _OLD_S:
            return known
        return await self._asked_again(known, 0.0)

    def forget(self) -> None:
        """Ask again at the next question: a kind was just made, or turned out to be gone."""
        self._doubts += 1

    async def _asked_again(self, known: Catalog | None, every_s: float) -> Catalog:
        async with self._asking:
            now_s, doubts = self._caller.clock.monotonic(), self._doubts
            settled = self._catalog is not known or now_s - self._asked_at_s < every_s
            if self._catalog is not None and self._settled == doubts and settled:
                return self._catalog
            catalog = await self._ask()
            self._catalog, self._asked_at_s, self._settled = catalog, now_s, doubts
            return catalog

    async def _ask(self) -> Catalog:
        resources: list[Resource] = []
        unavailable: dict[GroupVersion, str] = {}
        for root in _ROOTS:
            found, missing = await self._part(root)
            resources += found
            unavailable |= missing
        return Catalog(resources, unavailable)

    async def _part(self, root: str) -> Described:
        etag, known = self._parts.get(root, ("", None))
        headers = (("Accept", ACCEPT), *((("If-None-Match", etag),) if etag else ()))
        response = await self._get(root, headers)
        if response.status == _NOT_MODIFIED and known is not None:
            return known
        if "apidiscovery.k8s.io" in response.headers.get("content-type", ""):
            described = aggregated(response.body, root)
            self._parts[root] = response.headers.get("etag", ""), described
            return described
        self._legacy = True
        return await self._group_by_group(response.body, root)

    async def _group_by_group(self, body: bytes, root: str) -> Described:
        versions = core_versions(body) if root == "/api" else group_versions(body)
        async with task_group() as tasks:
            answers = [tasks.create_task(self._group_version(root, at)) for at in versions]
        resources: list[Resource] = []
        unavailable: dict[GroupVersion, str] = {}
        for at, answer in zip(versions, answers, strict=True):
            found = answer.result()
            if isinstance(found, PlumblineError):
                unavailable[at] = str(found)
            else:
                resources += found
        return resources, unavailable

    async def _group_version(self, root: str, at: GroupVersion) -> list[Resource] | PlumblineError:
        """One dead group must not hide all others."""
        try:
            return legacy(at, (await self._get(f"{root}/{at}", (("Accept", JSON),))).body)
        except PlumblineError as error:
            return error

    async def _get(self, path: str, headers: tuple[tuple[str, str], ...]) -> Response:
        return await self._caller.call(Request("GET", path, "", headers, reply_limit_bytes=_REPLY_BYTES))


def _look_up(catalog: Catalog, kind: GroupVersionKind | GroupKind | str) -> Resource | None:
    return catalog.by_name(kind) if isinstance(kind, str) else catalog.by_kind(kind)


def _missing(catalog: Catalog, kind: GroupVersionKind | GroupKind | str) -> PlumblineError:
    groups = {at.group for at in catalog.unavailable}
    if not isinstance(kind, str) and kind.group in groups:
        why = next(reason for at, reason in catalog.unavailable.items() if at.group == kind.group)
        return ServerFault(f"Nobody knows whether {kind} is served", why=why)
    return UnknownKind(f"{kind} is not served", why="the server does not list it")
