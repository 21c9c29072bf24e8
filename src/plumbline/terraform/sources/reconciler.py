"""A look at a GitRepository: which commit it means, whether that may be used, and that its files are at hand."""

from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, Unresolved
from plumbline.base.json import JsonObject
from plumbline.base.tree import Tree, joined
from plumbline.kernel.cache import Key
from plumbline.kernel.conditions import Conditions
from plumbline.kernel.outcomes import Done, Stuck, Wait
from plumbline.kernel.reconciler import Change, Executed, Reconciler, Run, Seen
from plumbline.kinds.flux.common import RECONCILE_REQUEST, LocalReference
from plumbline.kinds.flux.gitrepository import (
    GIT_REPOSITORY,
    GitRepositoryRef,
    GitRepositorySpec,
    GitRepositoryStatus,
)
from plumbline.kinds.values import written
from plumbline.source.repository import Repository
from plumbline.source.signatures import Raw
from plumbline.terraform.sources import reporting, trouble
from plumbline.terraform.sources.accounts import Accounts, ReadSecret, account, entries_of, project_of
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.fetching import Commits, Fetching
from plumbline.terraform.sources.gathered import Content, Mount
from plumbline.terraform.sources.revisions import Located
from plumbline.terraform.sources.revisions import written as written_revision
from plumbline.terraform.sources.sources import Sources
from plumbline.terraform.sources.trees import Trees, Wanted
from plumbline.terraform.sources.trouble import Trouble
from plumbline.terraform.sources.values import Sourced
from plumbline.terraform.sources.verification import Verification, Verified

Look = Run[GitRepositorySpec, GitRepositoryStatus]

FINALIZER: Final = "finalizers.fluxcd.io"
"""Upstream's: an object that comes from there is let go here, and the other way round."""

_SHORTEST_S: Final = 1.0
_LONGEST_S: Final = 900.0
_INCLUDED_S: Final = 30.0
_SUBJECT: Final = 200


class At(NamedTuple):
    """How far a look has come."""

    repository: Repository
    included: tuple[Sourced, ...] = ()
    found: Located = Located("")
    revision: str = ""
    verified: Verified | None = None
    artifact: JsonObject | None = None


class Around(NamedTuple):
    """What looks at GitRepositories need of the rest of the world."""

    commits: Commits
    accounts: Accounts
    artifacts: Artifacts
    trees: Trees
    sources: Sources
    secret: ReadSecret
    clock: Clock
    aside: Aside = in_a_thread


