from datetime import UTC, datetime

import msgspec
import pytest
from tests.delivery.sync.world import STARTED, desired, everything, observed, there

from plumbline.base.json import encode
from plumbline.delivery.sync import Sync, plan
from plumbline.delivery.sync.hooks import FINALIZER, OPERATION
from plumbline.delivery.sync.options import parsed
from plumbline.delivery.sync.tasks import Facts, Invalid, Kind, verb
from plumbline.kinds.application import ManagedNamespaceMetadata, SyncOperationResource
from plumbline.kube.health import Status

_UNIX = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())


def _sync(*options, **rest):
    return Sync(started_at=STARTED, namespace="ns", options=parsed(options), **({"revision": "0123456789abc"} | rest))


def _planned(wanted, live=(), *options, **rest):
    return plan(_sync(*options, **rest), wanted, dict(live), everything)


def _named(tasks):
    return [task.ref.name for task in tasks]


def test_what_git_asks_for_is_paired_with_what_is_there():
    kept, new, old = desired("ConfigMap", "kept"), desired("ConfigMap", "new"), desired("ConfigMap", "old")
    tasks = _planned([kept, new], there((kept, None), (old, None)), prune=True)
    assert {task.ref.name: (task.live is not None, task.pruning) for task in tasks} == {
        "kept": (True, ""),
        "new": (False, ""),
        "old": (True, "allowed"),
    }
    assert next(task for task in tasks if task.pruning).gvk.version == "v1"


def test_an_object_of_unknown_scope_is_found_outside_of_namespaces():
    wanted = desired("ClusterRole", "r")
    moved = msgspec.structs.replace(wanted, ref=wanted.ref._replace(namespace="ns"))
    (task,) = _planned([moved], there((wanted, None)), prune=True)
    assert (task.ref, task.pruning) == (wanted.ref, "")
    assert task.live is not None


def test_an_object_that_two_groups_serve_is_pruned_once_and_never_while_git_has_it():
    new = desired("Deployment", "web")
    old = msgspec.structs.replace(new, ref=new.ref._replace(group="extensions"))
    twin = msgspec.structs.replace(new, ref=new.ref._replace(group="older"))
    live = {each.ref: observed(each, uid="same") for each in (new, old, twin)}
    assert [task.pruning for task in _planned([new], live, prune=True)] == [""]
    assert [task.pruning for task in _planned([], live, prune=True)] == ["allowed"]


def test_live_hooks_and_skipped_objects_are_never_pruned():
    hook, skipped = desired("Job", "h", hook="PreSync"), desired("ConfigMap", "s", hook="Skip")
    assert _planned([], there((hook, None), (skipped, None)), prune=True) == ()


def test_an_object_that_git_skips_is_neither_applied_nor_pruned():
    before, now = desired("ConfigMap", "s"), desired("ConfigMap", "s", hook="Skip")
    assert _planned([now], there((before, None)), prune=True) == ()


def test_hooks_of_nothing_a_sync_knows_are_left_out():
    assert _planned([desired("Pod", "t", helm="test"), desired("Job", "d", hook="PreDelete")]) == ()


def test_a_hook_has_one_task_and_one_object_for_each_phase():
    tasks = _planned([desired("Job", "", generate="migrate-", hook="PostSync,PreSync", policy="HookSucceeded")])
    assert [(task.phase, task.ref.name) for task in tasks] == [
        ("PreSync", f"migrate-0123456-presync-{_UNIX}"),
        ("PostSync", f"migrate-0123456-postsync-{_UNIX}"),
    ]
    body = tasks[0].desired.object()["metadata"]
    assert body["name"] == tasks[0].ref.name
    assert body["finalizers"] == [FINALIZER]
    assert body["annotations"][OPERATION] == f"{STARTED}/PreSync" == tasks[0].mark
    assert tasks[0].policies == {"HookSucceeded"}
    assert tasks[0].desired.annotations[OPERATION] == tasks[0].mark


def test_a_short_revision_stands_in_names_as_it_is():
    (task,) = _planned([desired("Job", "", generate="x-", hook="Sync")], revision="v1.2.0")
    assert task.ref.name == f"x-v1.2.0-sync-{_UNIX}"


def test_hooks_of_another_attempt_carry_another_mark():
    (task,) = _planned([desired("Job", "x", hook="Sync")], attempt=2)
    assert task.mark == f"{STARTED}/Sync/2"


