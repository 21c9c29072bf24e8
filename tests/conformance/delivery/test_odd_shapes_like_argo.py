"""Applications of odd shapes, given to the real Argo CD on one cluster and to us on another: the same is said of them."""

import re
import time

import pytest
from tests.conformance.real import MERGE_PATCH

from plumbline.base.json import encode
from plumbline.delivery.plainsecrets import WARNING

from .conftest import staged
from .hands import Hands
from .intended import INTENDED
from .odd import ODD, STRICT
from .scene import APPLICATIONS, PROJECTS, application, manifests

pytestmark = pytest.mark.conformance

WITHIN_S = 90
SETTLED_S = 3
"""A look may have begun before the sync ended; the next one comes by itself."""
COMMON = ("argocd", "common")
_HEX = re.compile(r"\b[0-9a-f]{40}\b")
_STAMP = re.compile(r"-(presync|sync|postsync|syncfail)-\d{10}\b")
_FILE = re.compile(r"/dev/shm/\d+")
_SHORT = re.compile(r"\b[0-9a-f]{7}(?=-(?:presync|sync|postsync|syncfail)-STAMP)")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What each side says of each application."""
    folder = tmp_path_factory.mktemp("odd")
    patch = pytest.MonkeyPatch()
    patch.setenv("ARGOCD_K8S_CLIENT_QPS", "300")
    patch.setenv("ARGOCD_K8S_CLIENT_BURST", "600")
    try:
        with staged(folder / "argo") as scene:
            prepared(scene)
            with scene.argo(), Hands(scene.cluster).at_work():
                theirs = played(scene)
        with staged(folder / "ours") as scene:
            prepared(scene)
            with scene.plumb("--enforce"), Hands(scene.cluster).at_work():
                ours = played(scene)
    finally:
        patch.undo()
    return theirs, ours


def prepared(scene):
    scene.namespace(*COMMON, *(each.name for each in ODD if each.namespace))
    for each in ODD:
        for obj in each.before:
            scene.create(f"/api/v1/namespaces/{each.name}/configmaps", obj)
    scene.origin.push({path: text for each in ODD for path, text in files(each, each.objects).items()})


def files(odd, objects):
    written = {f"{odd.name}/{place}.yaml": manifests([each]) for place, each in enumerate(objects)}
    return written | {f"{odd.name}/{path}": text for path, text in odd.files.items()}


def played(scene):
    project = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "strict"}}
    scene.create(PROJECTS, {**project, "spec": STRICT})
    for each in ODD:
        scene.create(APPLICATIONS, deployed(scene, each))
    seen = {each.name: [] for each in ODD}
    acted(scene, ODD, seen)
    drifting = [each for each in ODD if each.drift]
    for each in drifting:
        for kind, name, change in each.drift:
            path = "/".join((f"/{kind.rpartition('/')[0]}", "namespaces", each.name, kind.rpartition("/")[2], name))
            answer = scene.cluster.patch(path, change, MERGE_PATCH, fieldManager="conformance")
            assert answer.fine, answer.body
    if drifting:
        looked(scene, drifting, seen)
    again = [each for each in ODD if each.then is not None]
    gone = [path for each in again for path in files(each, each.objects).keys() - files(each, each.then).keys()]
    scene.origin.push({path: text for each in again for path, text in files(each, each.then).items()}, remove=gone)
    acted(scene, again, seen)
    return seen


def deployed(scene, odd):
    spec = {**odd.spec}
    app = application(odd.name, scene.repository, automated=False, namespace=odd.name)
    source = {**app["spec"]["source"], **spec.pop("source", {})}
    return {**app, "spec": {**app["spec"], **spec, "source": source}}


def acted(scene, odds, seen):
    """Sync all of them, wait for what comes of it, and note it."""
    before = {
        name: app.get("status", {}).get("operationState", {}).get("startedAt") for name, app in scene.apps().items()
    }
    time.sleep(1.1)  # two operations that begin in the same second are one
    for each in odds:
        options = each.spec.get("syncPolicy", {}).get("syncOptions", [])
        scene.sync(each.name, syncOptions=options, **each.sync)
    names = {each.name for each in odds}
    end = time.monotonic() + WITHIN_S
    while time.monotonic() < end and not all(over(app, before) for name, app in scene.apps().items() if name in names):
        time.sleep(0.5)
    looked(scene, odds, seen)


def over(app, before):
    state = app.get("status", {}).get("operationState", {})
    ended = state.get("phase") in {"Succeeded", "Failed", "Error"} and "operation" not in app
    return ended and state.get("startedAt") != before.get(app["metadata"]["name"])


def looked(scene, odds, seen):
    """Have them looked at once more, and note how they stand."""
    names = [each.name for each in odds]
    scene.refresh(names)
    asked = "argocd.argoproj.io/refresh"
    scene.until(lambda: not any(asked in app["metadata"].get("annotations", {}) for app in scene.apps().values()), "looked at")  # fmt: skip
    time.sleep(SETTLED_S)
    apps = scene.apps()
    for name in names:
        seen[name].append(standing(apps[name], scene))


def standing(app, scene):
    status = app.get("status", {})
    state = status.get("operationState", {})
    result = state.get("syncResult") or {}
    said = {
        "sync": status.get("sync", {}).get("status"),
        "health": status.get("health", {}).get("status"),
        "conditions": sorted(
            [each["type"], each["message"]] for each in status.get("conditions", ()) if each["type"] != WARNING
        ),
        "phase": state.get("phase"),
        "message": state.get("message"),
        "results": listed(result.get("resources") or ()),
        "resources": [trimmed(each, ("health",)) for each in status.get("resources", ())],
        "history": len(status.get("history", ())),
    }
    return normalised(said, scene)


def listed(results):
    """In an order of their own: what is applied at once is recorded as it is answered."""
    return sorted((trimmed(each, _without(each)) for each in results), key=encode)


def _without(result):
    """Argo CD leaves behind that a hook of an earlier phase was on its way out, where it was looked at just then."""
    return ("message",) if result.get("hookType") == "PostSync" and result.get("name") == "both" else ()


def trimmed(each, without):
    return {key: value for key, value in each.items() if key not in without and value}


def normalised(said, scene):
    """Without what differs from one run to the next: commits, times in names, addresses."""
    if isinstance(said, str):
        text = _STAMP.sub(r"-\1-STAMP", _HEX.sub("COMMIT", said))
        text = _FILE.sub("FILE", _SHORT.sub("SHORT", text))
        return text.replace(scene.repository, "REPOSITORY").replace(scene.cluster.url, "CLUSTER")
    if isinstance(said, list):
        return [normalised(each, scene) for each in said]
    return {key: normalised(each, scene) for key, each in said.items()} if isinstance(said, dict) else said


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
def test_the_same_is_said_of_it(told, odd):
    theirs, ours = told[0][odd.name], told[1][odd.name]
    unused = {
        field
        for name, field in INTENDED
        if name == odd.name and all(they[field] == we[field] for they, we in zip(theirs, ours, strict=True))
    }
    assert not unused, "what we meant to say otherwise is the same by now"
    assert len(theirs) == len(ours)
    for step, (they, we) in enumerate(zip(theirs, ours, strict=True)):
        for field in they:
            if (odd.name, field) not in INTENDED:
                assert they[field] == we[field], f"step {step}, {field}\n{encode(they).decode()}\n{encode(we).decode()}"
