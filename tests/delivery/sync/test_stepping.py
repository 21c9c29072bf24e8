import pytest
from tests.delivery.sync.world import STARTED, desired, everything, observed, there

from plumbline.delivery.sync import End, Outcome, Run, Sync, View, Wait, plan, recorded, step
from plumbline.delivery.sync.hooks import FINALIZER, OPERATION
from plumbline.delivery.sync.options import parsed
from plumbline.delivery.sync.tasks import Facts, Kind
from plumbline.kube.health import Status


class Case:
    """A sync that is driven by hand: say what is there, look at the move, say what came of it."""

    def __init__(self, *wanted, live=(), facts=everything, options=(), **rest):
        settings = {"revision": "0123456789", "namespace": "ns", "options": parsed(options)} | rest
        self.sync = Sync(started_at=STARTED, **settings)
        self.wanted = wanted
        self.live = dict(live)
        self.tasks = plan(self.sync, wanted, self.live, facts)
        self.results = ()
        self.in_sync = frozenset()
        self.gone = frozenset()
        self.overdue = frozenset()

    def step(self):
        view = View(self.live, lambda ref: ref.name in self.in_sync, self.gone, self.overdue)
        move = step(self.sync, self.tasks, self.results, view)
        self.results = move.results
        return move

    def task(self, name, phase=None):
        return next(task for task in self.tasks if task.ref.name == name and phase in {None, task.phase})

    def see(self, name, status, phase=None, **rest):
        task = self.task(name, phase)
        self.live[task.ref] = observed(task.desired, status, **rest)

    def applied(self, move, status=Status.HEALTHY, failing=()):
        """Everything that *move* applies is there and as said."""
        outcomes = []
        for task in (task for batch in move.applies for task in batch):
            if task.ref.name in failing:
                outcomes.append(Outcome.failed(task, f"{task.ref.name} is refused"))
            else:
                outcomes.append(Outcome.applied(task, f"{task.ref.name} applied"))
                self.live[task.ref] = observed(task.desired, status, finalizers=[FINALIZER] if task.hook else ())
        self.results = recorded(self.results, outcomes)

    def rows(self):
        return {row.name: (row.status, row.hook_phase, row.message) for row in self.results}


def _names(move):
    return [[task.ref.name for task in batch] for batch in move.applies]


def test_a_sync_of_one_step_is_over_once_everything_is_applied_however_it_fares():
    case = Case(desired("ConfigMap", "c"), desired("Deployment", "d"), desired("Service", "s"))
    move = case.step()
    assert _names(move) == [["c"], ["s"], ["d"]]
    assert (move.message, move.pause_s) == ("one or more tasks are running", 0.0)
    case.applied(move, Status.DEGRADED)
    end = case.step()
    assert (end.phase, end.message) == ("Succeeded", "successfully synced (all tasks run)")
    assert case.rows()["d"] == ("Synced", "Running", "d applied")


def test_neighbours_of_one_kind_and_kinds_without_order_go_at_once():
    case = Case(*(desired(kind, f"{kind.lower()}{at}") for kind in ("Secret", "Widget", "Gadget") for at in range(2)))
    assert _names(case.step()) == [["secret0", "secret1"], ["gadget0", "gadget1", "widget0", "widget1"]]


def test_nothing_to_do_is_a_success():
    end = Case().step()
    assert (end.phase, end.message, end.results) == ("Succeeded", "successfully synced (no more tasks)", ())


