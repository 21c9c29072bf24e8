"""Workloads with kubectl: roll-outs of none as on the real cluster, and with pods what a cluster with one node shows."""

import re

import pytest

from .conftest import BothSay
from .manifests import WEB
from .transcripts import Kubectl, Line, Script

pytestmark = pytest.mark.conformance

SETTLED = "rollout status deploy/web --timeout=30s"
TEMPLATE_IMAGE = "get deploy web -o jsonpath={.spec.template.spec.containers[0].image}"
SETS = (
    "get rs -o custom-columns=DESIRED:.spec.replicas,IMAGE:.spec.template.spec.containers[0].image"
    " --sort-by=.metadata.annotations.deployment\\.kubernetes\\.io/revision"
)
SET = """\
apiVersion: apps/v1
kind: {kind}
metadata: {name: {name}}
spec:
  selector: {matchLabels: {app: {name}}}
  template:
    metadata: {labels: {app: {name}}}
    spec: {containers: [{name: main, image: "main:1"}], nodeSelector: {nowhere: "true"}}
"""
STATEFUL = (
    SET.replace("{kind}", "StatefulSet")
    .replace("{name}", "base")
    .replace("spec:\n  sel", "spec:\n  replicas: 0\n  serviceName: base\n  sel")
)
DAEMONS = SET.replace("{kind}", "DaemonSet").replace("{name}", "guard")

