"""Files of whatever a Terraform object names as its source.

Those of a GitRepository that is looked after here are read where they are; those of everything else that has an artifact
are fetched once, and are what the object's status says that they are, or they are not used.
"""

from typing import Final, NamedTuple

import msgspec

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, PlumblineError, Unresolved
from plumbline.base.json import JsonObject, decode
from plumbline.base.log import logger
from plumbline.base.tree import Tree
from plumbline.kernel.cache import Key
from plumbline.kinds.flux.common import Artifact
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.read import read
from plumbline.kinds.values import converted
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.sources.accounts import Accounts, ReadSecret, account, address
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.gathered import Content
from plumbline.terraform.sources.revisions import commit_in
from plumbline.terraform.sources.trees import Trees, Wanted
from plumbline.terraform.sources.trouble import Trouble
from plumbline.terraform.sources.values import Reference, Sourced

_PLURALS: Final = {
    "GitRepository": "gitrepositories",
    "OCIRepository": "ocirepositories",
    "Bucket": "buckets",
    "ExternalArtifact": "externalartifacts",
}
_VERSION: Final = "v1"
SERVED: Final = "/artifacts"
"""Below which path of the web port packed files are."""

log = logger(__name__)


class Local(NamedTuple):
    """What it takes to read GitRepositories that are looked after here."""

    accounts: Accounts
    artifacts: Artifacts
    trees: Trees
    secret: ReadSecret
    aside: Aside = in_a_thread


class Sources:
    """Without *local* every artifact is fetched from where its object says that it is."""

    def __init__(self, client: Client, downloads: Downloads, local: Local | None = None) -> None:
        self._client = client
        self._downloads = downloads
        self._local = local

    async def tree(self, ref: Reference, namespace: str) -> Sourced:
        """Raises NotFound where there is no such object, Unresolved where it has no artifact yet, and what fetching raises."""
        obj = await self._object(ref, namespace)
        said = (obj.get("status") or {}).get("artifact")
        if not isinstance(said, dict):
            raise _unready(ref, namespace, "it has no artifact yet")
        try:
            artifact = converted(said, Artifact)
        except msgspec.ValidationError as wrong:
            raise InvalidInput(
                f"Cannot use the artifact of {ref.kind} {namespace}/{ref.name}", why=str(wrong)
            ) from wrong
        return Sourced(await self._files(obj, ref, artifact), artifact.revision, artifact.digest, said)

    async def _object(self, ref: Reference, namespace: str) -> JsonObject:
        plural = _PLURALS.get(ref.kind)
        if plural is None:
            raise InvalidInput(f"Cannot use {ref.kind} {namespace}/{ref.name}", why="no source is of that kind")
        group, _, version = (ref.api_version or f"{GIT_REPOSITORY.group}/{_VERSION}").rpartition("/")
        if group != GIT_REPOSITORY.group:
            raise InvalidInput(f"Cannot use {ref.kind} {namespace}/{ref.name}", why=f"{group or 'it'} has no sources")
        target = Target(GroupVersionResource(group, version, plural), namespace, ref.name)
        try:
            return decode(await self._client.get(target))
        except NotFound as missing:
            raise NotFound(f"{ref.kind} '{namespace}/{ref.name}' not found") from missing

    async def _files(self, obj: JsonObject, ref: Reference, artifact: Artifact) -> Tree:
        local = self._local
        # Whichever replica of ours has published it: the one that leads now may be another, and has the same commits.
        ours = local is not None and (
            artifact.url.endswith(f"{SERVED}/{artifact.path}") or artifact.url.startswith(local.artifacts.url(""))
        )
        if local is None or ref.kind != "GitRepository" or not ours:
            return await self._downloads.tree(artifact)
        try:
            found = await self._in_git(local, obj, artifact)
        except PlumblineError as error:
            log.warning("source not read from git", ref=f"{ref.kind}/{ref.name}", code=error.code, error=str(error))
            found = None
        return found if found is not None else await self._downloads.tree(artifact, lambda: _packed(local, artifact))

    async def _in_git(self, local: Local, obj: JsonObject, artifact: Artifact) -> Tree | None:
        """Straight from its mirror; None where the artifact was made of what the object does not say any more."""
        typed = read(GIT_REPOSITORY, obj)
        spec, status = typed.spec, typed.status
        settled = status.observed_generation == obj["metadata"].get("generation")
        if not settled or status.observed_include:
            return None
        key: Key = (typed.ref.namespace, typed.ref.name)
        content = Content(status.observed_ignore, status.observed_sparse_checkout)
        wanted = Wanted(key, address(spec), commit_in(artifact.revision), content, status.observed_recurse_submodules)
        known = local.trees.known(wanted)
        if known is not None:
            return known
        found = await account(spec, key[0], local.secret, submodules=wanted.submodules)
        if isinstance(found, Trouble):
            return None
        local.accounts.put(key, found)
        return await local.trees.tree(wanted)


async def _packed(local: Local, artifact: Artifact) -> bytes:
    """What is on our own disk."""

    def content() -> bytes | None:
        opened = local.artifacts.opened(artifact.path)
        if opened is None:
            return None
        with opened.file as file:
            return file.read()

    found = await local.aside(content)
    if found is None:
        raise GarbledReply(f"Cannot read the artifact {artifact.path}", why="it is not there any more")
    return found


def _unready(ref: Reference, namespace: str, why: str) -> Unresolved:
    return Unresolved(
        f"{ref.kind} '{namespace}/{ref.name}' is not ready",
        why=why,
        sought=(GIT_REPOSITORY.group, ref.kind, namespace, ref.name),
    )
