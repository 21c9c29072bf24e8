"""Manifests that a person handed over instead of what is in Git: whether they may, and until when they count. Pure."""

from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden, InvalidInput
from plumbline.base.glob import glob_matches
from plumbline.delivery.projects.project import Project
from plumbline.delivery.status import Condition
from plumbline.kernel.reconciler import Run
from plumbline.kinds.application import ApplicationSource, ApplicationSpec, ApplicationStatus, Operation, SyncOperation
from plumbline.kinds.read import read_part
from plumbline.source.signatures import requirement

UNSIGNED: Final = "Cannot use local manifests when source integrity is enforced"
_WARNING: Final = "LocalManifestsWarning"

Look = Run[ApplicationSpec, ApplicationStatus]


class Handed(NamedTuple):
    manifests: tuple[str, ...]
    condition: Condition


def handed_over(run: Look) -> Handed | None:
    """What the last sync, or the one that is asked for, brings by hand: that is what the application is compared with.

    The next sync goes back to Git. An automated application is compared with Git whatever was brought to it, and a dry
    run has brought nothing.
    """
    policy, state = run.spec.sync_policy, run.read.status.operation_state
    if policy is not None and policy.automated is not None and policy.automated.enabled is not False:
        return None
    asked = _asked(run)
    last = state.operation.sync if state is not None else None
    counts = asked if asked is not None and not asked.dry_run else last
    if counts is None or not counts.manifests or counts.dry_run:
        return None
    told = (
        "Compared with manifests that were handed over for the last sync, not with Git: the next sync goes back to Git"
    )
    return Handed(counts.manifests, Condition(_WARNING, told))


def wants_signatures(project: Project, sources: tuple[ApplicationSource, ...]) -> bool:
    """Charts and artifacts of registries are in no commit, and nobody looks at signatures of theirs."""
    in_git = (each.repo_url for each in sources if not each.charted)
    return any(requirement(project.spec, url, glob_matches) is not None for url in in_git)


def refuse_unsigned(project: Project, sources: tuple[ApplicationSource, ...]) -> None:
    """Raise Forbidden where the project wants one of *sources* signed: what is in no commit cannot be."""
    if wants_signatures(project, sources):
        raise Forbidden(UNSIGNED, hint="Commit them, signed by a key that the project lists.")


def _asked(run: Look) -> SyncOperation | None:
    try:
        operation = read_part(run.object, "operation", Operation)
    except InvalidInput:  # a look says elsewhere what is wrong with it
        return None
    return operation.sync if operation is not None else None
