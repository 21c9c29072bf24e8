"""A repository in memory with branches that can be written to, and applications that are hydrated."""

import hashlib
from datetime import UTC, datetime

from tests.delivery.town import REPO, SERVER, Repository

from plumbline.base.errors import Conflict
from plumbline.base.tree import MemoryTree
from plumbline.source.git.publishing import Standing
from plumbline.source.git.values import Commit, Moved, Resolved
from plumbline.source.urls import mirror_key

AUTHOR = "Ada <ada@example.com>"
APPLICATIONS = "argoproj.io/v1alpha1/applications"


class Branched(Repository):
    """`main` is what is rendered; everything else is written by whoever is tested, or by others meanwhile."""

    def __init__(self):
        super().__init__()
        self.branches = {}
        self.messages = {}
        self.proposals = []
        """Those that changed a branch."""
        self.notes = []
        """Those that only said something of it."""
        self.writers = []
        self.meanwhile = []
        """What others do just before a push is taken, each once."""
        self.refused = None
        self.after = None
        """What becomes of who pushes, once it is pushed."""

    def write(self, branch, files, *, message="", parents=()):
        tree = MemoryTree({path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()})
        told = f"{len(self.commits)} {branch} {parents} {tree.digest}"
        sha = hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()
        self.commits[sha] = (tree, dict(files))
        self.messages[sha] = (message, parents)
        before = dict(self.branches)
        self.branches[branch] = sha
        for listener in self._listeners:
            listener(Moved(mirror_key(REPO), _refs(before), _refs(self.branches)))
        return sha

    def files(self, branch):
        return self.commits[self.branches[branch]][1]

    async def resolved(self, url, revision, *, project="", tag_prefix="", fresh=False):
        if revision in self.branches:
            return Resolved(self.branches[revision])
        return await super().resolved(url, revision, project=project, tag_prefix=tag_prefix, fresh=fresh)

    async def commit(self, url, sha, *, project=None):
        message = self.messages.get(sha, (f"change {sha[:7]}", ()))[0]
        return Commit(sha, AUTHOR, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), message, (), ())

    async def branch(self, url, name, *, project="", fresh=False):
        sha = self.branches.get(name)
        return None if sha is None else Standing(sha, self.commits[sha][0])

    async def publish(self, proposal, writer, *, project=""):
        if self.meanwhile:
            self.meanwhile.pop()()
        if self.refused is not None:
            raise self.refused
        if proposal.on != self.branches.get(proposal.branch, proposal.on):
            raise Conflict("the branch moved")
        if not proposal.files:
            self.notes.append(proposal.note)
            return proposal.on
        self.proposals.append(proposal)
        self.writers.append(writer)
        on = proposal.on
        if proposal.founds or not on:
            first = self.write(proposal.founds or proposal.branch, {}, message="first")
            on = on or first
        held = dict(self.commits[on][1])
        sha = self.write(proposal.branch, {**held, **proposal.files}, message=proposal.message, parents=(on,))
        if self.after is not None:
            await self.after()
        return sha


def _refs(branches):
    return {f"refs/heads/{name}": sha for name, sha in branches.items()}


def hydrated(name="web", *, path=None, dry=None, branch="env/dev", to=None, metadata=None, **spec):
    hydrator = {
        "drySource": {"repoURL": REPO, "targetRevision": "main", "path": dry or name},
        "syncSource": {"targetBranch": branch, "path": path or name},
        **({"hydrateTo": {"targetBranch": to}} if to else {}),
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {
            "project": "default",
            "sourceHydrator": hydrator,
            "destination": {"server": SERVER, "namespace": "shop"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
            **spec,
        },
    }


async def enable(town, value="true"):
    config = {"metadata": {"name": "argocd-cmd-params-cm"}, "data": {"hydrator.enabled": value}}
    await town.create("v1/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", **config}, "argocd")


async def deploy(town, *names, **spec):
    for name in names or ("web",):
        await town.create(APPLICATIONS, hydrated(name, **spec), "argocd")


async def phase(town, wanted, name="web", **more):
    """Until it is so; the status of hydration."""

    async def arrived():
        status = ((await town.app(name)).get("status") or {}).get("sourceHydrator", {})
        return status if status.get("currentOperation", {}).get("phase") == wanted else None

    return await town.until(arrived, **more)


async def hydrated_at(town, sha, name="web"):
    async def arrived():
        status = ((await town.app(name)).get("status") or {}).get("sourceHydrator", {})
        last = status.get("lastSuccessfulOperation", {})
        return status if last.get("drySHA") == sha else None

    return await town.until(arrived)
