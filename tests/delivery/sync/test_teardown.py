import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.delivery.sync.world import STARTED, desired, observed, there

from plumbline.delivery.sync.options import parsed
from plumbline.delivery.sync.teardown import (
    BACKGROUND,
    FOREGROUND,
    POST_DELETE,
    PRE_DELETE,
    RESOURCES,
    Create,
    Delete,
    Hold,
    Leaving,
    Release,
    Rights,
    finalizers,
    teardown,
)
from plumbline.kube.health import Status
from plumbline.kube.names import Ref

_APP = Ref("argoproj.io", "Application", "argocd", "app")
_ANYTHING = Rights(permitted=lambda _: True, refused=lambda *_: "")


def _leaving(*held, **rest):
    return Leaving(ref=_APP, finalizers=held, deleted_at=STARTED, **rest)


def _next(live, *held, wanted=(), rights=_ANYTHING, **rest):
    return teardown(_leaving(*(held or (RESOURCES,)), **rest), dict(live), wanted, rights)


def _names(move):
    return [doomed.ref.name for doomed in move.objects]


def test_the_highest_wave_goes_first():
    objects = [desired("ConfigMap", f"c{wave}", wave=str(wave)) for wave in (-1, 0, 2)] + [
        desired("Secret", "s2", wave="2")
    ]
    live = there(*((each, None) for each in objects))
    move = _next(live)
    assert (_names(move), move.propagation) == (["c2", "s2"], "Foreground")
    assert move.objects[0].live.meta.uid == "uid-c2"
    remaining = {ref: each for ref, each in live.items() if ref.name not in {"c2", "s2"}}
    assert _names(_next(remaining)) == ["c0"]


def test_a_wave_waits_until_the_one_above_is_gone():
    live = there((desired("ConfigMap", "c"), None))
    for name in ("a", "b"):
        going = desired("Deployment", name, wave="1")
        live[going.ref] = observed(going, deleting=True)
    assert _next(live) == Hold("waiting for deletion of apps/Deployment/a and 1 more")


@given(st.lists(st.integers(-3, 3), max_size=8))
def test_everything_goes_in_waves_from_the_highest_and_then_the_finalizer(waves):
    live = there(*((desired("ConfigMap", f"c{at}", wave=str(wave)), None) for at, wave in enumerate(waves)))
    gone = []
    for _ in range(len(waves) + 1):
        move = _next(live)
        if isinstance(move, Release):
            break
        gone.extend(int(doomed.live.meta.annotations["argocd.argoproj.io/sync-wave"]) for doomed in move.objects)
        live = {ref: each for ref, each in live.items() if ref not in {doomed.ref for doomed in move.objects}}
    assert move == Release((RESOURCES,))
    assert gone == sorted(waves, reverse=True)


@pytest.mark.parametrize(
    ("finalizer", "expected"), [(RESOURCES, "Foreground"), (FOREGROUND, "Foreground"), (BACKGROUND, "Background")]
)
def test_the_finalizer_says_how_far_a_deletion_reaches(finalizer, expected):
    assert _next(there((desired("ConfigMap", "c"), None)), finalizer).propagation == expected
    assert _next({}, finalizer) == Release((finalizer,))


@pytest.mark.parametrize(
    ("wanted", "options", "why"),
    [
        (desired("CustomResourceDefinition", "x"), (), "with a definition every object of its kind would go"),
        (desired("PersistentVolumeClaim", "x", options="Delete=false"), (), "it says so"),
        (desired("PersistentVolumeClaim", "x"), ("Delete=false",), "the application says so"),
        (desired("PersistentVolumeClaim", "x", keep="keep"), (), "Helm says so"),
    ],
)
def test_some_objects_are_never_deleted(wanted, options, why):
    assert _next(there((wanted, None)), options=parsed(options)) == Release((RESOURCES,)), why


def test_an_application_that_delivers_itself_does_not_delete_itself():
    itself = desired("ConfigMap", "x")
    live = {_APP: observed(itself)}
    assert _next(live) == Release((RESOURCES,))


def test_a_resource_may_want_to_go_although_the_application_says_otherwise():
    wanted = desired("ConfigMap", "x", options="Delete=true")
    assert _names(_next(there((wanted, None)), options=parsed(["Delete=false"]))) == ["x"]


def test_what_the_project_does_not_permit_stays():
    live = there((desired("ConfigMap", "mine"), None), (desired("ConfigMap", "theirs", wave="9"), None))
    rights = Rights(permitted=lambda ref: ref.name == "mine", refused=lambda *_: "")
    assert _names(_next(live, rights=rights)) == ["mine"]


@pytest.mark.parametrize("options", ["Delete=confirm", "Prune=confirm"])
def test_a_deletion_that_needs_a_yes_holds_everything(options):
    live = there((desired("ConfigMap", "asks", options=options), None), (desired("ConfigMap", "other", wave="5"), None))
    assert _next(live) == Hold("waiting for deletion confirmation of /ConfigMap/asks")
    assert _names(_next(live, approved=True)) == ["other"]


def test_without_a_cluster_there_is_nothing_to_delete_from():
    held = (RESOURCES, "somebody/else", PRE_DELETE, f"{POST_DELETE}/cleanup")
    assert _next({}, *held, destination=False) == Release((RESOURCES, PRE_DELETE, f"{POST_DELETE}/cleanup"))
    assert _next({}, "somebody/else", destination=False) is None