SCRIPTS: dict[str, Script] = {
    "deployments without pods": Script(
        [
            Line("apply -f -", stdin=WEB),
            SETTLED,
            "rollout history deploy/web",
            "annotate deploy web kubernetes.io/change-cause=second",
            "set image deploy/web web=web:2",
            SETTLED,
            "set image deploy/web web=web:3",
            SETTLED,
            "rollout history deploy/web",
            "rollout history deploy/web --revision=2",
            "rollout history deploy/web --revision=9",
            "rollout undo deploy/web --dry-run=server",
            "rollout undo deploy/web",
            SETTLED,
            TEMPLATE_IMAGE,
            "rollout undo deploy/web --to-revision=1",
            SETTLED,
            TEMPLATE_IMAGE,
            "rollout undo deploy/web --to-revision=1",
            "rollout undo deploy/web --to-revision=99",
            "rollout pause deploy/web",
            "rollout pause deploy/web",
            "set image deploy/web web=web:4",
            "rollout undo deploy/web",
            "rollout status deploy/web --timeout=1s",
            "rollout resume deploy/web",
            "rollout resume deploy/web",
            SETTLED,
            "rollout history deploy/web",
            SETS,
            "rollout status deploy/none",
            "rollout restart deploy/none",
            "rollout status cm/kube-root-ca.crt",
        ]
    ),
    "sets without pods": Script(
        [
            Line("apply -f -", stdin=STATEFUL),
            Line("apply -f -", stdin=DAEMONS),
            "rollout status ds/guard --timeout=30s",
            "set image ds/guard main=main:2",
            "rollout status ds/guard --timeout=30s",
            "rollout history ds/guard",
            "rollout history ds/guard --revision=2",
            "rollout undo ds/guard",
            "rollout status ds/guard --timeout=30s",
            "get ds guard -o jsonpath={.spec.template.spec.containers[0].image}",
            "get ds",
            "set image sts/base main=main:2",
            "wait --for=jsonpath={.status.observedGeneration}=2 sts/base --timeout=30s",
            "rollout history sts/base",
            "rollout undo sts/base",
            "wait --for=jsonpath={.status.observedGeneration}=3 sts/base --timeout=30s",
            "get sts",
            "get controllerrevisions -o custom-columns=REVISION:.revision --sort-by=.revision",
        ]
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_roll_outs_go_like_on_the_real_cluster(name: str, both_say_the_same: BothSay) -> None:
    both_say_the_same(SCRIPTS[name])


@pytest.fixture
def running(kubectl: Kubectl) -> Kubectl:
    """Two running pods of a deployment, to do with as one likes."""
    return started(kubectl)


@pytest.fixture(scope="module")
def seen(shared_kubectl: Kubectl) -> Kubectl:
    """The same, to look at only."""
    return started(shared_kubectl)


def started(kubectl: Kubectl) -> Kubectl:
    said = kubectl.run(Line("apply -f -", stdin=WEB.replace("replicas: 0", "replicas: 2")))
    assert said.code == 0, said.err
    expect(kubectl, SETTLED, 'deployment "web" successfully rolled out')
    return kubectl


def expect(kubectl: Kubectl, text: str, *fragments: str, code: int = 0) -> str:
    """What *text* says, on both channels; it holds all *fragments*."""
    said = kubectl.run(Line(text))
    both = said.out + said.err
    assert said.code == code, both
    for fragment in fragments:
        assert fragment in both, both
    return both


def pod_of(kubectl: Kubectl, selector: str = "app=web") -> str:
    return expect(kubectl, f"get pods -l {selector} -o name").split()[0]


def test_pods_run_and_are_shown(seen: Kubectl) -> None:
    shown = expect(seen, "get pods -o wide").splitlines()
    assert re.split(r"\s{2,}", shown[0]) == [
        *("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES")
    ]
    assert all(
        re.search(r"web-\w+-\w{5}\s+1/1\s+Running\s+0 .* 10\.244\.\d+\.\d+ +plumbline", row) for row in shown[1:]
    )
    assert len(shown) == 3
    expect(seen, "get deploy web", "2/2     2            2")
    expect(seen, "wait --for=condition=Ready pod -l app=web --timeout=10s", "condition met")
    expect(seen, "wait --for=jsonpath='{.status.readyReplicas}'=2 deploy/web", "condition met")


def test_a_pod_is_described_with_its_events(seen: Kubectl) -> None:
    expect(
        seen,
        f"describe {pod_of(seen)}",
        "Node:             plumbline/",
        "Controlled By:  ReplicaSet/web-",
        "Container ID:   containerd://",
        "Ready                       True",
        "kube-api-access-",
        "Scheduled  ",
        "Successfully assigned ",
        "Pulled",
        "Started",
    )
    expect(
        seen,
        "describe deploy web",
        "2 desired | 2 updated | 2 total | 2 available | 0 unavailable",
        "ScalingReplicaSet",
    )
    expect(seen, "describe rs -l app=web", "2 current / 2 desired", "SuccessfulCreate")
    expect(seen, "describe node plumbline", "Ready            True", "Non-terminated Pods:", f"  {seen.namespace}  ")


def test_events_are_listed_by_time_and_by_object(seen: Kubectl) -> None:
    listed = expect(seen, "events --for deployment/web", "ScalingReplicaSet")
    assert "Pulled" not in listed
    expect(seen, "events --types=Normal", "SuccessfulCreate", "Scheduled", "Started")
    assert "No events found" in expect(seen, "events --types=Warning")
    expect(seen, "get events --field-selector reason=Scheduled,involvedObject.kind=Pod", "Successfully assigned")
    expect(seen, "get events --sort-by=.metadata.creationTimestamp -o name", "event/web-")


def test_logs_are_read_and_followed(running: Kubectl) -> None:
    patch = '{"spec":{"template":{"metadata":{"annotations":{"sim.plumbline.dev/log":"first\\nsecond"}}}}}'
    expect(running, f"patch deploy web -p '{patch}'", "patched")
    expect(running, SETTLED)
    pod = pod_of(running, f"app=web,{newest(running)}")
    expect(running, f"logs {pod}", "\nfirst\nsecond\n")
    assert expect(running, f"logs {pod} --tail=1") == "second\n"
    assert re.match(r"\d{4}-\S+Z second\n", expect(running, f"logs {pod} --tail=1 --timestamps"))
    assert expect(running, f"logs {pod} --since=1h --limit-bytes=3") == "sim"
    expect(running, f"logs {pod} -c none", f"container none is not valid for pod {pod.removeprefix('pod/')}", code=1)
    expect(running, f"logs {pod} --previous", "previous terminated container", code=1)
    expect(running, "logs deploy/web --all-pods --prefix --tail=1", f"[{pod}/web] second")
    with running.start(f"logs -f {pod}") as following:
        assert [following.stdout.readline() for _ in range(3)][1:] == ["first\n", "second\n"]
        expect(running, "delete deploy web")
        assert following.wait(timeout=30) == 0
    expect(running, "logs none", 'pods "none" not found', code=1)


def newest(kubectl: Kubectl) -> str:
    rows = expect(
        kubectl,
        "get rs -o jsonpath='{range .items[*]}{.spec.replicas} {.metadata.labels.pod-template-hash}{\"\\n\"}{end}'",
    )
    return next(f"pod-template-hash={row.split()[1]}" for row in rows.splitlines() if row.startswith("2 "))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exec {pod} -- ls", "simulated"),
        ("exec -it deploy/web -- sh", "simulated"),
        ("attach {pod}", "simulated"),
        ("port-forward {pod} 0:80", "simulated"),
        ("port-forward deploy/web 0:80", "simulated"),
        ("cp {name}:/etc/hosts hosts", "simulated"),
        ("exec none -- ls", 'pods "none" not found'),
        ("exec {pod} -c none -- ls", "container none is not valid for pod"),
        ("top pods", "Metrics API not available"),
    ],
)
def test_what_needs_a_real_container_is_refused_with_the_reason(seen: Kubectl, text: str, says: str) -> None:
    pod = pod_of(seen)
    expect(seen, text.replace("{pod}", pod).replace("{name}", pod.removeprefix("pod/")), says, code=1)


