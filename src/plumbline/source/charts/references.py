"""From what people write for a version to what a registry holds: a version, a tag, a digest."""

from typing import NamedTuple

from plumbline.base.errors import NotFound
from plumbline.base.versions import is_constraint, is_version
from plumbline.source.charts.digests import is_digest
from plumbline.source.charts.oci import OciRemote, tag_of
from plumbline.source.followed import Followed
from plumbline.source.repository import Repository
from plumbline.source.urls import redacted


class Reference(NamedTuple):
    followed: Followed[OciRemote]
    version: str

    @property
    def remote(self) -> OciRemote:
        return self.followed.remote

    async def listed(self, project: str, *, fresh: bool = False) -> Repository:
        """Once it is known which tags there are."""
        self.remote.wish_for_tags()
        repository = await self._admitted(project, fresh=fresh)
        if not self.remote.listed():
            await self.followed.look_for(repository, self.remote.listed, self.remote.ask_missing)
        return repository

    async def known(self, tag: str, project: str, *, fresh: bool = False) -> tuple[Repository, str]:
        """What a tag or digest names, once that is known; NotFound where there is no such."""
        self.remote.wish(tag)
        if self.remote.absent(tag) and not fresh:
            raise self.missing()
        repository = await self._admitted(project, fresh=fresh)
        if not self.remote.settled(tag):
            await self.followed.look_for(repository, lambda: self.remote.settled(tag), self.remote.ask_missing)
        digest = self.remote.digest(tag)
        if not digest:
            raise self.missing()
        return repository, digest

    async def pinned(self, project: str, *, chart: str) -> tuple[Repository, str]:
        """The digest to read. In a registry, unlike in an index, even a short version is a tag and no constraint."""
        if is_digest(self.version) or not chart or is_version(self.version):
            tag = self.version if is_digest(self.version) else tag_of(self.version)
        else:
            repository = await self.listed(project)
            tag = tag_of(await self.chosen(repository, as_helm=True))
        if not tag:
            raise self.missing()
        return await self.known(tag, project)

    async def chosen(self, repository: Repository, *, as_helm: bool) -> str:
        """The version among the tags; looked for once more before NotFound."""
        found = self.remote.resolved(self.version, as_helm=as_helm)
        if found is None and await self.followed.look_again(repository):
            found = self.remote.resolved(self.version, as_helm=as_helm)
        if found is None:
            raise self.missing()
        return found

    async def _admitted(self, project: str, *, fresh: bool) -> Repository:
        return await (self.followed.renewed(project) if fresh else self.followed.admitted(project))

    def missing(self) -> NotFound:
        return NotFound(
            f"Cannot find {self.version or 'any version'} of {redacted(self.remote.registry.url)}",
            why="it is none of its tags, and no constraint that one of them meets",
            hint="Check the spelling; tags are case-sensitive.",
        )


async def version_for(wanted: Reference, project: str, *, fresh: bool) -> str:
    """The version of a chart, which is a tag with a plus instead of an underscore. A plain version needs no look."""
    version = wanted.version
    if is_digest(version) or (is_version(version) and not fresh):
        return version
    if is_version(version):
        await wanted.known(tag_of(version), project, fresh=True)
        return version
    repository = await wanted.listed(project, fresh=fresh)
    return await wanted.chosen(repository, as_helm=False)


async def digest_for(wanted: Reference, project: str, *, fresh: bool) -> str:
    """The digest of what an address names, at a tag or at the highest tag that a constraint allows."""
    version = wanted.version
    if is_digest(version):
        return version
    tag = tag_of(version)
    if not version or is_constraint(version):
        repository = await wanted.listed(project, fresh=fresh)
        if not tag or not wanted.remote.has(tag):
            tag = tag_of(await wanted.chosen(repository, as_helm=False))
        fresh = False
    if not tag:
        raise wanted.missing()
    return (await wanted.known(tag, project, fresh=fresh))[1]