def test_a_hook_that_has_the_finalizer_gets_no_second_one():
    hook = desired("Job", "x", hook="Sync")
    body = hook.object()
    body["metadata"]["finalizers"] = ["a", FINALIZER]
    (task,) = _planned([msgspec.structs.replace(hook, body=encode(body))])
    assert task.desired.object()["metadata"]["finalizers"] == ["a", FINALIZER]


@pytest.mark.parametrize(
    "rest", [{"hooks": False}, {"resources": (SyncOperationResource(kind="ConfigMap", name="c"),), "hooks": False}]
)
def test_a_sync_without_hooks_has_none(rest):
    tasks = _planned([desired("Job", "x", hook="Sync"), desired("ConfigMap", "c")], **rest)
    assert _named(tasks) == ["c"]


def test_a_selective_sync_is_about_what_was_chosen():
    wanted = [desired("ConfigMap", "a"), desired("ConfigMap", "b"), desired("ConfigMap", "a", namespace="other")]
    live = there((desired("ConfigMap", "gone"), None), (desired("ConfigMap", "stays"), None))
    picked = (
        SyncOperationResource(kind="ConfigMap", name="a", namespace="other"),
        SyncOperationResource(kind="ConfigMap", name="b"),
        SyncOperationResource(kind="ConfigMap", name="gone"),
    )
    tasks = _planned(wanted, live, prune=True, resources=picked, hooks=False)
    assert {(task.ref.namespace, task.ref.name) for task in tasks} == {("other", "a"), ("ns", "b"), ("ns", "gone")}


@pytest.mark.parametrize(
    ("app", "own", "live", "field", "expected", "why"),
    [
        ((), "", "", "validate", True, "validated by default"),
        (("Validate=false",), "", "", "validate", False, "the application says no"),
        (("Validate=false",), "Validate=true", "", "validate", True, "the resource knows better"),
        ((), "Validate=false", "", "validate", False, "the resource says no"),
        (("Replace=true",), "", "", "replace", True, "by the application"),
        (("Replace=true",), "Replace=false", "", "replace", False, "the resource beats it"),
        ((), "", "Replace=true", "replace", True, "said on the live object"),
        ((), "Replace=false", "Replace=true", "replace", False, "Git beats the live object"),
        ((), "Force=true", "", "force", True, "by the resource"),
        ((), "", "Force=true", "force", True, "by the live object"),
        ((), "", "", "server_side", None, "nobody chose"),
        (("ServerSideApply=true",), "", "", "server_side", True, "by the application"),
        (("ServerSideApply=true",), "Prune=false, ServerSideApply=false", "", "server_side", False, "among others"),
        ((), "ServerSideApply=maybe", "", "server_side", None, "neither yes nor no"),
        (("ClientSideApplyMigration=false",), "", "", "migrate", False, "left as it is"),
    ],
)
def test_options_of_a_resource_beat_those_of_the_application(app, own, live, field, expected, why):
    wanted = desired("ConfigMap", "c", **({"options": own} if own else {}))
    before = desired("ConfigMap", "c", **({"options": live} if live else {}))
    (task,) = _planned([wanted], there((before, None)), *app)
    assert getattr(task.manner, field) == expected, why


def test_a_forced_sync_forces_what_does_not_object():
    wanted = [desired("ConfigMap", "a"), desired("ConfigMap", "b", options="Force=false")]
    assert [task.manner.force for task in _planned(wanted, force=True)] == [True, False]


@pytest.mark.parametrize(
    ("kind", "options", "exists", "expected"),
    [
        ("Deployment", "", True, "apply"),
        ("Deployment", "Force=true", True, "apply"),
        ("Deployment", "Replace=true", False, "create"),
        ("Deployment", "Replace=true", True, "replace"),
        ("Deployment", "Replace=true,Force=true", True, "recreate"),
        ("Namespace", "Replace=true,Force=true", True, "update"),
        ("CustomResourceDefinition", "Replace=true", True, "update"),
    ],
)
def test_replacing_never_deletes_namespaces_and_definitions(kind, options, exists, expected):
    (task,) = _planned([desired(kind, "x", options=options)])
    assert verb(task, exists=exists) == expected


