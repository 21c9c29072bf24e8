"""Comparing by dry runs on the real API server: the real Argo CD and we say the same of the same objects.

Each delivers what the other judges afterwards, so that both kinds of ownership are there: what a policy of the server adds
after a sync, what people have changed, what Git has dropped, and what the server will not judge at all.
"""

import pytest
from tests.conformance.real import MERGE_PATCH

from .conftest import staged
from .hands import config_map
from .scene import APPLICATIONS, application, manifests

pytestmark = pytest.mark.conformance

COMPARE = "argocd.argoproj.io/compare-options"
HIDING, SHOWING = "ServerSideDiff=true", "ServerSideDiff=true,IncludeMutationWebhook=true"
POLICIES = "/apis/admissionregistration.k8s.io"
MEDDLED, FORBIDDEN = "meddled", "forbidden"
CONTAINER = {"name": "web", "image": "example.org/web:1", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]}  # fmt: skip


def deployment(name, *more, **container):
    labels = {"app": name}
    pod = {"containers": [{**CONTAINER, **container}, *more]}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}  # fmt: skip
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def service(name, *ports):
    spec = {"selector": {"a": "b"}, "ports": list(ports)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def labelled(obj, **labels):
    return {**obj, "metadata": {**obj["metadata"], "labels": labels}}


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}, "stringData": {"token": "1"}}
SIDECAR = {"name": "side", "image": "example.org/side:1"}
"""What is in Git, what it is changed to there, and what is changed live, by name: each shape is an application."""
SHAPES = {
    "plain": ([deployment("web"), service("web", {"port": 80}), SECRET, config_map("a")], None, ()),
    "meddled": ([labelled(config_map("a"), touch=MEDDLED), labelled(deployment("web"), touch=MEDDLED)], None, ()),
    "forbidden": ([labelled(config_map("a"), touch=FORBIDDEN), config_map("b")], None, ()),
    "drifted": ([config_map("a")], None, [("api/v1", "configmaps/a", {"data": {"value": "9"}})]),
    "joined": ([config_map("a"), service("web", {"port": 80, "name": "http"})], None, [
        ("api/v1", "configmaps/a", {"data": {"theirs": "1"}, "metadata": {"labels": {"theirs": "1"}}}),
        ("api/v1", "services/web", {"metadata": {"annotations": {"theirs": "1"}}}),
    ]),
    "dropped": ([labelled(config_map("a"), gone="1")], [config_map("a")], ()),
    "changed": ([deployment("web")], [deployment("web", image="example.org/web:2")], ()),
    "grown": ([deployment("web"), service("web", {"port": 80, "name": "http"})], [
        deployment("web", SIDECAR), service("web", {"port": 80, "name": "http"}, {"port": 443, "name": "tls"})], ()),
    "scaled": ([deployment("web")], None, [("apis/apps/v1", "deployments/web", {"spec": {"replicas": 1}})]),
}  # fmt: skip
IGNORING = {"scaled": [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]}


def meddling(scene):
    """Policies that the server itself carries out, as a webhook would: one adds, one forbids."""
    served = {each["version"] for each in scene.cluster.get(POLICIES).body["versions"]}
    kinds = {"mutatingadmissionpolicies"}
    version = next(
        each
        for each in ("v1", "v1beta1")
        if each in served
        and kinds <= {kind["name"] for kind in scene.cluster.get(f"{POLICIES}/{each}").body["resources"]}
    )
    rule = {"apiGroups": ["", "apps"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["configmaps", "deployments"]}  # fmt: skip
    matching = {"matchConstraints": {"resourceRules": [rule]}}

    def touched(how):
        return {"matchConditions": [{"name": "touched", "expression": f"has(object.metadata.labels) && 'touch' in object.metadata.labels && object.metadata.labels['touch'] == '{how}'"}]}  # fmt: skip

    patch = "Object{metadata: Object.metadata{annotations: {'example.org/meddled': 'yes'}}}"
    adds = {"failurePolicy": "Fail", "reinvocationPolicy": "Never", "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": patch}}]}  # fmt: skip
    forbids = {"failurePolicy": "Fail", "validations": [{"expression": "false", "message": "not today"}]}
    for plural, kind, name, spec in (
        ("mutatingadmissionpolicies", "MutatingAdmissionPolicy", MEDDLED, adds),
        ("validatingadmissionpolicies", "ValidatingAdmissionPolicy", FORBIDDEN, forbids),
    ):
        group = version if plural.startswith("mutating") else "v1"
        about = {"apiVersion": f"admissionregistration.k8s.io/{group}", "metadata": {"name": name}}
        scene.create(
            f"{POLICIES}/{group}/{plural}", {**about, "kind": kind, "spec": {**spec, **matching, **touched(name)}}
        )
        bound = {"policyName": name, **({"validationActions": ["Deny"]} if name == FORBIDDEN else {})}
        bindings = plural.replace("policies", "policybindings")
        scene.create(f"{POLICIES}/{group}/{bindings}", {**about, "kind": f"{kind}Binding", "spec": bound})
    path = "/api/v1/namespaces/default/configmaps"
    for how in (MEDDLED, FORBIDDEN):
        scene.create(path, {"metadata": {"name": how, "labels": {"touch": how}}})

    def in_force():
        added = scene.cluster.patch(f"{path}/{MEDDLED}", {"data": {"a": "1"}}, MERGE_PATCH, dryRun="All")
        denied = scene.cluster.patch(f"{path}/{FORBIDDEN}", {"data": {"a": "1"}}, MERGE_PATCH, dryRun="All")
        return not denied.fine and added.fine and "annotations" in added.body["metadata"]

    scene.until(in_force, "the policies are in force")


