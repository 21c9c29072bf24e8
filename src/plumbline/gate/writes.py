"""Writes to a cluster as acts: what is sent, and how it is rehearsed."""

from typing import Literal

import msgspec

from plumbline.kube.client import Client, Target, Writing


class Applying(msgspec.Struct, frozen=True):
    client: Client
    target: Target
    body: bytes
    writing: Writing

    async def perform(self) -> bytes:
        return await self.client.apply(self.target, self.body, self.writing)

    async def rehearse(self) -> bytes:
        return await self.client.apply(self.target, self.body, _dry(self.writing))


class Patching(msgspec.Struct, frozen=True):
    """Pinned, if *body* carries the resourceVersion that was looked at."""

    client: Client
    target: Target
    body: bytes
    kind: Literal["merge", "json", "strategic"]
    writing: Writing

    async def perform(self) -> bytes:
        return await self.client.patch(self.target, self.body, self.kind, self.writing)

    async def rehearse(self) -> bytes:
        return await self.client.patch(self.target, self.body, self.kind, _dry(self.writing))


class Creating(msgspec.Struct, frozen=True):
    client: Client
    target: Target
    body: bytes
    writing: Writing

    async def perform(self) -> bytes:
        return await self.client.create(self.target, self.body, self.writing)

    async def rehearse(self) -> bytes:
        return await self.client.create(self.target, self.body, _dry(self.writing))


class Replacing(msgspec.Struct, frozen=True):
    """The whole object; pinned, if *body* carries the resourceVersion that was looked at."""

    client: Client
    target: Target
    body: bytes
    writing: Writing

    async def perform(self) -> bytes:
        return await self.client.update(self.target, self.body, self.writing)

    async def rehearse(self) -> bytes:
        return await self.client.update(self.target, self.body, _dry(self.writing))


class Deleting(msgspec.Struct, frozen=True):
    """Always of one object and no other: a delete without its uid does not exist here."""

    client: Client
    target: Target
    uid: str
    resource_version: str = ""
    propagation: str = "Background"
    grace_period_s: int | None = None

    async def perform(self) -> bytes:
        return await self._send(dry_run=False)

    async def rehearse(self) -> bytes:
        return await self._send(dry_run=True)

    async def _send(self, *, dry_run: bool) -> bytes:
        return await self.client.delete(
            self.target,
            uid=self.uid,
            resource_version=self.resource_version,
            propagation=self.propagation,
            grace_period_s=self.grace_period_s,
            dry_run=dry_run,
        )


def _dry(writing: Writing) -> Writing:
    return msgspec.structs.replace(writing, dry_run=True)