@pytest.mark.parametrize(
    ("app", "own", "prune", "approved", "expected"),
    [
        ((), "", False, False, "unasked"),
        ((), "", True, False, "allowed"),
        ((), "Prune=false", True, False, "forbidden"),
        (("Prune=false",), "", True, False, "forbidden"),
        (("Prune=false",), "Prune=true", True, False, "allowed"),
        ((), "Prune=confirm", True, False, "confirm"),
        ((), "Prune=confirm", True, True, "allowed"),
        (("Prune=confirm",), "", True, False, "confirm"),
        ((), "Prune=confirm", False, False, "unasked"),
    ],
)
def test_an_extra_object_is_pruned_when_everybody_agrees(app, own, prune, approved, expected):
    live = there((desired("ConfigMap", "c", **({"options": own} if own else {})), None))
    (task,) = _planned([], live, *app, prune=prune, approved=approved)
    assert task.pruning == expected


def test_the_namespace_is_created_before_everything_in_it_and_in_the_same_step():
    first, *rest = _planned(
        [desired("ConfigMap", "c", wave="-2"), desired("Deployment", "d")], (), "CreateNamespace=true"
    )
    assert (first.ref.kind, first.ref.name, first.foreign) == ("Namespace", "ns", True)
    assert first.step == rest[0].step == ("Sync", -2)
    assert first.phase == "PreSync", "which is what its result says"
    assert first.desired.object() == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}


def test_the_namespace_is_created_even_where_only_failure_hooks_follow():
    first, _ = _planned([desired("Job", "j", hook="SyncFail")], (), "CreateNamespace=true")
    assert first.phase == "PreSync"


@pytest.mark.parametrize(
    ("wanted", "exists", "options", "namespace", "why"),
    [
        ([], True, ("CreateNamespace=true",), "ns", "it is there"),
        ([desired("Namespace", "ns")], False, ("CreateNamespace=true",), "ns", "Git has one"),
        ([], False, (), "ns", "nobody asks"),
        ([], False, ("CreateNamespace=true",), "", "there is no destination"),
    ],
)
def test_no_namespace_is_made_that_need_not_be(wanted, exists, options, namespace, why):
    live = observed(desired("Namespace", "ns")).live if exists else None
    facts = Facts(kind=everything.kind, namespace=live)
    tasks = plan(Sync(started_at=STARTED, namespace=namespace, options=parsed(options)), wanted, {}, facts)
    assert [task for task in tasks if task.foreign] == [], why


def test_managed_metadata_is_kept_on_a_namespace_that_exists():
    managed = ManagedNamespaceMetadata(labels={"team": "a"}, annotations={"note": "b"})
    facts = Facts(kind=everything.kind, namespace=observed(desired("Namespace", "ns")).live)
    (task,) = plan(_sync("CreateNamespace=true", managed_namespace=managed), [], {}, facts)
    assert task.desired.object()["metadata"] == {
        "name": "ns",
        "labels": {"team": "a"},
        "annotations": {"note": "b", "argocd.argoproj.io/sync-options": "ServerSideApply=true"},
    }
    assert task.manner.server_side is True


def test_a_namespace_that_left_git_for_what_the_application_says_of_it_stays():
    """With it, everything in it would be deleted."""
    live = there((desired("Namespace", "ns"), None))
    managed = ManagedNamespaceMetadata(labels={"team": "a"})
    for options in ((), ("CreateNamespace=true",)):
        (task,) = plan(_sync(*options, managed_namespace=managed, prune=True), [], live, everything)
        assert task.desired.object()["metadata"]["labels"] == {"team": "a"}
        assert task.live is live[task.ref].live
    (task,) = plan(_sync(prune=True), [], live, everything)
    assert task.pruning == "allowed"


def _facts(**known):
    return Facts(kind=lambda gvk: known.get(gvk.kind, Kind()))


