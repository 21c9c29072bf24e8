"""How an application stands: each object's status as upstream lists it, and what they make together."""

import pytest

from plumbline.delivery.compare import Subject, paired, prepared, rolled_up
from plumbline.delivery.compare.preparing import Surroundings
from plumbline.delivery.compare.rollup import Candidate, View, comparison_failed, orphaned
from plumbline.kinds.application import HealthStatus, ManagedNamespaceMetadata
from plumbline.kube.health import Health, Status
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.ownership.learn.tracking import Tracking

from .objects import TRACKING_ID, observed
from .test_prepared import obj, scope

SUBJECT = Subject(name="guestbook", namespace="argocd", instance="guestbook", destination="shop")
EVERYTHING = lambda *_: True  # noqa: E731 - the shortest way to permit everything


def live(*objects, health=None):
    return {Ref.of(each): (GroupVersionKind.of(each), observed(each, health)) for each in objects}


def tracked(kind="ConfigMap", name="c", app="guestbook", namespace="shop", **annotations):
    mark = {TRACKING_ID: f"{app}:/{kind}:{namespace}/{name}"}
    return obj(kind, name=name, namespace=namespace, uid=f"uid-{kind}-{name}", annotations=mark | annotations)


def standing(rendered, present, differs=(), *, subject=SUBJECT, visible=EVERYTHING, tracking=None, **view):
    marks = tracking or Tracking()
    desired = prepared([rendered], subject, Surroundings(marks, scope, lambda kind: False)).desired
    pairs = paired(desired, present, scope, visible, subject)
    seen = View(subject, marks, scope, **({"permitted": EVERYTHING} | view))
    return rolled_up(pairs, {pair.ref: pair.ref.name in differs for pair in pairs.pairs}, seen)


def statuses(result):
    return {each.name: each.status for each in result.resources}


