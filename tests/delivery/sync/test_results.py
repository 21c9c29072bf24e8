from tests.delivery.sync.world import STARTED, desired, everything, there

from plumbline.base.json import decode, encode
from plumbline.delivery.sync import Outcome, Sync, plan, recorded
from plumbline.kinds.application import SyncOperationResult


def _tasks(*wanted, live=(), **rest):
    return plan(Sync(started_at=STARTED, revision="abc", **rest), wanted, dict(live), everything)


def test_results_are_written_as_others_read_them():
    pod = {"containers": [{"name": "a", "image": "app:1"}, {"name": "b", "image": "side:2"}]}
    hook, web = _tasks(
        desired("Job", "j", hook="PreSync", spec={"template": {"spec": pod}}),
        desired("Deployment", "web", spec={"template": {"spec": pod}}),
    )
    rows = recorded((), [Outcome.applied(hook, "job.batch/j created"), Outcome.failed(web, "no")])
    assert decode(encode(SyncOperationResult(revision="abc", resources=rows)))["resources"] == [
        {
            "group": "batch",
            "version": "v1",
            "kind": "Job",
            "namespace": "ns",
            "name": "j",
            "status": "Synced",
            "message": "job.batch/j created",
            "hookType": "PreSync",
            "hookPhase": "Running",
            "syncPhase": "PreSync",
            "images": ["app:1", "side:2"],
        },
        {
            "group": "apps",
            "version": "v1",
            "kind": "Deployment",
            "namespace": "ns",
            "name": "web",
            "status": "SyncFailed",
            "message": "no",
            "hookPhase": "Failed",
            "syncPhase": "Sync",
            "images": ["app:1", "side:2"],
        },
    ]


def test_an_entry_keeps_its_place_and_its_last_message():
    a, b = _tasks(desired("ConfigMap", "a"), desired("ConfigMap", "b"))
    rows = recorded((), [Outcome.applied(a, "created"), Outcome.applied(b, "created")])
    rows = recorded(rows, [Outcome.failed(a, "")])
    assert [(row.name, row.status, row.message) for row in rows] == [
        ("a", "SyncFailed", "created"),
        ("b", "Synced", "created"),
    ]


def test_a_hook_that_cannot_be_cleared_away_is_an_error_and_was_not_synced():
    (hook,) = _tasks(desired("Job", "j", hook="Sync"))
    (row,) = recorded((), [Outcome.uncleared(hook, "failed to delete resource: no")])
    assert (row.status, row.hook_phase) == ("", "Error")


def test_nothing_is_waited_for_after_a_dry_run():
    (task,) = _tasks(desired("Deployment", "d"), dry=True)
    assert recorded((), [Outcome.applied(task, "x")])[0].hook_phase == "Succeeded"


def test_images_are_found_in_every_workload_and_nowhere_else():
    containers = {"containers": [{"image": "i:1"}, {"name": "none"}, "odd"]}
    cron = {"jobTemplate": {"spec": {"template": {"spec": containers}}}}
    wanted = [
        desired("Pod", "p", spec=containers),
        desired("CronJob", "c", spec=cron),
        desired("Widget", "w", spec={"x": [{"containers": 1}]}),
    ]
    live = there((desired("Pod", "old", spec=containers), None))
    tasks = _tasks(*wanted, live=live, prune=True)
    rows = recorded((), [Outcome.pruned(task) if task.pruning else Outcome.applied(task, "") for task in tasks])
    assert {row.name: row.images for row in rows} == {"p": ("i:1",), "c": ("i:1",), "w": (), "old": ("i:1",)}