def named(who, shape):
    return f"{who}-{shape}"


def delivered(scene, who, options):
    """Every shape as an application of *who*, synced."""
    names = [named(who, shape) for shape in SHAPES]
    scene.namespace(*names)
    scene.origin.push(
        {f"{named(who, shape)}/all.yaml": manifests(objects) for shape, (objects, _, _) in SHAPES.items()}
    )
    for shape in SHAPES:
        spec = {"ignoreDifferences": IGNORING.get(shape, [])}
        name = named(who, shape)
        scene.create(APPLICATIONS, application(name, scene.repository, automated=False, options=options, namespace=name, **spec))  # fmt: skip
    scene.refresh(names)
    for name in names:
        scene.sync(name, syncOptions=list(options))
    scene.synced(*names, within_s=180)


def disturbed(scene, whos):
    changed = {f"{named(who, shape)}/all.yaml": manifests(then) for who in whos for shape, (_, then, _) in SHAPES.items() if then}  # fmt: skip
    scene.origin.push(changed)
    for who in whos:
        for shape, (_, _, drift) in SHAPES.items():
            for root, place, change in drift:
                resource, name = place.split("/")
                path = f"/{root}/namespaces/{named(who, shape)}/{resource}/{name}"
                answer = scene.cluster.patch(path, change, MERGE_PATCH, fieldManager="conformance")
                assert answer.fine, answer.body


def judged(scene, names):
    """What is said of each application under each option."""
    said = {}
    for option in (HIDING, SHOWING):
        for name in names:
            asked = {COMPARE: option, "argocd.argoproj.io/refresh": "hard"}
            assert scene.cluster.patch(f"{APPLICATIONS}/{name}", {"metadata": {"annotations": asked}}, MERGE_PATCH).fine

        def looked():
            apps = scene.apps()
            return not any("argocd.argoproj.io/refresh" in apps[name]["metadata"]["annotations"] for name in names)

        scene.until(looked, f"all were looked at with {option}", within_s=120)
        for name, app in scene.apps().items():
            if name in names:
                said[name, option] = told(app)
    return said


def told(app):
    status = app["status"]
    errors = [each["message"] for each in status.get("conditions", ()) if each["type"] == "ComparisonError"]
    if errors:  # they stop at the first object, and say nothing of the others
        return status["sync"]["status"], tuple(errors)
    return status["sync"]["status"], {f"{each['kind']}/{each['name']}": each["status"] for each in status["resources"]}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What Argo CD and we say of what either has delivered."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ARGOCD_K8S_CLIENT_QPS", "300")
    patch.setenv("ARGOCD_K8S_CLIENT_BURST", "600")
    whos = {"client": (), "argo": ("ServerSideApply=true",), "ours": ()}
    names = [named(who, shape) for who in whos for shape in SHAPES]
    try:
        with staged(tmp_path_factory.mktemp("judging") / "scene") as scene:
            scene.namespace("argocd")
            with scene.argo():
                delivered(scene, "client", whos["client"])
                delivered(scene, "argo", whos["argo"])
            with scene.plumb("--enforce"):
                delivered(scene, "ours", whos["ours"])
            disturbed(scene, whos)
            meddling(scene)
            with scene.argo():
                theirs = judged(scene, names)
            with scene.plumb("--enforce"):
                ours = judged(scene, names)
    finally:
        patch.undo()
    return theirs, ours


WHOS = ("client", "argo", "ours")
INTENDED = {(who, "scaled", SHOWING) for who in WHOS} | {("ours", "plain", SHOWING)}
"""They take another generation for a difference, if what webhooks do counts. A change of an ignored field makes one, and of
a Deployment so does one of annotations: they apply without the last-applied one, which we hold where we have written it."""


@pytest.mark.parametrize("option", [HIDING, SHOWING])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("who", WHOS)
def test_the_same_is_said_of_it(said, who, shape, option):
    theirs, ours = (each[named(who, shape), option] for each in said)
    if (who, shape, option) in INTENDED:
        differing = {name for name, status in theirs[1].items() if status != "Synced"}
        assert differing == {"Deployment/web"}
        assert ours == ("Synced", dict.fromkeys(theirs[1], "Synced"))
    else:
        assert ours == theirs


def test_what_the_policy_adds_counts_only_if_it_is_to(said):
    for each in said:
        assert each[named("ours", "meddled"), HIDING][0] == "Synced"
        assert each[named("ours", "meddled"), SHOWING][0] == "OutOfSync"
        assert each[named("ours", "forbidden"), HIDING][0] == "Unknown"
