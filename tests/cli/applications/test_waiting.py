"""When waiting is over, and what is said on the way."""

import click
import pytest

from plumbline.base.clock import VirtualClock
from plumbline.cli.applications.picking import picked
from plumbline.cli.applications.states import by_key, states
from plumbline.cli.applications.waiting import Progress, Wanted, busy


def app(sync="Synced", health="Healthy", **more):
    return {"status": {"sync": {"status": sync}, "health": {"status": health}, **more.pop("status", {})}, **more}


FINISHED = {"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:05Z"}
MET = [
    (Wanted().meant, app(), True, "synced, healthy and at rest"),
    (Wanted().meant, app(sync="OutOfSync"), False, "not synced"),
    (Wanted().meant, app(health="Progressing"), False, "not healthy"),
    (Wanted(sync=True), app(health="Degraded"), True, "only the sync counts"),
    (Wanted(health=True, suspended=True), app(health="Suspended"), True, "one of two healths"),
    (Wanted(degraded=True), app(), False, "not degraded"),
    (Wanted(operation=True), app(operation={"sync": {}}), False, "an operation is asked for"),
    (Wanted(operation=True), app(status={"operationState": {"phase": "Running"}}), False, "an operation runs"),
    (Wanted(operation=True), app(status={"operationState": FINISHED}), False, "nobody has looked since"),
    (Wanted(operation=True), app(status={"operationState": FINISHED, "reconciledAt": "2026-01-01T00:00:05Z"}), True, "over"),
    (
        Wanted(operation=True),
        app(status={"operationState": {**FINISHED, "operation": {"sync": {"dryRun": True}}}}),
        True,
        "a dry run changes nothing",
    ),
    (Wanted(delete=True), app(), False, "it is still there"),
    (Wanted(hydrated=True), app(), False, "never hydrated"),
    (
        Wanted(hydrated=True),
        app(status={"sourceHydrator": {"currentOperation": {"phase": "Hydrated", "drySHA": "a"}, "lastSuccessfulOperation": {"drySHA": "a"}}}),
        True,
        "hydrated",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "given", "expected", "why"), MET, ids=[case[3] for case in MET])
def test_waiting_is_over_when_it_is_so(wanted, given, expected, why):
    assert wanted.met(given) is expected


def test_single_objects_can_be_waited_for():
    resources = [
        {"kind": "ConfigMap", "name": "a", "status": "Synced"},
        {"kind": "ConfigMap", "name": "b", "status": "OutOfSync"},
    ]
    given = app(sync="OutOfSync", status={"resources": resources})
    assert Wanted(sync=True).met(given, picked([":ConfigMap:a"]))
    assert not Wanted(sync=True).met(given, picked([":ConfigMap:*"]))
    assert not busy({})


RESULT = {"group": "", "version": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "a", "status": "Synced", "message": "configmap/a created", "syncPhase": "Sync", "hookPhase": "Running"}  # fmt: skip
HOOK = RESULT | {"kind": "Job", "name": "j", "hookType": "PreSync", "hookPhase": "Succeeded", "syncPhase": "PreSync"}


def synced(*results, **resource):
    status = {"kind": "ConfigMap", "namespace": "shop", "name": "a", "status": "Synced", "syncWave": 2, **resource}
    return {"status": {"resources": [status], "operationState": {"syncResult": {"resources": list(results)}}}}


def test_each_change_is_one_line_under_its_phase_and_wave():
    said = []
    progress = Progress(said.append, VirtualClock())
    progress.see(synced(HOOK))
    progress.see(synced(HOOK, RESULT))
    progress.see(synced(HOOK, RESULT))
    words = [click.unstyle(line).split() for line in said]
    assert words[0][0] == "TIMESTAMP"
    assert words[1] == ["PreSync"]
    assert words[2][1:] == ["Job", "shop", "j", "Succeeded", "Synced", "PreSync", "configmap/a", "created"]
    assert words[3][1:] == ["ConfigMap", "shop", "a", "Synced"]
    assert words[4] == ["Sync,", "wave", "2"]
    assert words[5][1:] == ["ConfigMap", "shop", "a", "Synced", "configmap/a", "created"]
    assert len(said) == 6


def test_what_an_operation_waits_for_is_told_once_until_it_is_over():
    said = []
    progress = Progress(said.append, VirtualClock())

    def operation(phase, message):
        return {"status": {"operationState": {"phase": phase, "message": message}}}

    for _ in range(2):
        progress.see(operation("Running", "Sync operation blocked by sync window"))
    progress.see(operation("Running", "waiting for healthy state of apps/Deployment/web"))
    progress.see(operation("Succeeded", "successfully synced (all tasks run)"))
    assert said == ["Sync operation blocked by sync window", "waiting for healthy state of apps/Deployment/web"]


def test_becoming_degraded_is_noticed():
    progress = Progress(lambda _: None, VirtualClock())
    assert progress.see(synced(health={"status": "Progressing"})) == ""
    assert "from Progressing to Degraded" in progress.see(synced(health={"status": "Degraded"}))
    assert progress.see(synced(health={"status": "Degraded"})) == ""


def test_states_of_hooks_come_from_the_sync_and_others_from_what_is_there():
    found = states(synced(HOOK, RESULT, status="OutOfSync", health={"status": "Healthy"}))
    assert [(each.name, each.status, each.health, each.hook) for each in found] == [
        ("j", "Succeeded", "Synced", "PreSync"),
        ("a", "OutOfSync", "Healthy", ""),
    ]
    twice = by_key([found[0], found[0]._replace(status="", message="later")])
    assert twice[found[0].key].status == "Succeeded"
    assert twice[found[0].key].message == "later"
