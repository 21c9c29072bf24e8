"""GitOps Promoter: what is promoted where, and what holds it up."""

from collections.abc import Mapping

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, items, objects, printed, text
from plumbline.kube.health.rules import Rule, Step, having, healthy, lacking, progressing
from plumbline.kube.health.status import Health, Status


class Ready(msgspec.Struct, frozen=True):
    """The step that every kind of the promoter shares: its Ready condition, in that kind's words."""

    stale: str
    failed: str
    refused: str
    absent: str
    unknown: str = ""
    kinds: frozenset[str] = frozenset({"Ready"})

    def __call__(self, obj: JsonObject) -> Health | None:
        found = [each for each in conditions(obj) if text(each, "type") in self.kinds]
        if not found:
            return Health(Status.PROGRESSING, self.absent)
        return next((health for each in found if (health := self._trouble(obj, each))), None)

    def _trouble(self, obj: JsonObject, condition: JsonObject) -> Health | None:
        generation, observed = at(obj, "metadata", "generation"), condition.get("observedGeneration")
        if observed is not None and generation is not None and observed != generation:
            return Health(Status.PROGRESSING, self.stale)
        message, reason = text(condition, "message"), text(condition, "reason") or "Unknown"
        if condition.get("status") == "False":
            said = self.failed if reason == "ReconciliationError" else f"{self.refused} ({reason})"
            return Health(Status.DEGRADED, f"{said}: {message or 'Unknown error'}")
        if self.unknown and condition.get("status") == "Unknown":
            return Health(Status.PROGRESSING, f"{self.unknown} ({reason}): {message or 'Unknown'}")
        return None


class Environments(msgspec.Struct, frozen=True):
    """Gates that are open or shut per environment."""

    subject: str
    gate: str
    passed: str = "passed"

    def __call__(self, obj: JsonObject) -> Health:
        found = list(objects(obj, "status", "environments"))
        if not found:
            return Health(Status.HEALTHY, f"{self.subject} reconciled")
        failed = [text(each, "branch") or "?" for each in found if each.get("phase") == "failure"]
        if failed:
            return Health(Status.DEGRADED, f"{self.gate} failed for branch(es): {', '.join(failed)}")
        open_ = [each for each in found if each.get("phase") == "success"]
        pending = [text(each, "branch") or "?" for each in found if each.get("phase") != "success"]
        if pending:
            return Health(Status.PROGRESSING, f"{self.gate} pending for branch(es): {', '.join(pending)}")
        return Health(Status.HEALTHY, f"{self.gate} {self.passed} for {len(open_)} environment(s)")


def _reconciled(noun: str, last: Step, *kinds: str) -> Rule:
    name = noun[0].upper() + noun[1:]
    failed = f"{name} reconciliation failed"
    waiting = f"Waiting for {noun} spec update to be observed"
    return (
        having("metadata.deletionTimestamp", progressing(f"{name} is being deleted")),
        lacking("status", progressing(f"Initializing {noun}")),
        Ready(waiting, failed, failed, f"{name} is not ready yet", kinds=frozenset(kinds or ("Ready",))),
        last,
    )


def _validated(kind: str, initial: str, ready: tuple[str, str, str], last: Step) -> Rule:
    failed, refused, unknown = ready
    waiting = f"Waiting for {kind} spec update to be observed"
    return (
        having("metadata.deletionTimestamp", progressing(f"{kind} is being deleted")),
        lacking("status", progressing(f"Initializing {initial}")),
        Ready(waiting, failed, refused, f"{kind} Ready condition is missing", unknown=unknown),
        last,
    )


def _provider(kind: str, initial: str) -> Rule:
    name = initial[0].upper() + initial[1:]
    words = (f"{name} validation failed", f"{name} not ready", f"{name} readiness unknown")
    return _validated(kind, initial, words, healthy(f"{name} is ready"))


def _short(sha: str) -> str:
    return sha[:7]


def _dry(commit: JsonObject, where: str) -> str:
    return text(commit, where, "dry", "sha")


def _proposed(environment: JsonObject) -> str:
    """What the hydrator has worked on last, which may not differ from what is active."""
    return text(environment, "proposed", "note", "drySha") or _dry(environment, "proposed")


class Tally(msgspec.Struct, frozen=True):
    pending: list[str]
    passed: int
    failed: list[str]

    def __str__(self) -> str:
        said = f"{len(self.pending)} pending, {self.passed} successful, {len(self.failed)} failed. "
        if self.pending:
            said += f"Pending commit statuses: {', '.join(self.pending)}. "
        if self.failed:
            said += f"Failed commit statuses: {', '.join(self.failed)}. "
        return said


def _tally(commit: JsonObject, where: str) -> Tally:
    found = [(each.get("phase"), printed(each.get("key"))) for each in objects(commit, where, "commitStatuses")]
    return Tally(
        [key for phase, key in found if phase == "pending"],
        sum(phase == "success" for phase, _ in found),
        [key for phase, key in found if phase == "failure"],
    )