class GitRepositoryReconciler(Reconciler[GitRepositorySpec, GitRepositoryStatus]):
    name = "gitrepository"
    kind = GIT_REPOSITORY
    owns = Conditions()
    finalizer = FINALIZER

    def __init__(self, around: Around) -> None:
        self._around = around
        self._fetching = Fetching(around.commits, around.clock)
        self._verification = Verification(around.clock)
        self.steps = (self.known, self.included, self.fetched, self.verified, self.stored, self.rested)
        self.teardown = (self.removed,)

    async def known(self, run: Look, at: None) -> At | Done | Wait | Stuck:
        """Whose repository it is, and as whom we come there."""
        del at
        if run.spec.suspend:
            return Done()
        found = await account(run.spec, _key(run)[0], self._around.secret, submodules=run.spec.recurse_submodules)
        if isinstance(found, Trouble):
            return self._stopped(run, found)
        self._around.accounts.put(_key(run), found)
        return At(found)

    async def included(self, run: Look, at: At) -> At | Wait:
        """Other GitRepositories whose files are put in among these have some."""
        found: list[Sourced] = []
        for include in run.spec.include:
            name = include.repository.name
            try:
                with run.waiting():
                    found.append(await self._around.sources.tree(_Included(include.repository), _key(run)[0]))
            except NotFound as missing:
                return Wait(trouble.NOT_FOUND, f"could not get resource for include '{name}': {missing}", _INCLUDED_S)
            except Unresolved:
                return Wait(trouble.NO_ARTIFACT, f"no artifact available for include '{name}'", _INCLUDED_S)
        return at._replace(included=tuple(found))

    async def fetched(self, run: Look, at: At) -> At | Wait | Stuck:
        spec, url = run.spec, at.repository.url
        asked = _requested(run.object) not in {"", run.read.status.last_handled_reconcile_at}
        try:
            fresh = self._fetching.due(url, 0.0 if asked else spec.interval.seconds)
            with run.waiting():
                found = await self._fetching.located(
                    url, spec.ref, project_of(_key(run)), fresh=fresh, timeout_s=spec.timeout.seconds
                )
        except PlumblineError as error:
            return self._stopped(run, await self._unfetched(url, _key(run), error))
        return at._replace(found=found, revision=written_revision(spec.ref or _NO_REF, found))

    async def _unfetched(self, url: str, key: Key, error: PlumblineError) -> Trouble:
        if isinstance(error, NotFound):
            try:
                if not await self._around.commits.refs(url, project=project_of(key)):
                    return Trouble(trouble.EMPTY, "git repository is empty")
            except PlumblineError:
                pass  # what was said first is what matters
        return Trouble(trouble.GIT, f"failed to checkout and determine revision: {error}")

    async def verified(self, run: Look, at: At) -> At | Wait | Stuck:
        asked = run.spec.verify
        if asked is None:
            return at
        namespace, project = _key(run)[0], project_of(_key(run))
        entries = await entries_of(self._around.secret, namespace, asked.secret_ref.name)
        if isinstance(entries, Trouble):
            missing = Trouble(trouble.VERIFICATION, f"public keys secret error: {entries.message}")
            return self._stopped(run, missing)

        async def raw(sha: str) -> Raw:
            return await self._around.commits.raw(at.repository.url, sha, project=project)

        found = await self._verification.verified(asked, entries, at.found, raw)
        return self._stopped(run, found) if isinstance(found, Trouble) else at._replace(verified=found)

    async def stored(self, run: Look, at: At) -> At | Wait | Stuck:
        """The files are packed, unless they are already."""
        around, key, held = self._around, _key(run), run.read.status.artifact
        kept = held is not None and held.revision == at.revision and not _changed(run, at)
        if held is not None and kept and await around.aside(lambda: around.artifacts.holds(key, held.digest)):
            return at._replace(artifact=self._artifact(run, at, held.digest, held.size or 0))
        try:
            tree = await self._gathered(run, at)
            if isinstance(tree, Trouble):
                return self._stopped(run, tree)
            made = await around.aside(lambda: around.artifacts.add(key, tree))
            await around.aside(lambda: around.artifacts.collect(key, made.digest))
        except PlumblineError as error:
            why = Trouble(trouble.ARCHIVE, f"unable to archive artifact to storage: {error}")
            return self._stopped(run, why)
        if held is None or held.digest != made.digest:
            run.tell("NewArtifact", f"stored artifact for commit '{await self._subject(run, at)}'")
        return at._replace(artifact=self._artifact(run, at, made.digest, made.size_bytes))

    async def _gathered(self, run: Look, at: At) -> Tree | Trouble:
        spec, key, url = run.spec, _key(run), at.repository.url
        try:
            with run.waiting():
                whole = await self._around.commits.tree(url, at.found.commit, project=project_of(key))
        except PlumblineError as error:
            return Trouble(trouble.GIT, f"failed to checkout and determine revision: {error}")
        try:
            for folder in spec.sparse_checkout:
                if whole.entry(joined("", folder)) is None:
                    why = f"sparse checkout dir '{folder}' does not exist in repository"
                    return Trouble(trouble.GIT, f"failed to sparse checkout directories : {why}")
            mounts = tuple(
                Mount(sourced.tree, each.from_path, joined("", each.to_path or each.repository.name))
                for each, sourced in zip(spec.include, at.included, strict=True)
            )
        except InvalidInput as outside:
            return Trouble(trouble.PATH, f"path calculation failed: {outside}")
        for each, mount in zip(spec.include, mounts, strict=True):
            entry = mount.tree.entry(joined("", mount.from_path))
            if entry is None or entry.kind != "folder":
                named = f"'{each.repository.name}' include from {mount.from_path or '.'} to {mount.to_path}"
                return Trouble(trouble.COPY, f"failed to copy {named}: there is no such folder")
        content = Content(spec.ignore, spec.sparse_checkout, mounts)
        return await self._around.trees.tree(Wanted(key, url, at.found.commit, content, spec.recurse_submodules))

    async def rested(self, run: Look, at: At) -> Done:
        del at
        return Done(after_s=max(run.spec.interval.seconds, _SHORTEST_S))

    async def removed(self, run: Look, at: None) -> Done:
        del at
        self._around.accounts.forget(_key(run))
        await self._around.aside(lambda: self._around.artifacts.remove(_key(run)))
        return Done()

    def change(self, seen: Seen[GitRepositorySpec, GitRepositoryStatus], executed: Executed, now: str) -> Change:
        outcome, at = executed.reported.outcome, executed.state
        whole = isinstance(at, At) and at.artifact is not None and isinstance(outcome, Done)
        if isinstance(outcome, Done) and not whole:
            return Change({})  # it is suspended, or on its way out
        found = _found(seen.run, at) if whole and seen.run is not None else None
        looked = reporting.Looked(seen.object, outcome, found, _requested(seen.object))
        return reporting.change(looked, now)

    def _artifact(self, run: Look, at: At, digest: str, size_bytes: int) -> JsonObject:
        """As it is, with the time that it has had as long as it is the same."""
        path = self._around.artifacts.path(_key(run), digest)
        made: JsonObject = {
            "path": path,
            "url": self._around.artifacts.url(path),
            "revision": at.revision,
            "digest": digest,
            "size": size_bytes,
        }
        held = run.read.status.artifact
        same = held is not None and (held.digest, held.revision) == (digest, at.revision)
        since = str(held.last_update_time) if same and held else rfc3339(self._around.clock.now())
        return {**made, "lastUpdateTime": since}

    async def _subject(self, run: Look, at: At) -> str:
        """The first line of what the commit says of itself."""
        project = project_of(_key(run))
        try:
            raw = await self._around.commits.raw(at.repository.url, at.found.commit, project=project)
        except PlumblineError:
            return at.revision
        message = raw.content.partition(b"\n\n")[2].decode("utf-8", "replace").strip()
        line = message.partition("\n")[0]
        return "".join(c if c.isprintable() else " " for c in line[:_SUBJECT]) or at.revision

    def _stopped(self, run: Look, why: Trouble) -> Wait | Stuck:
        """Wait as long again as it has been wrong already, so that what stays wrong is asked for less and less."""
        if why.final:
            return Stuck(why.reason, why.message)
        wrong_s = _wrong_s(run.read.status, self._around.clock.now())
        return Wait(why.reason, why.message, min(max(wrong_s, _SHORTEST_S), _LONGEST_S))