def test_without_our_finalizers_nothing_is_ours_to_do():
    assert _next(there((desired("ConfigMap", "c"), None)), "somebody/else") is None


@pytest.mark.parametrize(("when", "finalizer"), [("PreDelete", PRE_DELETE), ("PostDelete", POST_DELETE)])
def test_hooks_of_deletion_run_once_and_have_to_succeed(when, finalizer):
    hook, plain = desired("Job", "h", hook=when), desired("ConfigMap", "c")
    wanted = [hook, plain]
    assert _next({}, finalizer, wanted=wanted) == Create((hook,))
    assert _next(there((hook, Status.PROGRESSING)), finalizer, wanted=wanted) == Hold(
        "waiting for completion of hook batch/Job/h", trying=True
    )
    assert _next(there((hook, Status.HEALTHY)), finalizer, wanted=wanted) == Release((finalizer,))
    assert _next(there((hook, None)), finalizer, wanted=wanted) == Release((finalizer,)), "no health means done"


def test_a_hook_of_deletion_that_failed_is_deleted_and_tried_again():
    hook = desired("Job", "h", hook="PreDelete")
    move = _next(there((hook, Status.DEGRADED)), PRE_DELETE, wanted=[hook])
    assert (_names(move), move.failure) == (["h"], "PreDelete hook(s) failed: ns/h")
    going = {hook.ref: observed(hook, Status.DEGRADED, deleting=True)}
    assert _next(going, PRE_DELETE, wanted=[hook]) == Hold("PreDelete hook(s) failed: ns/h", failure=True)
    assert isinstance(_next({}, PRE_DELETE, wanted=[hook]), Create)


def test_a_hook_of_deletion_that_the_project_refuses_stops_the_deletion():
    hook = desired("Job", "h", hook="PreDelete")
    rights = Rights(permitted=lambda _: True, refused=lambda gvk, ref, namespaced: "no" if namespaced else "")
    move = _next({}, PRE_DELETE, wanted=[hook], rights=rights)
    assert move == Hold("PreDelete hook Job.batch/ns/h is not permitted: no", failure=True)


def test_a_hook_of_deletion_gets_one_name_for_the_whole_deletion():
    hook = desired("Job", "", generate="bye-", hook="PostDelete")
    first, second = (_next({}, POST_DELETE, wanted=[hook]) for _ in range(2))
    (made,) = first.hooks
    assert first == second
    assert made.ref.name == made.object()["metadata"]["name"] == "bye-postdelete-1767225600"
    assert _next(there((made, Status.HEALTHY)), POST_DELETE, wanted=[hook]) == Release((POST_DELETE,))


def test_stages_follow_each_other():
    hook = desired("Job", "h", hook="PreDelete,PostDelete", policy="HookSucceeded")
    live = there((hook, Status.HEALTHY), (desired("ConfigMap", "c"), None))
    held = [PRE_DELETE, f"{PRE_DELETE}/cleanup", POST_DELETE, f"{POST_DELETE}/cleanup", RESOURCES]
    released = []
    for _ in range(20):
        move = _next(live, *held, wanted=[hook]) if held else None
        if move is None:
            break
        match move:
            case Release(finalizers=names):
                released.extend(names)
                held = [name for name in held if name not in names]
            case Delete(objects=objects):
                live = {ref: each for ref, each in live.items() if ref not in {doomed.ref for doomed in objects}}
            case Create(hooks=made):
                live |= there(*((each, Status.HEALTHY) for each in made))
    assert released == [PRE_DELETE, RESOURCES, POST_DELETE, f"{PRE_DELETE}/cleanup", f"{POST_DELETE}/cleanup"]
    assert live == {}


@pytest.mark.parametrize(
    ("policy", "status", "deleted"),
    [
        ("HookSucceeded", Status.HEALTHY, True),
        ("HookSucceeded", Status.DEGRADED, False),
        ("HookFailed", Status.DEGRADED, True),
        ("HookFailed", Status.HEALTHY, False),
        ("BeforeHookCreation", Status.HEALTHY, False),
        ("HookSucceeded", Status.PROGRESSING, False),
    ],
)
def test_hooks_of_deletion_are_cleared_away_by_their_policies(policy, status, deleted):
    hook = desired("Job", "h", hook="PreDelete", policy=policy)
    move = _next(there((hook, status)), f"{PRE_DELETE}/cleanup")
    assert isinstance(move, Delete if deleted else Release)


def test_a_hook_that_is_being_cleared_away_is_waited_for():
    hook = desired("Job", "h", hook="PostDelete", policy="HookSucceeded")
    live = {hook.ref: observed(hook, Status.HEALTHY, deleting=True)}
    assert _next(live, f"{POST_DELETE}/cleanup") == Hold("waiting for deletion of hook batch/Job/h")


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ((), ()),
        (("PreDelete",), (PRE_DELETE, f"{PRE_DELETE}/cleanup")),
        (("PostDelete",), (POST_DELETE, f"{POST_DELETE}/cleanup")),
        (("PreDelete", "PostDelete"), (PRE_DELETE, f"{PRE_DELETE}/cleanup", POST_DELETE, f"{POST_DELETE}/cleanup")),
    ],
)
def test_an_application_carries_a_finalizer_for_each_kind_of_hook_it_has(types, expected):
    assert finalizers([desired("ConfigMap", "c"), *(desired("Job", each, hook=each) for each in types)]) == expected
