"""The simulated node with kubectl: taken out of service, emptied and put back, with disruption budgets in the way."""

from pathlib import Path

import pytest

from .conftest import made_namespace
from .manifests import WEB
from .plane import OurPlane
from .transcripts import Kubectl, Line

pytestmark = pytest.mark.conformance


@pytest.fixture
def kubectl(own_plane: OurPlane, tmp_path: Path) -> Kubectl:
    """On a plane of the test's own: without its node nothing runs."""
    return Kubectl(own_plane, tmp_path / "kubectl", made_namespace(own_plane, "work"))


def told(kubectl: Kubectl, text: str, stdin: str = "", code: int = 0) -> str:
    said = kubectl.run(Line(text, stdin=stdin))
    assert said.code == code, said
    return said.out + said.err


def test_a_drained_node_gets_its_pods_back_when_it_is_in_service_again(kubectl: Kubectl) -> None:
    told(kubectl, "apply -f -", WEB.replace("replicas: 0", "replicas: 2"))
    told(kubectl, "rollout status deploy/web --timeout=30s")
    told(kubectl, "create pdb web --selector=app=web --min-available=1")
    told(kubectl, "wait --for=jsonpath='{.status.disruptionsAllowed}'=1 pdb/web --timeout=30s")
    refused = told(kubectl, "drain plumbline --timeout=3s", code=1)
    assert "Cannot evict pod as it would violate the pod's disruption budget" in refused
    assert "Ready,SchedulingDisabled" in told(kubectl, "get nodes")
    told(kubectl, "delete pdb web")
    assert "node/plumbline drained" in told(kubectl, "drain plumbline --timeout=30s")
    pending = told(kubectl, "get pods --field-selector status.phase=Pending")
    assert pending.count("0/1     Pending") == 2
    events = told(kubectl, "events --types=Warning")
    assert "0/1 nodes are available: 1 node(s) were unschedulable" in events
    assert "node/plumbline uncordoned" in told(kubectl, "uncordon plumbline")
    told(kubectl, "rollout status deploy/web --timeout=30s")


def test_a_taint_keeps_out_who_does_not_tolerate_it(kubectl: Kubectl) -> None:
    assert "node/plumbline tainted" in told(kubectl, "taint node plumbline only=team:NoSchedule")
    told(kubectl, "run stranger --image=a:1")
    tolerant = '{"spec":{"tolerations":[{"key":"only","operator":"Exists"}]}}'
    told(kubectl, f"run friend --image=a:1 --overrides='{tolerant}'")
    told(kubectl, "wait --for=condition=Ready pod/friend --timeout=30s")
    condition = "get pod stranger -o jsonpath='{.status.conditions[?(@.type==\"PodScheduled\")].message}'"
    assert "had untolerated taint(s)" in told(kubectl, condition)
    assert "node/plumbline untainted" in told(kubectl, "taint node plumbline only-")
    told(kubectl, "wait --for=condition=Ready pod/stranger --timeout=30s")


def test_everything_can_be_dumped(kubectl: Kubectl) -> None:
    told(kubectl, "run lone --image=a:1")
    told(kubectl, "wait --for=condition=Ready pod/lone --timeout=30s")
    told(kubectl, "cluster-info dump --all-namespaces --output-directory=dump")
    assert "Kubernetes control plane is running at https://127.0.0.1:" in told(kubectl, "cluster-info")
