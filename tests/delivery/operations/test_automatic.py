from datetime import UTC, datetime

import pytest

from plumbline.delivery.operations.automatic import Begin, Compared, Later, Leave, Refuse, decided
from plumbline.delivery.operations.history import counts, remembered
from plumbline.delivery.operations.retries import Healing
from plumbline.kinds.application import (
    ApplicationDestination,
    ApplicationSource,
    ApplicationSpec,
    Operation,
    OperationState,
    ResourceStatus,
    RetryStrategy,
    RevisionHistory,
    SyncOperation,
    SyncOperationResource,
    SyncOperationResult,
    SyncPolicy,
    SyncPolicyAutomated,
)

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
SOURCE = ApplicationSource(repo_url="https://git.example.org/shop.git", path="web")
OTHER = ApplicationSource(repo_url="https://git.example.org/shop.git", path="api")


def app(*, sources=(), **automated):
    policy = SyncPolicy(automated=SyncPolicyAutomated(**automated), sync_options=("CreateNamespace=true",))
    one = None if sources else SOURCE
    return ApplicationSpec(
        source=one, sources=sources, destination=ApplicationDestination(), project="", sync_policy=policy
    )


def resource(name, status="OutOfSync", **more):
    return ResourceStatus(version="v1", kind="ConfigMap", namespace="shop", name=name, status=status, **more)


def found(*resources, status="OutOfSync", revision="new", changed=True):
    return Compared(status, (revision,), resources or (resource("a"),), changed)


def last(phase="Succeeded", revision="new", *, source=SOURCE, healed=0, result=True):
    return OperationState(
        operation=Operation(sync=SyncOperation(auto_heal_attempts_count=healed)), phase=phase, message="because",
        started_at="2026-03-01T11:59:00Z", finished_at="2026-03-01T11:59:59Z",
        sync_result=SyncOperationResult(revision=revision, source=source) if result else None,
    )  # fmt: skip


def decision(spec, state, compared):
    return decided(spec, state, compared, Healing(), NOW)


def test_a_new_revision_is_synced_as_a_whole():
    begun = decision(app(prune=True), last(revision="old"), found())
    assert isinstance(begun, Begin)
    sync = begun.operation.sync
    assert (sync.revision, sync.prune, sync.source, sync.resources) == ("new", True, SOURCE, ())
    assert sync.sync_options == ("CreateNamespace=true",)
    assert begun.operation.initiated_by.automated
    assert begun.operation.retry == RetryStrategy(limit=5)


def test_several_sources_are_synced_to_their_revisions():
    compared = Compared("OutOfSync", ("one", "two"), (resource("a"),))
    sync = decision(app(sources=(SOURCE, OTHER)), None, compared).operation.sync
    assert (sync.revision, sync.revisions, sync.source, sync.sources) == ("", ("one", "two"), None, (SOURCE, OTHER))


def test_the_policys_own_retry_is_used():
    spec = ApplicationSpec(
        source=SOURCE, destination=ApplicationDestination(), project="",
        sync_policy=SyncPolicy(automated=SyncPolicyAutomated(), retry=RetryStrategy(limit=2)),
    )  # fmt: skip
    assert decision(spec, None, found()).operation.retry.limit == 2


MANUAL = ApplicationSpec(source=SOURCE, destination=ApplicationDestination(), project="", sync_policy=SyncPolicy())


@pytest.mark.parametrize(
    ("spec", "state", "compared", "why"),
    [
        (MANUAL, None, found(), "nobody asked for automation"),
        (app(enabled=False), None, found(), "it is switched off"),
        (app(), None, found(status="Synced"), "nothing differs"),
        (app(), None, found(status="Unknown"), "nobody knows what differs"),
        (app(), None, found(resource("a", "Synced"), resource("b", requires_pruning=True)), "only prunes are left"),
        (app(), last(), found(), "synced before, and does not heal itself"),
        (app(), last(revision="old"), found(changed=False), "the new commit brings nothing for it"),
    ],
)
def test_it_leaves_alone_what_is_not_its_business(spec, state, compared, why):
    assert isinstance(decision(spec, state, compared), Leave), why


def test_a_revision_that_failed_is_not_tried_again_by_itself():
    refused = decision(app(self_heal=True), last("Failed"), found())
    assert refused == Refuse("Failed last sync attempt to [new]: because")


def test_an_operation_that_ended_without_result_is_not_repeated_for_ever():
    assert decision(app(), last("Error", result=False), found()) == Refuse("Failed last sync attempt to []: because")


def test_another_source_is_another_attempt():
    assert isinstance(decision(app(), last("Failed", source=OTHER), found()), Begin)


def test_everything_is_not_deleted_without_being_allowed():
    gone = found(resource("a", requires_pruning=True), resource("b", requires_pruning=True))
    refused = decision(app(prune=True), last(revision="old"), gone)
    assert refused == Refuse("Skipping sync attempt to [new]: auto-sync will wipe out all resources")
    assert isinstance(decision(app(prune=True, allow_empty=True), last(revision="old"), gone), Begin)


def test_drift_is_healed_at_once_and_only_where_it_is():
    begun = decision(app(self_heal=True), last(), found(resource("a"), resource("b", "Synced")))
    sync = begun.operation.sync
    assert sync.resources == (SyncOperationResource(group="", kind="ConfigMap", name="a", namespace="shop"),)
    assert sync.auto_heal_attempts_count == 1


def test_drift_that_comes_back_is_healed_later_and_later():
    assert decision(app(self_heal=True), last(healed=1), found()) == Later(1.0)
    assert decision(app(self_heal=True), last(healed=2), found()) == Later(5.0)


def test_history_keeps_the_newest_and_counts_on():
    history = tuple(RevisionHistory(id=number, deployed_at="t") for number in range(4))
    kept = remembered(history, last(), "2026-03-01T12:00:00Z", 3)
    assert [entry.id for entry in kept] == [2, 3, 4]
    assert (kept[-1].revision, kept[-1].source, kept[-1].deploy_started_at) == ("new", SOURCE, "2026-03-01T11:59:00Z")
    assert remembered((), last(), "t", 0) == ()
    assert [entry.id for entry in remembered((), last(), "t", None)] == [0]
    assert remembered(history, last(result=False), "t", None) == history


def test_only_whole_and_real_syncs_that_succeeded_are_remembered():
    assert counts(last())
    assert not counts(last("Failed"))
    for sync in (
        SyncOperation(dry_run=True),
        SyncOperation(resources=(SyncOperationResource(kind="A", name="b"),)),
        None,
    ):
        state = OperationState(operation=Operation(sync=sync), phase="Succeeded", started_at="t")
        assert not counts(state)