def _policy(obj: JsonObject) -> Health:
    status = at(obj, "status")
    active, proposed = _dry(status, "active"), _dry(status, "proposed")
    for where, sha in (("active", active), ("proposed", proposed)):
        if not sha:
            return Health(Status.PROGRESSING, f"The {where} commit DRY SHA is missing or empty.")
    if proposed != active:
        said = f"Promotion in progress from '{_short(active)}' to '{_short(proposed)}': {_tally(status, 'proposed')}"
        return Health(Status.PROGRESSING, said)
    tally = _tally(status, "active")
    if tally.pending or tally.failed:
        said = f"Environment is up-to-date, but there are non-successful active commit statuses: {tally}"
        return Health(Status.HEALTHY, said)
    return Health(Status.HEALTHY, f"Environment is up-to-date on commit {_short(active)}.")


def _strategy(obj: JsonObject) -> Health:
    environments = list(objects(obj, "status", "environments"))
    if not environments:
        return Health(Status.DEGRADED, "Promotion strategy has no environments configured")
    awaited = _unknown_commits(environments) or _promotion(environments)
    if awaited:
        return Health(Status.PROGRESSING, awaited)
    unsettled = {text(each, "branch"): _tally(each, "active") for each in environments}
    said = [
        f"{branch} ({len(tally.failed)} failed, {len(tally.pending)} pending)"
        for branch, tally in unsettled.items()
        if tally.failed or tally.pending
    ]
    if said:
        what = "Environments are up-to-date, but some environments have non-successful commit statuses"
        return Health(Status.HEALTHY, f"{what}: {', '.join(said)}.")
    active, proposed = _short(_dry(environments[0], "active")), _short(_proposed(environments[0]))
    said_all = f"All environments are up-to-date on commit '{active}'."
    return Health(Status.HEALTHY, f"{said_all} Hydrator has processed dry commit '{proposed}'.")


def _unknown_commits(environments: list[JsonObject]) -> str:
    for each in environments:
        branch = text(each, "branch")
        if not _dry(each, "active"):
            return f"The active commit DRY SHA is missing or empty in environment '{branch}'."
        if not _proposed(each):
            return f"The proposed commit DRY SHA is missing or empty in environment '{branch}'."
    if len({_proposed(each) for each in environments}) > 1:
        return (
            "Not all environments have the same proposed commit SHA. "
            "This likely means the hydrator has not run for all environments yet."
        )
    return ""


def _promotion(environments: list[JsonObject]) -> str:
    for each in environments:
        active, proposed = _dry(each, "active"), _dry(each, "proposed")
        if proposed != active:
            return (
                f"Promotion in progress for environment '{text(each, 'branch')}' "
                f"from '{_short(active)}' to '{_short(proposed)}': {_tally(each, 'proposed')}"
                f"Hydrator has processed dry commit '{_short(_proposed(each))}'. "
            )
    return ""


def _commit_status(obj: JsonObject) -> Health:
    sha, phase = text(obj, "status", "sha"), text(obj, "status", "phase")
    if not sha or not phase:
        return Health(Status.HEALTHY, "Commit status is healthy")
    return Health(Status.HEALTHY, f"Commit status for commit {sha} reports {phase}")


def _pull_request(obj: JsonObject) -> Health:
    number, state = printed(at(obj, "status", "id")), text(obj, "status", "state")
    if not number or not state:
        return Health(Status.HEALTHY, "Pull request is healthy")
    return Health(Status.HEALTHY, f"Pull request is {state} as PR {number}")


def _tracked(obj: JsonObject) -> Health:
    selected = items(obj, "status", "applicationsSelected")
    if not selected:
        return Health(Status.DEGRADED, "Argo CD commit status has no applications configured")
    said = f"Argo CD commit status is healthy and is tracking {len(selected)} applications"
    return Health(Status.HEALTHY, said)


_GIT = "Git commit validation"
_TIMED = "Timed commit gate"
_WEB = "Web request commit validation"

RULES: Mapping[str, Rule] = {
    "promoter.argoproj.io/ArgoCDCommitStatus": _reconciled("Argo CD commit status", _tracked),
    "promoter.argoproj.io/ChangeTransferPolicy": _reconciled("change transfer policy", _policy),
    "promoter.argoproj.io/CommitStatus": _reconciled("commit status", _commit_status),
    "promoter.argoproj.io/PromotionStrategy": _reconciled("promotion strategy", _strategy),
    "promoter.argoproj.io/PullRequest": _reconciled("pull request", _pull_request, "Reconciled", "Ready"),
    "promoter.argoproj.io/ClusterScmProvider": _provider("ClusterScmProvider", "cluster SCM provider"),
    "promoter.argoproj.io/GitRepository": _provider("GitRepository", "Git repository"),
    "promoter.argoproj.io/ScmProvider": _provider("ScmProvider", "SCM provider"),
    "promoter.argoproj.io/GitCommitStatus": _validated(
        "GitCommitStatus",
        "git commit validation",
        (f"{_GIT} failed", f"{_GIT} not ready", f"{_GIT} status unknown"),
        Environments(_GIT, _GIT),
    ),
    "promoter.argoproj.io/TimedCommitStatus": _validated(
        "TimedCommitStatus",
        "timed commit gate",
        (f"{_TIMED} failed", f"{_TIMED} not ready", f"{_TIMED} status unknown"),
        Environments(_TIMED, _TIMED, "satisfied"),
    ),
    "promoter.argoproj.io/WebRequestCommitStatus": _validated(
        "WebRequestCommitStatus",
        "web request commit validation",
        (f"{_WEB} failed", f"{_WEB} not ready", f"{_WEB} unknown"),
        Environments(_WEB, "Web request validation"),
    ),
}
