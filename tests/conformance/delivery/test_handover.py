"""From the real Argo CD to us and back: no write to any workload, the same standing, and dropped fields go away live."""

import time

import pytest
from tests.conformance.real import MERGE_PATCH

from plumbline.base.json import decode, encode

from .estate import estate, tree
from .scene import APPLICATIONS

pytestmark = pytest.mark.conformance

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
GRANT = ("--group", "argoproj.io", "--kind", "Application", "-n", "argocd")
GONE = {
    2: ("first", "FIRST", "once", "minReadySeconds", '"command"', '"behavior"', "startingDeadline"),
    3: ('second"', "SECOND", "twice"),
}
"""Words that stand for fields which a commit drops."""
QUIET_S = 2
SCALERS = "/horizontalpodautoscalers/"
LOOKED_S = 6
"""Long enough for every application to have been looked at."""


class Handover:
    def __init__(self, scene, count):
        self.scene = scene
        self.count = count
        self.names = []

    def prepare(self):
        self.scene.namespace("argocd", *(f"team-{team}" for team in range(self.count)))
        self.scene.origin.push(tree(1, self.count))

    def deploy(self):
        for app in estate(self.scene.repository, self.count):
            self.scene.create(APPLICATIONS, app)
            self.names.append(app["metadata"]["name"])
        self.scene.synced(*self.names, within_s=150)
        self.scene.refresh(self.names)  # a definition that is established later wakes nobody there
        self.scene.until(self._established, "custom kinds are established")

    def _established(self):
        apps = self.scene.apps()
        return all(apps[name]["status"]["health"]["status"] == "Healthy" for name in apps if name.startswith("custom"))

    def push(self, version):
        """Commit *version*, and have everybody look."""
        sha = self.scene.origin.push(tree(version, self.count))
        self.scene.refresh(self.names)
        self.scene.synced(*self.names, revision=sha, within_s=90)

    def workloads(self):
        """Every object of every application, by what it is."""
        found = {}
        for app in self.scene.apps().values():
            for each in app["status"]["resources"]:
                api = "/".join(filter(None, (each.get("group"), each["version"])))
                path = self.scene.path_of(api, each["kind"], each.get("namespace", ""), each["name"])
                found[path] = self.scene.cluster.get(path).body
        return found

    def quiet(self):
        """Wait until nobody writes any more: the cluster's own controllers have their say, that of scaling every 15 s."""
        before = {}
        while True:
            found = self.workloads()
            seen = all("conditions" in obj.get("status", {}) for path, obj in found.items() if SCALERS in path)
            if seen and versions(found) == before:
                return
            before = versions(found)
            time.sleep(2)

    def standings(self):
        return {name: standing(app) for name, app in self.scene.apps().items()}


def versions(workloads):
    """What any write would change."""
    return {
        path: (obj["metadata"]["resourceVersion"], obj["metadata"].get("generation"), obj["metadata"]["managedFields"])
        for path, obj in workloads.items()
    }


def standing(app):
    """How an application stands. Health per object is ours to write inline; Argo CD keeps it elsewhere."""
    status = app["status"]
    sync = status["sync"]
    listed = [{key: value for key, value in each.items() if key != "health"} for each in status["resources"]]
    return sync["status"], sync.get("revision"), sync.get("revisions"), status["health"]["status"], listed


def test_fifty_applications_go_over_and_come_back(scene):
    story(scene, 5)


def test_applications_tracked_by_label_go_over_and_come_back(scene):
    story(scene, 1, tracking="label")


def story(scene, count, tracking=""):
    handover = Handover(scene, count)
    handover.prepare()
    with scene.argo():
        if tracking:
            settings = {"data": {"application.resourceTrackingMethod": tracking}}
            assert scene.cluster.patch("/api/v1/namespaces/argocd/configmaps/argocd-cm", settings, MERGE_PATCH).fine
        handover.deploy()
        handover.quiet()
    over(handover)
    with scene.plumb():
        handover.push(2)
        dropped(handover, 2)
    scene.say("release", *GRANT)
    back(handover)


def over(handover):
    """Observed without a trace, then adopted without a write to any workload."""
    scene = handover.scene
    before, stood = versions(handover.workloads()), handover.standings()
    apps = {name: app["metadata"]["resourceVersion"] for name, app in scene.apps().items()}
    with scene.plumb():
        time.sleep(LOOKED_S)
        assert versions(handover.workloads()) == before
        assert {name: app["metadata"]["resourceVersion"] for name, app in scene.apps().items()} == apps
        scene.say("adopt", *GRANT, "--quiet-for", str(QUIET_S))
        time.sleep(LOOKED_S)
        scene.refresh(handover.names)
        scene.synced(*handover.names)
        assert versions(handover.workloads()) == before
        assert handover.standings() == stood


def back(handover):
    """Argo CD finds everything as it would have left it, and goes on."""
    scene = handover.scene
    handover.quiet()
    before, stood = versions(handover.workloads()), handover.standings()
    with scene.argo():
        scene.refresh(handover.names)
        scene.synced(*handover.names)
        time.sleep(LOOKED_S)
        assert versions(handover.workloads()) == before
        assert handover.standings() == stood
        handover.push(3)
        dropped(handover, 3)


def dropped(handover, version):
    """What commit *version* does not have any more is nowhere, and what it changed is live."""
    for path, obj in handover.workloads().items():
        metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
        told = encode({**obj, "metadata": metadata}).decode()
        # What leaves the texts of a Secret goes with us; with kubectl, and so with Argo CD, it stays.
        left = [word for word in GONE[version] if word in told and not (version == 3 and "/secrets/" in path)]
        assert not left, (path, left, obj)
        assert metadata.get("labels", {}).get("release", f"v{version}") == f"v{version}", path
        text = metadata.get("annotations", {}).get(LAST_APPLIED)
        release = decode(text)["metadata"].get("labels", {}).get("release") if text else None
        assert release in {None, f"v{version}"}, path