def test_kinds_that_nobody_serves_make_a_plan_invalid():
    answer = plan(_sync(), [desired("Widget", "w"), desired("Gadget", "g"), desired("Gizmo", "z")], {}, _facts(
        Widget=Kind(served=False),
        Gadget=Kind(served=False, installed="v2"),
        Gizmo=Kind(served=False, installed="v1", installed_group="other.org"),
    ))  # fmt: skip
    assert answer.message == (
        "one or more synchronization tasks are not valid: "
        "The Kubernetes API could not find example.com/Widget for requested resource ns/w. "
        'Make sure the "Widget" CRD is installed on the destination cluster.; '
        'The Kubernetes API could not find version "v1" of /Gadget for requested resource ns/g. '
        'Version "v2" of /Gadget is installed on the destination cluster.; '
        'The Kubernetes API could not find version "v1" of /Gizmo for requested resource ns/z. '
        'Version "v1" of other.org/Gizmo is installed on the destination cluster.'
    )
    assert [(row.name, row.status, row.hook_phase) for row in answer.results] == [
        ("w", "SyncFailed", ""),
        ("g", "SyncFailed", ""),
        ("z", "SyncFailed", ""),
    ]


@pytest.mark.parametrize(
    ("options", "own"), [(("SkipDryRunOnMissingResource=true",), ""), ((), "SkipDryRunOnMissingResource=true")]
)
def test_a_missing_kind_may_be_accepted(options, own):
    wanted = desired("Widget", "w", **({"options": own} if own else {}))
    (task,) = plan(_sync(*options), [wanted], {}, _facts(Widget=Kind(served=False)))
    assert task.unserved


def _definition(scope="Namespaced", **annotations):
    spec = {"group": "example.com", "names": {"kind": "Widget"}, "scope": scope}
    return desired("CustomResourceDefinition", "widgets.example.com", spec=spec, **annotations)


def test_a_kind_that_the_same_sync_defines_counts_as_served():
    asked = []
    facts = Facts(
        kind=lambda gvk: Kind(served=gvk.kind != "Widget"),
        refused=lambda gvk, ref, namespaced: asked.append((gvk.kind, namespaced)) or "",
    )
    tasks = plan(_sync(), [desired("Widget", "w"), _definition(scope="Cluster")], {}, facts)
    assert [(task.ref.kind, task.unserved) for task in tasks] == [("CustomResourceDefinition", False), ("Widget", True)]
    assert ("Widget", False) in asked, "its scope is the one that is defined"


def test_a_definition_that_says_nothing_defines_nothing():
    broken = desired("CustomResourceDefinition", "x")
    answer = plan(_sync(), [desired("Widget", "w"), broken], {}, _facts(Widget=Kind(served=False)))
    assert isinstance(answer, Invalid)


def test_what_the_project_refuses_makes_a_plan_invalid():
    facts = Facts(
        kind=everything.kind,
        refused=lambda gvk, ref, _: f"resource :{gvk.kind} is not permitted in project p" if ref.name == "no" else "",
    )
    wanted = [desired("ConfigMap", "no"), desired("ConfigMap", "yes")]
    answer = plan(_sync(prune=True), wanted, there((desired("Secret", "no"), None)), facts)
    assert answer.message.endswith(
        "resource :ConfigMap is not permitted in project p; resource :Secret is not permitted in project p"
    )


def test_only_hooks_may_ask_for_a_name():
    answer = _planned([desired("Job", "", generate="x-")])
    assert "cannot use generate name with apply" in answer.message


def test_a_shared_resource_fails_the_sync_where_that_is_asked_for():
    facts = Facts(kind=everything.kind, shared="Deployment/web is part of a and b")
    assert plan(_sync("FailOnSharedResource=true"), [], {}, facts) == Invalid(
        "Shared resource found: Deployment/web is part of a and b"
    )
    assert plan(_sync(), [], {}, facts) == ()


@pytest.mark.parametrize(("text", "expected"), [("1m", 60.0), ("90", 90.0), ("1h30m", 5400.0)])
def test_a_resource_says_how_long_it_may_take(text, expected):
    (task,) = _planned([desired("Deployment", "d", timeout=text)])
    assert task.timeout_s == expected


@pytest.mark.parametrize("text", ["soon", "0", "-5s", ""])
def test_a_time_that_cannot_be_makes_a_plan_invalid(text):
    answer = _planned([desired("Deployment", "d", timeout=text)])
    assert isinstance(answer, Invalid)
    assert "plumbline.dev/sync-timeout of Deployment.apps/ns/d" in answer.message


def test_a_dry_run_marks_everything_dry():
    live = there((desired("ConfigMap", "old"), Status.HEALTHY))
    assert all(task.manner.dry for task in _planned([desired("Job", "j", hook="Sync")], live, dry=True, prune=True))