@pytest.mark.parametrize(
    ("rendered", "present", "differs", "sync", "expect", "why"),
    [
        ([obj()], live(tracked()), (), "Synced", {"c": "Synced"}, "as it should be"),
        ([obj()], live(tracked()), ("c",), "OutOfSync", {"c": "OutOfSync"}, "it differs"),
        ([obj()], {}, (), "OutOfSync", {"c": "OutOfSync"}, "it is missing"),
        ([], live(tracked()), (), "OutOfSync", {"c": "OutOfSync"}, "it is too much"),
        ([], {}, (), "Synced", {}, "nothing at all"),
        (
            [],
            live(tracked(**{"argocd.argoproj.io/compare-options": "IgnoreExtraneous"})),
            (),
            "Synced",
            {"c": "OutOfSync"},
            "too much, and nobody minds",
        ),
        (
            [obj(annotations={"argocd.argoproj.io/compare-options": "IgnoreExtraneous"})],
            {},
            (),
            "OutOfSync",
            {"c": "OutOfSync"},
            "missing is not extraneous",
        ),
        ([obj(annotations={"argocd.argoproj.io/hook": "Skip"})], {}, (), "Synced", {"c": ""}, "it is skipped"),
        ([obj(annotations={"argocd.argoproj.io/hook": "PreSync"})], {}, (), "Synced", {}, "a hook that did not run"),
        ([], live(tracked(**{"argocd.argoproj.io/hook": "PreSync"})), (), "Synced", {"c": ""}, "a hook that ran"),
        ([], live(tracked(**{"helm.sh/hook": "test"})), (), "Synced", {"c": ""}, "a hook of no phase"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_statuses_and_what_they_make(rendered, present, differs, sync, expect, why):
    result = standing(rendered, present, differs)
    assert result.sync == sync
    assert statuses(result) == expect


def test_only_what_is_its_own_is_ever_pruned():
    copied = obj(name="copy", namespace="shop", annotations={TRACKING_ID: "guestbook:/ConfigMap:shop/original"})
    result = standing([], live(copied, tracked(name="own")))
    assert result.prunable == (Ref("", "ConfigMap", "shop", "own"),)
    assert [(each.name, each.requires_pruning, each.status) for each in result.resources] == [
        ("copy", False, ""),
        ("own", True, "OutOfSync"),
    ]
    assert standing([], live(copied)).sync == "Synced"


def test_with_labels_nobody_can_tell_a_copy():
    copied = obj(name="copy", namespace="shop", labels={"app.kubernetes.io/instance": "guestbook"})
    assert standing([], live(copied), tracking=Tracking("label")).prunable == (Ref("", "ConfigMap", "shop", "copy"),)


def test_a_mark_of_another_installation_is_no_mark():
    foreign = tracked(**{"argocd.argoproj.io/installation-id": "other"})
    result = standing([obj()], live(foreign))
    assert (result.sync, result.conditions) == ("Synced", ())


def test_hooks_that_ran_are_listed_and_never_pruned():
    annotations = {"argocd.argoproj.io/hook": "PreSync", "argocd.argoproj.io/sync-wave": "3"}
    hook = obj("Job", "batch/v1", name="j", annotations=annotations)
    present = obj("Job", "batch/v1", name="j", namespace="shop", annotations={"argocd.argoproj.io/hook": "PreSync", TRACKING_ID: "guestbook:batch/Job:shop/j"})  # fmt: skip
    result = standing([hook], live(present))
    (resource,) = result.resources
    assert (resource.hook, resource.requires_pruning, resource.sync_wave) == (True, True, 3)
    assert result.prunable == ()


def test_where_nothing_could_be_loaded_everything_is_unknown_and_nothing_is_pruned():
    result = standing([], live(tracked()), failed=True)
    assert (result.sync, statuses(result), result.prunable) == ("Unknown", {"c": "Unknown"}, ())


def test_kinds_that_the_project_does_not_permit_are_unknown():
    asked = []

    def permitted(kind, name, namespaced):
        asked.append((kind.kind, name, namespaced))
        return False

    assert statuses(standing([obj()], live(tracked()), permitted=permitted)) == {"c": "Unknown"}
    assert asked == [("ConfigMap", "c", True)]


def test_live_objects_that_the_project_does_not_permit_are_invisible():
    result = standing([obj()], live(tracked(), tracked(name="d")), visible=lambda ref: False)
    assert statuses(result) == {"c": "OutOfSync"}
    assert result.prunable == ()


def test_resources_are_listed_by_group_kind_namespace_and_name():
    kinds = [obj("Service", name="b"), obj("Deployment", "apps/v1", name="z"), obj("ConfigMap", name="b"), obj("ConfigMap", name="a"), obj("Namespace", name="n")]  # fmt: skip
    listed = [
        (each.group, each.version, each.kind, each.namespace, each.name) for each in standing(kinds, {}).resources
    ]
    assert listed == [
        ("", "v1", "ConfigMap", "shop", "a"),
        ("", "v1", "ConfigMap", "shop", "b"),
        ("", "v1", "Namespace", "", "n"),
        ("", "v1", "Service", "shop", "b"),
        ("apps", "v1", "Deployment", "shop", "z"),
    ]


@pytest.mark.parametrize(
    ("on_object", "on_application", "expect"),
    [
        ("Prune=confirm", (), True),
        ("Delete=confirm", (), True),
        ("Prune=false", ("Prune=confirm",), False),
        ("", ("Delete=confirm",), True),
        ("Validate=false", (), False),
    ],
)
def test_deletions_that_want_a_confirmation(on_object, on_application, expect):
    subject = Subject(name="guestbook", namespace="argocd", instance="guestbook", destination="shop", sync_options=on_application)  # fmt: skip
    present = tracked(**{"argocd.argoproj.io/sync-options": on_object} if on_object else {})
    (resource,) = standing([], live(present), subject=subject).resources
    assert resource.requires_deletion_confirmation is expect
    wanted = obj(annotations={"argocd.argoproj.io/sync-options": on_object} if on_object else {})
    (resource,) = standing([wanted], {}, subject=subject).resources
    assert resource.requires_deletion_confirmation is expect


def test_an_object_of_another_application_is_shared():
    result = standing([obj()], live(tracked(app="team_other")))
    assert [(each.type, each.message) for each in result.conditions] == [
        ("SharedResourceWarning", "ConfigMap/c is part of applications argocd/guestbook and team/other")
    ]


def test_a_namespace_that_is_missing():
    bare = Subject(name="g", namespace="", instance="g", destination="")
    result = standing([obj()], live(tracked(app="x", namespace="")), subject=bare)
    assert sorted(each.message for each in result.conditions) == [
        "ConfigMap/c is part of applications g and x",
        "Namespace for c /v1, Kind=ConfigMap is missing.",
    ]


HEALTHY, DEGRADED = Health(Status.HEALTHY), Health(Status.DEGRADED, "no")


def test_health_is_the_worst_of_what_counts():
    present = live(tracked(name="a"), health=HEALTHY) | live(tracked(name="b"), health=DEGRADED)
    result = standing([obj(name="a"), obj(name="b"), obj(name="missing")], present, inline_health=True)
    assert result.health is Status.DEGRADED
    assert {each.name: each.health for each in result.resources} == {
        "a": HealthStatus(status="Healthy"),
        "b": HealthStatus(status="Degraded", message="no"),
        "missing": HealthStatus(status="Missing"),
    }
    assert standing([obj()], {}).health is Status.MISSING
    assert standing([], {}).health is Status.HEALTHY
    quiet = live(tracked(**{"argocd.argoproj.io/ignore-healthcheck": "true"}), health=DEGRADED)
    assert standing([obj()], quiet).health is Status.HEALTHY
    assert standing([obj()], quiet, inline_health=True).resources[0].health is None


def test_kinds_without_health_have_none():
    assert standing([obj()], live(tracked()), inline_health=True).resources[0].health is None


def test_the_same_object_under_two_groups_is_one():
    old = obj("Ingress", "extensions/v1", name="i", namespace="shop", uid="1")
    new = obj("Ingress", "networking.k8s.io/v1", name="i", namespace="shop", uid="1")
    both = standing([obj("Ingress", "networking.k8s.io/v1", name="i")], live(old, new))
    assert [each.group for each in both.resources] == ["networking.k8s.io"]
    assert len(standing([], live(old, new)).resources) == 1


def test_where_nobody_knows_the_scope_both_places_are_looked_at():
    present = obj("Unheard", "x.io/v1")
    result = standing([obj("Unheard", "x.io/v1")], live(present))
    assert [(each.namespace, each.status) for each in result.resources] == [("", "Synced")]


def test_the_managed_namespace_is_never_pruned():
    home = obj("Namespace", name="shop", annotations={TRACKING_ID: "guestbook:/Namespace:shop/shop"})
    managed = Subject(name="guestbook", namespace="argocd", instance="guestbook", destination="shop", managed_namespace=ManagedNamespaceMetadata(labels={"a": "b"}))  # fmt: skip
    assert standing([], live(home)).prunable == (Ref("", "Namespace", "", "shop"),)
    result = standing([], live(home), subject=managed)
    assert (result.prunable, result.sync) == ((), "Synced")
    in_git = standing([obj("Namespace", name="shop")], live(home), subject=managed)
    assert [each.requires_pruning for each in in_git.resources] == [False]
    assert standing([], {}, subject=managed, namespace_changed=True).sync == "OutOfSync"


def test_deletion_hooks_are_kept_apart():
    annotated = obj("Job", "batch/v1", name="j", annotations={"argocd.argoproj.io/hook": "PreDelete"})
    desired = prepared([[annotated]], SUBJECT, Surroundings(Tracking(), scope, lambda kind: False)).desired
    result = paired(desired, {}, scope, EVERYTHING, SUBJECT)
    assert (result.pairs, result.hooks, result.deletion_hooks) == ((), (), desired)


def test_a_failed_comparison_in_upstreams_words():
    condition = comparison_failed("JQ patch returned multiple objects")
    assert (condition.type, condition.message) == (
        "ComparisonError",
        "Failed to compare desired state to live state: JQ patch returned multiple objects",
    )


def test_orphans_are_what_belongs_to_nobody():
    def ref(name, kind="ConfigMap", namespace="shop", group=""):
        return Ref(group, kind, namespace, name)

    candidates = [
        Candidate(ref("orphan"), owned=False),
        Candidate(ref("a-stale"), owned=False, instance="gone"),
        Candidate(ref("mine"), owned=False),
        Candidate(ref("child"), owned=True),
        Candidate(ref("others"), owned=False, instance="other"),
        Candidate(ref("kube-root-ca.crt"), owned=False),
        Candidate(ref("default", "ServiceAccount"), owned=False),
        Candidate(ref("kubernetes", "Service", "default"), owned=False),
        Candidate(ref("kubernetes", "Service"), owned=False),
        Candidate(ref("denied"), owned=False),
        Candidate(ref("ignored"), owned=False),
        Candidate(ref("wide", namespace=""), owned=False),
        Candidate(ref("default", "ServiceAccount", group="x"), owned=False),
    ]
    found = orphaned(
        candidates,
        [ref("mine")],
        known=lambda instance: instance == "other",
        permitted=lambda each: each.name != "denied",
        ignored=lambda each: each.name == "ignored",
    )
    assert [(each.kind, each.name) for each in found] == [
        ("ConfigMap", "a-stale"),
        ("ConfigMap", "orphan"),
        ("Service", "kubernetes"),
        ("ServiceAccount", "default"),
    ]