class _Included:
    """A GitRepository that another one includes."""

    api_version = ""
    kind = "GitRepository"

    def __init__(self, named: LocalReference) -> None:
        self.name = named.name


_NO_REF: Final = GitRepositoryRef()


def _key(run: Look) -> Key:
    return run.read.ref.namespace, run.read.ref.name


def _requested(obj: JsonObject) -> str:
    return str((obj["metadata"].get("annotations") or {}).get(RECONCILE_REQUEST, ""))


def _wrong_s(status: GitRepositoryStatus, now: datetime) -> float:
    ready = next((each for each in status.conditions if each.type == "Ready" and each.status == "False"), None)
    return (now - ready.last_transition_time.moment).total_seconds() if ready else 0.0


def _changed(run: Look, at: At) -> bool:
    """Whether the artifact was made of other files than it would be now."""
    spec, status = run.spec, run.read.status
    observed = (status.observed_ignore, status.observed_recurse_submodules, status.observed_sparse_checkout)
    if observed != (spec.ignore, spec.recurse_submodules, spec.sparse_checkout):
        return True
    held = [(each.revision, each.digest) for each in status.included_artifacts]
    return status.observed_include != spec.include or held != [(each.revision, each.digest) for each in at.included]


def _found(run: Look, at: At) -> reporting.Found:
    spec, verified = run.spec, at.verified
    fields: JsonObject = {
        "artifact": at.artifact,
        "includedArtifacts": [each.artifact for each in at.included] or None,
        "observedIgnore": spec.ignore,
        "observedRecurseSubmodules": spec.recurse_submodules or None,
        "observedInclude": [written(each) for each in spec.include] or None,
        "observedSparseCheckout": list(spec.sparse_checkout) or None,
        "sourceVerificationMode": verified.mode if verified else None,
        "sourceVerificationFingerprint": verified.fingerprint if verified else None,
    }
    return reporting.Found(fields, at.revision, verified.message if verified else "")
