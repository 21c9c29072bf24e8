"""What is written about an Application: little, exact, and nothing where nothing changed."""

from plumbline.delivery.facts import AppFacts, sources_of
from plumbline.delivery.status import Asked, Condition, Picture, Summary, change
from plumbline.kinds.application import (
    APPLICATION,
    Operation,
    OperationState,
    ResourceStatus,
    RevisionHistory,
    SyncOperationResult,
)
from plumbline.kinds.read import read
from plumbline.kube.health import Status
from plumbline.kube.patch.merge_patch import merge_patch

NOW, LATER = "2026-03-01T12:00:00Z", "2026-03-01T12:00:09Z"
SPEC = {
    "project": "shop",
    "source": {
        "repoURL": "https://git.example.org/shop.git",
        "path": "web",
        "kustomize": {"images": ["a:1"], "newer": 1},
    },
    "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"},
    "ignoreDifferences": [{"kind": "Deployment", "jsonPointers": ["/spec/replicas"]}],
}
WHOLE = Picture(
    sync="Synced",
    revisions=("abc",),
    health=Status.HEALTHY,
    resources=(ResourceStatus(version="v1", kind="Service", namespace="shop", name="web", status="Synced"),),
    source_types=("Kustomize",),
    summary=Summary(images=("a:1",), urls=("https://shop.example.org",), has_applications=True),
    operation=OperationState(
        operation=Operation(), phase="Succeeded", started_at=NOW, sync_result=SyncOperationResult(revision="abc")
    ),
    history=(RevisionHistory(id=0, deployed_at=NOW, revision="abc"),),
    conditions=(Condition("OrphanedResourceWarning", "there are some"),),
)


def application(spec=SPEC, **status):
    metadata = {"name": "web", "namespace": "argocd"}
    obj = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}
    return {**obj, "status": status} if status else obj


def written(obj, picture, asked=None, now=NOW):
    return change(obj, picture, asked or Asked(), "argocd", now)


def test_everything_that_was_found_is_written_in_upstreams_form():
    status = written(application(), WHOLE)["status"]
    assert status == {
        "sync": {
            "status": "Synced", "revision": "abc",
            "comparedTo": {name: SPEC[name] for name in ("source", "destination", "ignoreDifferences")},
        },
        "health": {"status": "Healthy", "lastTransitionTime": NOW},
        "resources": [{"version": "v1", "kind": "Service", "namespace": "shop", "name": "web", "status": "Synced"}],
        "sourceType": "Kustomize",
        "summary": {"images": ["a:1"], "externalURLs": ["https://shop.example.org"], "isAppOfApps": True},
        "operationState": {"operation": {}, "phase": "Succeeded", "startedAt": NOW, "syncResult": {"revision": "abc"}},
        "history": [{"id": 0, "deployedAt": NOW, "revision": "abc"}],
        "conditions": [{"type": "OrphanedResourceWarning", "message": "there are some", "lastTransitionTime": NOW}],
        "controllerNamespace": "argocd",
        "reconciledAt": NOW,
    }  # fmt: skip
    assert read(APPLICATION, application(**status)).unreadable == ()


def test_looking_again_writes_nothing():
    obj = merge_patch(application(), written(application(), WHOLE))
    assert written(obj, WHOLE, now=LATER) == {}


def test_a_new_revision_without_changes_is_one_field():
    obj = merge_patch(application(), written(application(), WHOLE))
    patch = written(obj, WHOLE._replace(revisions=("def",)), now=LATER)
    assert patch == {"status": {"sync": {"revision": "def"}, "reconciledAt": LATER}}


def test_a_refresh_is_answered_even_where_nothing_changed():
    obj = merge_patch(application(), written(application(), WHOLE))
    patch = written(obj, WHOLE, Asked(refresh=True), LATER)
    assert patch == {
        "status": {"reconciledAt": LATER},
        "metadata": {"annotations": {"argocd.argoproj.io/refresh": None}},
    }


def test_an_operation_that_was_taken_up_leaves_its_slot():
    obj = merge_patch(application(), written(application(), WHOLE))
    assert written(obj, WHOLE, Asked(operation=True))["operation"] is None


def test_what_was_not_found_out_stays_as_it_was():
    obj = merge_patch(application(), written(application(), WHOLE))
    patch = written(obj, Picture(sync="Unknown", conditions=(Condition("ComparisonError", "no"),)), now=LATER)
    assert patch == {
        "status": {
            "sync": {"status": "Unknown"},
            "conditions": [{"type": "ComparisonError", "message": "no", "lastTransitionTime": LATER}],
            "reconciledAt": LATER,
        }
    }


def test_what_was_never_compared_and_cannot_be_is_not_known_to_fare_ill():
    patch = written(application(), Picture(sync="Unknown"), now=LATER)
    assert patch["status"]["health"] == {"status": "Healthy", "lastTransitionTime": LATER}


def test_times_tell_since_when_and_not_when_somebody_looked():
    obj = merge_patch(application(), written(application(), WHOLE))
    patch = written(obj, WHOLE._replace(health=Status.DEGRADED, health_message="a pod died"), now=LATER)
    assert patch["status"]["health"] == {"status": "Degraded", "lastTransitionTime": LATER, "message": "a pod died"}
    assert "conditions" not in patch["status"]


def test_conditions_that_no_longer_hold_go():
    obj = merge_patch(application(), written(application(), WHOLE))
    assert written(obj, WHOLE._replace(conditions=()))["status"]["conditions"] is None


def test_several_sources_have_several_revisions_and_types():
    spec = {**SPEC, "sources": [SPEC["source"], SPEC["source"]]}
    picture = WHOLE._replace(revisions=("abc", "def"), source_types=("Kustomize", "Kustomize"))
    status = written(application(spec), picture)["status"]
    assert status["sync"]["revisions"] == ["abc", "def"]
    assert "revision" not in status["sync"]
    assert status["sync"]["comparedTo"]["sources"] == spec["sources"]
    assert status["sourceTypes"] == ["Kustomize", "Kustomize"]
    assert "sourceType" not in status


def test_a_status_that_is_garbage_is_replaced():
    obj = {**application(), "status": {"sync": 3, "health": [], "conditions": "x", "history": "y"}}
    status = written(obj, WHOLE)["status"]
    assert status["sync"]["status"] == "Synced"
    assert status["health"]["status"] == "Healthy"


def test_an_application_elsewhere_is_known_by_its_namespace_too():
    assert AppFacts("argocd", "web", "argocd").instance == "web"
    assert AppFacts("team", "web", "argocd").instance == "team_web"


def test_the_sources_that_count():
    spec = read(APPLICATION, application()).spec
    assert sources_of(spec) == (spec.source,)
    several = read(APPLICATION, application({**SPEC, "sources": [{"repoURL": "a"}, {"repoURL": "b"}]})).spec
    assert [each.repo_url for each in sources_of(several)] == ["a", "b"]
    dry = {"repoURL": "https://git.example.org/dry.git", "targetRevision": "main", "path": "web"}
    hydrated = {**SPEC, "sourceHydrator": {"drySource": dry, "syncSource": {"targetBranch": "env/prod", "path": "out"}}}
    (synced,) = sources_of(read(APPLICATION, application(hydrated)).spec)
    assert (synced.repo_url, synced.path, synced.target_revision) == (dry["repoURL"], "out", "env/prod")