NOWHERE = """\
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {nodeSelector: {nowhere: "true"}, containers: [{name: main, image: "main:1"}]}
"""


def test_a_pod_without_a_node_is_refused_like_on_a_cluster_without_nodes(both_say_the_same: BothSay) -> None:
    both_say_the_same(
        Script(
            [
                Line("create -f -", stdin=NOWHERE),
                "get pod lone",
                "exec lone -- ls",
                "attach lone",
                "port-forward lone 0:80",
                "logs lone",
                "cp lone:/etc/hosts hosts",
                "delete pod lone",
            ]
        )
    )


def test_a_roll_out_replaces_pods_and_can_be_undone(running: Kubectl) -> None:
    expect(running, "set image deploy/web web=web:2", "image updated")
    expect(running, SETTLED, "successfully rolled out")
    images = "get pods --field-selector status.phase=Running -o jsonpath='{.items[*].spec.containers[*].image}'"
    expect(running, "rollout undo deploy/web", "rolled back")
    expect(running, SETTLED, "successfully rolled out")
    assert "web:1" in expect(running, images)
    expect(running, "rollout restart deploy/web", "restarted")
    expect(running, SETTLED, "successfully rolled out")
    expect(running, "get deploy web -o yaml", "kubectl.kubernetes.io/restartedAt")
    expect(running, "scale deploy web --replicas=4", "scaled")
    expect(running, SETTLED, "successfully rolled out")
    expect(running, "scale deploy web --replicas=0", "scaled")
    expect(running, "wait --for=delete pod -l app=web --timeout=30s")


def test_a_roll_out_that_cannot_go_on_is_told(running: Kubectl) -> None:
    expect(running, 'patch deploy web -p \'{"spec":{"progressDeadlineSeconds":1}}\'')
    expect(running, "set image deploy/web web=web:does-not-exist")
    expect(running, SETTLED, 'deployment "web" exceeded its progress deadline', code=1)
    assert re.search(r"ErrImagePull|ImagePullBackOff", expect(running, "get pods"))
    expect(running, "rollout undo deploy/web", "rolled back")
    expect(running, SETTLED, "successfully rolled out")


def test_jobs_finish_and_crashes_are_counted(kubectl: Kubectl) -> None:
    expect(kubectl, "create job once --image=work:1 -- work", "created")
    expect(kubectl, "wait --for=condition=Complete job/once --timeout=30s", "condition met")
    expect(kubectl, "get job once", "Complete   1/1")
    expect(kubectl, "logs job/once", "simulated container once")
    expect(kubectl, "create cronjob often --image=work:1 --schedule='* * * * *'")
    expect(kubectl, "create job by-hand --from=cronjob/often", "created")
    expect(kubectl, "wait --for=condition=Complete job/by-hand --timeout=30s", "condition met")
    expect(kubectl, "run broken --image=a:1 --annotations=sim.plumbline.dev/behavior=crash")
    expect(kubectl, "wait --for=jsonpath='{.status.containerStatuses[0].restartCount}'=1 pod/broken --timeout=30s")
    assert re.search(r"0/1\s+(CrashLoopBackOff|Error)\s+1 \(", expect(kubectl, "get pod broken"))
    expect(kubectl, "run once --image=a:1 --restart=Never")
    expect(kubectl, "wait --for=jsonpath='{.status.phase}'=Succeeded pod/once --timeout=30s", "condition met")
    expect(kubectl, "get pod once", "0/1     Completed")


def test_services_find_their_pods(running: Kubectl) -> None:
    expect(running, "expose deploy web --port=80 --target-port=http", "exposed")
    found = expect(
        running,
        "wait --for=jsonpath='{.endpoints[1].conditions.ready}'=true endpointslice -l kubernetes.io/service-name=web --timeout=30s",
    )
    assert "condition met" in found
    assert re.search(r"Endpoints:\s+10\.244\.\d+\.\d+:80,10\.244\.\d+\.\d+:80", expect(running, "describe svc web"))
    assert re.search(r"web\s+ClusterIP\s+10\.96\.\d+\.\d+\s+<none>\s+80/TCP", expect(running, "get svc web"))