def test_waves_wait_for_the_health_of_those_before():
    case = Case(*(desired("Deployment", f"d{at}", wave=str(at // 3)) for at in range(4)))
    move = case.step()
    assert (_names(move), move.pause_s) == ([["d0", "d1", "d2"]], 2.0)
    case.applied(move, Status.PROGRESSING)
    wait = case.step()
    assert (wait.message, wait.reason) == (
        "waiting for healthy state of apps/Deployment/d0 and 2 more resources",
        "health",
    )
    case.see("d0", Status.HEALTHY)
    case.see("d1", Status.HEALTHY)
    assert case.step().message == "waiting for healthy state of apps/Deployment/d2"
    case.see("d2", Status.HEALTHY)
    move = case.step()
    assert (_names(move), move.pause_s) == ([["d3"]], 0.0)
    assert case.rows()["d0"] == ("Synced", "Succeeded", "d0 applied")


def test_core_kinds_are_named_with_their_empty_group():
    case = Case(desired("Service", "s"), desired("ConfigMap", "c", wave="1"))
    case.applied(case.step(), Status.PROGRESSING)
    assert case.step().message == "waiting for healthy state of /Service/s"


@pytest.mark.parametrize("status", [Status.PROGRESSING, Status.SUSPENDED, Status.MISSING, Status.UNKNOWN])
def test_a_resource_is_waited_for_while_it_is_neither_well_nor_broken(status):
    case = Case(desired("Deployment", "d"), desired("ConfigMap", "c", wave="1"))
    case.applied(case.step(), status)
    assert isinstance(case.step(), Wait)


def test_a_broken_resource_fails_a_sync_that_has_to_go_on():
    case = Case(desired("Deployment", "d"), desired("ConfigMap", "c", wave="1"))
    case.applied(case.step(), Status.DEGRADED)
    end = case.step()
    assert (end.phase, end.message) == ("Failed", "one or more synchronization tasks completed unsuccessfully")
    assert case.rows()["d"][:2] == ("Synced", "Failed")


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        (None, "Succeeded"),
        (Status.HEALTHY, "Succeeded"),
        (Status.PROGRESSING, "Running"),
        (Status.SUSPENDED, "Running"),
        (Status.DEGRADED, "Failed"),
        (Status.UNKNOWN, "Failed"),
    ],
)
def test_a_hook_stands_as_its_health_says(status, phase):
    case = Case(desired("Job", "h", hook="Sync"))
    case.applied(case.step(), status)
    case.step()
    assert case.rows()["h"][1] == phase


def test_hooks_are_waited_for_even_in_a_sync_of_one_step():
    case = Case(desired("Job", "h1", hook="Sync"), desired("Job", "h2", hook="Sync"), desired("Deployment", "d"))
    case.applied(case.step(), Status.PROGRESSING)
    wait = case.step()
    assert (wait.message, wait.reason) == ("waiting for completion of hook batch/Job/h1 and 1 more hooks", "hook")
    case.see("h1", Status.HEALTHY, message="done")
    case.see("h2", None)
    end = case.step()
    assert (end.phase, end.message) == ("Succeeded", "successfully synced (no more tasks)")
    assert case.rows()["h1"] == ("Synced", "Succeeded", "done")
    assert case.rows()["h2"] == ("Synced", "Succeeded", "h2 created")


def test_hooks_are_named_first_among_what_is_waited_for():
    case = Case(desired("Deployment", "a"), desired("Job", "h", hook="Sync"), desired("ConfigMap", "z", wave="1"))
    case.applied(case.step(), Status.PROGRESSING)
    assert case.step().message == "waiting for completion of hook batch/Job/h and 1 more resources"


def test_hooks_after_a_sync_run_only_when_everything_is_well():
    case = Case(desired("Deployment", "d"), desired("Job", "h", hook="PostSync"))
    case.applied(case.step(), Status.PROGRESSING)
    assert isinstance(case.step(), Wait)
    case.see("d", Status.HEALTHY)
    assert _names(case.step()) == [["h"]]


def test_an_object_that_is_in_sync_is_not_applied():
    case = Case(desired("Deployment", "d"), desired("ConfigMap", "c"), live=there((desired("Deployment", "d"), None)))
    case.in_sync = {"d", "c"}
    move = case.step()
    assert _names(move) == [["c"]], "what is not there is not in sync, whatever is said"
    assert case.rows() == {"d": ("Synced", "Running", "deployment.apps/d unchanged")}


def test_a_sync_with_nothing_to_apply_needs_one_step_and_no_pause():
    wanted = [desired("ConfigMap", "c"), desired("Deployment", "d", wave="1"), desired("ConfigMap", "e", wave="2")]
    case = Case(*wanted, live=there(*((each, Status.HEALTHY) for each in wanted)))
    case.in_sync = {"c", "d", "e"}
    end = case.step()
    assert (end.phase, end.message) == ("Succeeded", "successfully synced (all tasks run)")
    assert {row.message for row in end.results} == {
        "configmap/c unchanged",
        "configmap/e unchanged",
        "deployment.apps/d unchanged",
    }


def test_an_object_in_sync_is_still_waited_for():
    wanted = [desired("Deployment", "d"), desired("ConfigMap", "c", wave="1")]
    case = Case(*wanted, live=there((wanted[0], Status.PROGRESSING)))
    case.in_sync = {"d"}
    assert case.step().message == "waiting for healthy state of apps/Deployment/d"


@pytest.mark.parametrize("options", ["Replace=true", "Force=true"])
def test_what_is_to_be_replaced_or_forced_is_written_even_in_sync(options):
    wanted = desired("Deployment", "d", options=options)
    case = Case(wanted, live=there((wanted, None)))
    case.in_sync = {"d"}
    assert _names(case.step()) == [["d"]]


def test_apply_out_of_sync_only_leaves_the_rest_alone():
    wanted = [desired("Deployment", "slow"), desired("Deployment", "d", wave="1"), desired("Job", "h", hook="PreSync")]
    case = Case(*wanted, live=there((wanted[0], Status.PROGRESSING)), options=["ApplyOutOfSyncOnly=true"])
    case.in_sync = {"slow", "h"}
    move = case.step()
    assert _names(move) == [["h"]], "hooks still run"
    case.applied(move)
    move = case.step()
    assert _names(move) == [["d"]]
    case.applied(move, Status.PROGRESSING)
    case.in_sync = {"slow", "d"}
    assert case.step().message == "successfully synced (all tasks run)"
    assert "slow" not in case.rows()


def test_the_hook_of_an_earlier_sync_is_deleted_before_it_is_created_anew():
    hook = desired("Job", "h", hook="PreSync")
    case = Case(hook, live={hook.ref: observed(hook, Status.HEALTHY, finalizers=[FINALIZER])})
    move = case.step()
    assert ([r.task.ref.name for r in move.strips], [r.task.ref.name for r in move.deletions], move.applies) == (
        ["h"],
        ["h"],
        (),
    )
    assert move.deletions[0].live.meta.uid == "uid-h"
    case.live[hook.ref] = observed(hook, Status.HEALTHY, deleting=True)
    wait = case.step()
    assert (wait.message, wait.reason) == ("waiting for deletion of hook batch/Job/h", "deletion")
    case.live.clear()
    assert _names(case.step()) == [["h"]]


def test_a_hook_that_is_to_stay_is_applied_over():
    hook = desired("Job", "h", hook="PreSync", policy="HookSucceeded")
    case = Case(hook, live={hook.ref: observed(hook, Status.HEALTHY, finalizers=[FINALIZER])})
    move = case.step()
    assert (len(move.strips), move.deletions, _names(move)) == (1, (), [["h"]])


def test_a_hook_that_this_operation_created_is_recognised_although_nobody_recorded_it():
    case = Case(desired("Job", "h", hook="PreSync"), desired("ConfigMap", "c"))
    case.see("h", Status.PROGRESSING)
    wait = case.step()
    assert wait.message == "waiting for completion of hook batch/Job/h"
    assert case.rows()["h"] == ("Synced", "Running", "job.batch/h created")


def test_a_hook_of_the_attempt_before_is_not_taken_for_this_one():
    first = Case(desired("Job", "h", hook="PreSync"))
    second = Case(desired("Job", "h", hook="PreSync"), attempt=1)
    first.see("h", Status.DEGRADED)
    second.live = first.live
    assert [removal.task.ref.name for removal in second.step().deletions] == ["h"]


def test_a_hook_of_two_phases_runs_twice():
    case = Case(desired("Job", "h", hook="PreSync,PostSync"))
    case.applied(case.step())
    move = case.step()
    assert ([r.task.phase for r in move.deletions], len(move.strips)) == (["PostSync"], 1)
    case.live.clear()
    move = case.step()
    assert [task.desired.annotations[OPERATION] for batch in move.applies for task in batch] == [f"{STARTED}/PostSync"]


def test_finalizers_come_off_hooks_that_have_completed():
    case = Case(desired("Job", "h", hook="PreSync", policy="HookSucceeded"), desired("ConfigMap", "c"))
    case.applied(case.step())
    move = case.step()
    assert ([r.task.ref.name for r in move.strips], _names(move)) == (["h"], [["c"]])
    case.applied(move)
    end = case.step()
    assert ([r.task.ref.name for r in end.strips], [r.task.ref.name for r in end.deletions]) == (["h"], ["h"])


@pytest.mark.parametrize(
    ("policy", "well", "deleted"),
    [
        ("HookSucceeded", True, True),
        ("HookSucceeded", False, False),
        ("HookFailed", True, False),
        ("HookFailed", False, True),
        ("BeforeHookCreation", True, False),
        ("HookSucceeded,HookFailed", False, True),
    ],
)
def test_hooks_are_deleted_at_the_end_of_the_whole_sync(policy, well, deleted):
    case = Case(desired("Job", "h", hook="PreSync", policy=policy), desired("ConfigMap", "c"))
    case.applied(case.step())
    case.applied(case.step(), failing=() if well else ["c"])
    end = case.step()
    assert end.phase == ("Succeeded" if well else "Failed")
    assert [removal.task.ref.name for removal in end.deletions] == (["h"] if deleted else [])


def test_what_could_not_be_applied_fails_the_sync_with_its_reasons():
    case = Case(desired("ConfigMap", "a"), desired("Deployment", "b"))
    case.applied(case.step(), failing=["a", "b"])
    end = case.step()
    assert (end.phase, end.message) == (
        "Failed",
        "one or more objects failed to apply, reason: a is refused,b is refused",
    )


def test_what_could_be_applied_is_waited_for_before_a_sync_of_several_steps_fails():
    case = Case(desired("ConfigMap", "a"), desired("Deployment", "b"), desired("ConfigMap", "c", wave="1"))
    case.applied(case.step(), Status.PROGRESSING, failing=["a"])
    assert case.step().message == "waiting for healthy state of apps/Deployment/b"
    case.see("b", Status.HEALTHY)
    assert case.step().message == "one or more synchronization tasks completed unsuccessfully, reason: a is refused"


def test_hooks_of_failure_start_at_once_and_end_before_the_sync_does():
    case = Case(
        desired("ConfigMap", "a"),
        desired("Job", "h", hook="Sync"),
        desired("Job", "late", hook="SyncFail", wave="1"),
        desired("Job", "early", hook="SyncFail"),
    )
    case.applied(case.step(), Status.PROGRESSING, failing=["a"])
    move = case.step()
    assert _names(move) == [["early"], ["late"]]
    case.applied(move, Status.PROGRESSING)
    assert case.step().message == "waiting for completion of hook batch/Job/h and 2 more hooks"
    for name in ("h", "early", "late"):
        case.see(name, Status.HEALTHY)
    end = case.step()
    assert end.message == "one or more synchronization tasks completed unsuccessfully, reason: a is refused"


def test_hooks_of_failure_do_not_run_without_a_failure():
    case = Case(desired("ConfigMap", "a"), desired("Job", "f", hook="SyncFail"))
    case.applied(case.step())
    assert case.step().message == "successfully synced (all tasks run)"


def test_a_hook_that_fails_starts_the_hooks_of_failure():
    case = Case(desired("Job", "h", hook="PreSync"), desired("ConfigMap", "c"), desired("Job", "f", hook="SyncFail"))
    case.applied(case.step(), Status.DEGRADED)
    assert _names(case.step()) == [["f"]]


def test_a_hook_of_failure_that_cannot_be_created_is_told_as_well():
    case = Case(desired("ConfigMap", "a"), desired("Job", "f", hook="SyncFail"))
    case.applied(case.step(), failing=["a"])
    case.applied(case.step(), failing=["f"])
    assert case.step().message == (
        "one or more synchronization tasks completed unsuccessfully, reason: a is refused\n"
        "one or more SyncFail hooks failed, reason: f is refused"
    )


def test_a_namespace_that_cannot_be_made_ends_everything():
    case = Case(desired("ConfigMap", "c"), desired("Job", "f", hook="SyncFail"), options=["CreateNamespace=true"])
    move = case.step()
    assert _names(move) == [["ns"], ["c"]]
    case.applied(move, failing=["ns", "c"])
    end = case.step()
    assert (end.phase, end.message) == ("Failed", "the namespace failed to apply, reason: ns is refused,c is refused")


def test_nobody_waits_for_a_namespace_that_was_made_on_the_way():
    case = Case(desired("Job", "h", hook="PreSync"), options=["CreateNamespace=true"])
    move = case.step()
    case.applied(move)
    del case.live[case.task("ns").ref]
    assert isinstance(case.step(), End)


def test_an_object_that_is_not_seen_is_looked_for_and_missed():
    case = Case(desired("Deployment", "d"), desired("ConfigMap", "c", wave="1"))
    case.applied(case.step())
    case.live.clear()
    wait = case.step()
    assert [task.ref.name for task in wait.unseen] == ["d"]
    case.gone = {case.task("d").ref}
    end = case.step()
    missing = "Resource apps/Deployment/d is missing, it might have been deleted"
    assert end.message == f"one or more synchronization tasks completed unsuccessfully, reason: {missing}"
    assert case.rows()["d"] == ("SyncFailed", "Error", missing)


def test_an_object_that_had_its_time_fails_the_sync():
    case = Case(desired("Deployment", "d", timeout="90"), desired("ConfigMap", "c", wave="1"))
    case.applied(case.step(), Status.PROGRESSING)
    case.step()
    case.overdue = {case.task("d").ref}
    end = case.step()
    assert end.message.endswith("reason: apps/Deployment/d did not become healthy within 90 seconds")


def test_a_hook_that_had_its_time_does_not_outlive_the_sync():
    case = Case(desired("Job", "h", hook="PreSync", timeout="2m"))
    case.applied(case.step(), Status.PROGRESSING)
    case.overdue = {case.task("h").ref}
    end = case.step()
    assert end.message.endswith("reason: batch/Job/h did not complete within 120 seconds")
    assert ([r.task.ref.name for r in end.strips], [r.task.ref.name for r in end.deletions]) == (["h"], ["h"])


def _extra(*names, **annotations):
    return there(*((desired("ConfigMap", name, **annotations), None) for name in names))


def test_prunes_go_before_applies_of_the_same_step():
    case = Case(desired("ConfigMap", "new"), live=_extra("old"), prune=True)
    move = case.step()
    assert ([removal.task.ref.name for removal in move.prunes], _names(move)) == (["old"], [["new"]])
    case.results = recorded(case.results, [Outcome.pruned(move.prunes[0].task)])
    case.applied(move)
    assert case.step().message == "successfully synced (all tasks run)"
    assert case.rows()["old"] == ("Pruned", "Succeeded", "pruned")


def test_the_next_step_waits_until_pruned_objects_are_gone():
    case = Case(desired("ConfigMap", "new", wave="1"), live=_extra("old1", "old2"), prune=True)
    move = case.step()
    assert move.pause_s == 2.0
    case.results = recorded(case.results, [Outcome.pruned(removal.task) for removal in move.prunes])
    case.live = {
        removal.task.ref: observed(desired("ConfigMap", removal.task.ref.name), deleting=True)
        for removal in move.prunes
    }
    wait = case.step()
    assert (wait.message, wait.reason) == ("waiting for deletion of /ConfigMap/old1 and 1 more resources", "deletion")
    case.live.clear()
    assert _names(case.step()) == [["new"]]


def test_an_object_that_is_gone_or_going_is_not_pruned_again():
    case = Case(live=_extra("gone", "going", "reborn"), prune=True)
    case.live = {
        case.task("going").ref: observed(desired("ConfigMap", "going"), deleting=True),
        case.task("reborn").ref: observed(desired("ConfigMap", "reborn"), uid="another"),
    }
    end = case.step()
    assert end.phase == "Succeeded"
    assert {row.status for row in end.results} == {"Pruned"}


@pytest.mark.parametrize(
    ("options", "prune", "message"),
    [("", False, "ignored (requires pruning)"), ("Prune=false", True, "ignored (no prune)")],
)
def test_what_is_not_to_be_pruned_is_said_to_be_left(options, prune, message):
    case = Case(live=_extra("x", **({"options": options} if options else {})), prune=prune)
    assert case.step().phase == "Succeeded"
    assert case.rows()["x"] == ("PruneSkipped", "Succeeded", message)


def test_a_prune_that_needs_a_yes_holds_its_step():
    live = _extra("a", "b", options="Prune=confirm") | _extra("c")
    case = Case(desired("ConfigMap", "new"), live=live, prune=True)
    wait = case.step()
    assert (wait.message, wait.reason) == (
        "waiting for pruning confirmation of /ConfigMap/a and 1 more resources",
        "confirmation",
    )
    agreed = Case(desired("ConfigMap", "new"), live=live, prune=True, approved=True)
    assert len(agreed.step().prunes) == 3


def test_a_dry_run_applies_dry_and_deletes_nothing():
    hook = desired("Job", "h", hook="PreSync", policy="HookSucceeded,BeforeHookCreation")
    live = {hook.ref: observed(hook, Status.HEALTHY, finalizers=[FINALIZER])} | _extra("old")
    case = Case(hook, desired("ConfigMap", "c", wave="1"), live=live, prune=True, dry=True)
    move = case.step()
    assert (_names(move), move.strips, move.deletions, move.pause_s) == ([["h"]], (), (), 0.0)
    case.applied(move)
    move = case.step()
    assert (move.prunes, _names(move)) == ((), [["c"]])
    assert case.rows()["old"] == ("Pruned", "Succeeded", "pruned (dry run)")
    case.applied(move)
    end = case.step()
    assert (end.phase, end.strips, end.deletions) == ("Succeeded", (), ())


def test_a_dry_run_passes_over_kinds_that_are_not_served_yet():
    spec = {"group": "example.com", "names": {"kind": "Widget"}}
    crd = desired("CustomResourceDefinition", "widgets.example.com", spec=spec)
    case = Case(desired("Widget", "w"), crd, dry=True, facts=Facts(kind=lambda gvk: Kind(served=gvk.kind != "Widget")))
    move = case.step()
    assert _names(move) == [["widgets.example.com"]]
    assert case.rows()["w"] == ("Synced", "Succeeded", "widget.example.com/w skipped (dry run)")


def test_a_hook_in_the_way_that_cannot_be_removed_fails_the_sync():
    hook = desired("Job", "h", hook="PreSync")
    case = Case(hook, live={hook.ref: observed(hook, Status.HEALTHY)})
    move = case.step()
    case.results = recorded(case.results, [Outcome.uncleared(move.deletions[0].task, "failed to delete resource: no")])
    assert case.step().message == "one or more synchronization tasks completed unsuccessfully"


def test_the_same_question_has_the_same_answer():
    case = Case(desired("Deployment", "d"), desired("Job", "h", hook="Sync"), live=_extra("x"), prune=True)
    first = case.step()
    case.results = ()
    assert case.step() == first
    assert isinstance(first, Run)
