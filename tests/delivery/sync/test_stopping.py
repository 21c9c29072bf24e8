"""A sync that is terminated, has had its time, or gives way to a newer revision."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from tests.delivery.sync.world import STARTED, desired, everything, observed

from plumbline.base.errors import InvalidInput
from plumbline.delivery.sync import End, Outcome, Sync, View, Wait, plan, recorded, step, sync_of
from plumbline.delivery.sync.deadlines import left_s, overdue, timeout_s
from plumbline.delivery.sync.hooks import FINALIZER
from plumbline.delivery.sync.operation import APPROVED, approved
from plumbline.delivery.sync.superseding import Patience, Verdict, stopped, superseded, yielding
from plumbline.kinds.application import (
    ManagedNamespaceMetadata,
    Operation,
    OperationInitiator,
    OperationState,
    SyncOperation,
    SyncOperationResource,
    SyncOperationResult,
    SyncPolicy,
    SyncStrategy,
)
from plumbline.kinds.application.operation import SyncStrategyApply, SyncStrategyHook
from plumbline.kube.health import Status

_NOW = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


def _hooks(status, *, recorded_too=True, gone=False, policy="BeforeHookCreation"):
    """A sync with one hook that was created, as it is terminated."""
    sync = Sync(started_at=STARTED, revision="0123456789", terminating=True)
    tasks = plan(sync, [desired("Job", "h", hook="PreSync", policy=policy), desired("ConfigMap", "c")], {}, everything)
    results = recorded((), [Outcome.applied(tasks[0], "created")]) if recorded_too else ()
    live = (
        {}
        if status is None
        else {tasks[0].ref: observed(tasks[0].desired, status, finalizers=[FINALIZER], message="so")}
    )
    return sync, tasks, results, View(live, lambda _: False, frozenset([tasks[0].ref]) if gone else frozenset())


@pytest.mark.parametrize(
    ("status", "policy", "deleted", "row"),
    [
        (Status.PROGRESSING, "BeforeHookCreation", True, ("Failed", "Terminated")),
        (Status.HEALTHY, "BeforeHookCreation", False, ("Succeeded", "so")),
        (Status.HEALTHY, "HookFailed", True, ("Succeeded", "so")),
        (Status.DEGRADED, "HookSucceeded", False, ("Failed", "so")),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["recorded", "unrecorded"])
def test_hooks_do_not_outlive_a_sync_that_is_terminated(status, policy, deleted, row, known):
    end = step(*_hooks(status, policy=policy, recorded_too=known))
    assert (end.phase, end.message, end.retried) == ("Failed", "Operation terminated", False)
    assert [removal.task.ref.name for removal in end.strips] == ["h"]
    assert [removal.task.ref.name for removal in end.deletions] == (["h"] if deleted else [])
    assert [(each.hook_phase, each.message) for each in end.results] == [row]


def test_a_running_hook_is_looked_for_before_a_sync_is_terminated():
    wait = step(*_hooks(None))
    assert isinstance(wait, Wait)
    assert [task.ref.name for task in wait.unseen] == ["h"]
    end = step(*_hooks(None, gone=True))
    assert [(each.hook_phase, each.message) for each in end.results] == [("Succeeded", "Terminated")]
    assert end.deletions == ()


def test_completed_hooks_lose_their_finalizers_when_a_sync_is_terminated():
    sync, tasks, results, view = _hooks(Status.HEALTHY)
    done = (msgspec.structs.replace(results[0], hook_phase="Succeeded"),)
    end = step(sync, tasks, done, view)
    assert ([removal.task.ref.name for removal in end.strips], end.deletions) == (["h"], ())


def _state(*, automated=True, phase="Running", revision="old", finished="", revisions=()):
    return OperationState(
        operation=Operation(
            sync=SyncOperation(revision=revision), initiated_by=OperationInitiator(automated=automated)
        ),
        phase=phase,
        started_at=STARTED,
        finished_at=finished,
        sync_result=SyncOperationResult(revision=revision, revisions=revisions),
    )


def _wait(reason="health", *, hook=False):
    tasks = plan(Sync(started_at=STARTED), [desired("Job", "j", **({"hook": "Sync"} if hook else {}))], {}, everything)
    return Wait(results=(), message="", reason=reason, waiting=tasks)


@pytest.mark.parametrize(
    ("state", "newer", "wait", "waited_s", "patience", "expected", "why"),
    [
        (_state(), ("new",), _wait(), 0, Patience(), Verdict.YIELDS, "a fix for what it waits for may be in there"),
        (_state(), ("old",), _wait(), 99, Patience(), Verdict.STAYS, "nothing newer"),
        (_state(), (), _wait(), 99, Patience(), Verdict.STAYS, "nobody knows of anything newer"),
        (_state(automated=False), ("new",), _wait(), 99, Patience(), Verdict.STAYS, "a person asked for it"),
        (_state(phase="Terminating"), ("new",), _wait(), 99, Patience(), Verdict.STAYS, "it is ending anyway"),
        (_state(), ("new",), None, 99, Patience(), Verdict.STAYS, "it is doing something"),
        (_state(), ("new",), _wait(), 5, Patience(health_s=10), Verdict.STAYS, "it has some time"),
        (_state(), ("new",), _wait(), 10, Patience(health_s=10), Verdict.YIELDS, "that is over"),
        (_state(), ("new",), _wait("hook", hook=True), 999, Patience(), Verdict.STAYS, "hooks come to their end"),
        (_state(), ("new",), _wait("hook", hook=True), 60, Patience(hook_s=60), Verdict.TERMINATES, "unless told"),
        (_state(), ("new",), _wait("hook", hook=True), 59, Patience(hook_s=60), Verdict.STAYS, "not yet"),
        (
            _state(),
            ("new",),
            _wait("deletion", hook=True),
            0,
            Patience(),
            Verdict.STAYS,
            "a hook is being cleared away",
        ),
        (_state(), ("new",), _wait("confirmation"), 0, Patience(), Verdict.YIELDS, "nobody needs to agree any more"),
        (_state(finished=STARTED), ("new",), None, 0, Patience(), Verdict.YIELDS, "it only waits to be tried again"),
        (
            _state(revisions=("a", "b")),
            ("a", "b"),
            _wait(),
            9,
            Patience(),
            Verdict.STAYS,
            "several sources, all the same",
        ),
        (_state(revisions=("a", "b")), ("a", "c"), _wait(), 9, Patience(), Verdict.YIELDS, "one of several is newer"),
    ],
)
def test_a_stuck_sync_gives_way_to_a_newer_revision(state, newer, wait, waited_s, patience, expected, why):
    assert superseded(state, newer, wait, waited_s, patience) is expected, why


def test_a_sync_that_has_not_begun_stays():
    state = msgspec.structs.replace(_state(), sync_result=None)
    assert superseded(state, ("new",), _wait(), 9, Patience()) is Verdict.STAYS


def test_a_sync_that_gives_way_says_to_what_and_is_not_retried():
    sync, tasks, results, view = _hooks(Status.HEALTHY)
    end = stopped(msgspec.structs.replace(sync, terminating=False), tasks, results, view, yielding(("0123456789abc",)))
    assert isinstance(end, End)
    assert (end.phase, end.message, end.retried) == ("Failed", "Superseded by revision 0123456", False)


def test_time_runs_out():
    assert left_s(STARTED, None, _NOW) is None
    assert left_s(STARTED, 0, _NOW) is None
    assert left_s(STARTED, 90, _NOW) == 30.0
    assert left_s(STARTED, 30, _NOW) == -30.0


def test_what_has_been_waited_for_too_long_is_overdue():
    wanted = [
        desired("Deployment", "a", timeout="1m"),
        desired("Deployment", "b", timeout="2m"),
        desired("Deployment", "c"),
    ]
    tasks = plan(Sync(started_at=STARTED), wanted, {}, everything)
    since = {task.ref: _NOW - timedelta(seconds=60) for task in tasks}
    assert {ref.name for ref in overdue(tasks, since, _NOW)} == {"a"}
    assert overdue(tasks, {}, _NOW) == frozenset()


def test_an_application_says_how_long_its_syncs_may_take():
    assert timeout_s({}) is None
    assert timeout_s({"plumbline.dev/sync-timeout": " 10m "}) == 600.0
    with pytest.raises(InvalidInput):
        timeout_s({"plumbline.dev/sync-timeout": "never"})


@pytest.mark.parametrize(
    ("text", "since", "expected"),
    [
        ("2026-01-01T00:00:00Z", STARTED, True),
        ("2026-01-01T01:00:01+01:00", STARTED, True),
        ("2025-12-31T23:59:59Z", STARTED, False),
        ("yes", STARTED, False),
        ("", STARTED, False),
        ("2026-01-01T00:00:00Z", "", False),
    ],
)
def test_an_agreement_counts_from_the_moment_it_was_asked_for(text, since, expected):
    assert approved({APPROVED: text}, since) is expected


def test_a_sync_is_what_its_operation_asks_for():
    picked = (SyncOperationResource(kind="ConfigMap", name="c"),)
    asked = SyncOperation(
        revision="main",
        prune=True,
        dry_run=True,
        resources=picked,
        sync_options=("PrunePropagationPolicy=orphan", "Validate=false"),
        sync_strategy=SyncStrategy(hook=SyncStrategyHook(force=True)),
    )
    state = msgspec.structs.replace(_state(revision="abc"), operation=Operation(sync=asked), retry_count=3)
    managed = ManagedNamespaceMetadata(labels={"a": "b"})
    policy = SyncPolicy(managed_namespace_metadata=managed)
    sync = sync_of(state, "ns", policy, {APPROVED: STARTED}, 5.0)
    assert sync == Sync(
        started_at=STARTED,
        attempt=3,
        revision="abc",
        namespace="ns",
        prune=True,
        dry=True,
        force=True,
        hooks=False,
        resources=picked,
        options=sync.options,
        managed_namespace=managed,
        approved=True,
        delay_s=5.0,
    )
    assert sync.propagation == "Orphan"


@pytest.mark.parametrize(
    ("strategy", "hooks", "force"),
    [
        (None, True, False),
        (SyncStrategy(), True, False),
        (SyncStrategy(hook=SyncStrategyHook()), True, False),
        (SyncStrategy(apply=SyncStrategyApply(force=True)), False, True),
    ],
)
def test_the_strategy_apply_has_no_hooks(strategy, hooks, force):
    state = msgspec.structs.replace(
        _state(phase="Terminating"),
        operation=Operation(sync=SyncOperation(revision="r", sync_strategy=strategy)),
        sync_result=None,
    )
    sync = sync_of(state, "", None, {}, 0.0)
    assert (sync.hooks, sync.force, sync.terminating, sync.revision, sync.propagation) == (
        hooks,
        force,
        True,
        "r",
        "Foreground",
    )
