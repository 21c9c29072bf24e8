"""What a run's Job is made of: confined as upstream's pods are, and with what the object says about its pods."""

import pytest
from tests.terraform.works import terraform

from plumbline.base.errors import Corrupted
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.policies import Policy
from plumbline.terraform.runs.manifests import Run, content_of, job, order_secret, report_secrets, run_of
from plumbline.terraform.runs.values import Order
from plumbline.terraform.runs.wire import Written, read_order
from plumbline.terraform.work import Argument, Workplace

ID = "0f3c1d52-5b0e-4a39-9d49-2a1f9f1b7a10"


def order(name="network", **spec):
    obj = terraform(name, **spec)
    obj["metadata"]["uid"] = "the-uid"
    secret = Workplace(environment=(Argument("TOKEN", Plaintext("hunter2")),))
    key = (obj["metadata"]["namespace"], name)
    return Order(ID, key, "plan", MemoryTree({}), "main@sha1:1", "", secret, Policy(), object=obj)


def made(**spec):
    found = job(order(**spec), "plumbline:1")
    return found, found["spec"]["template"]["spec"], found["spec"]["template"]["spec"]["containers"][0]


def test_a_job_runs_one_command_once():
    found, pod, container = made()
    assert found["metadata"]["name"] == f"network-{ID}"
    assert (found["spec"]["backoffLimit"], pod["restartPolicy"]) == (0, "Never")
    assert "ttlSecondsAfterFinished" not in found["spec"]
    assert found["spec"]["activeDeadlineSeconds"] > 3600
    assert container["command"] == ["plumb", "runner", "--order", f"infra/network-{ID}-order", "--grace", "30"]
    (owner,) = found["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"]) == ("Terraform", "network", "the-uid")


def test_labels_are_those_of_upstreams_pods_and_the_run():
    found, _, _ = made()
    expected = {
        "app.kubernetes.io/name": "tf-runner",
        "app.kubernetes.io/created-by": "tf-controller",
        "infra.contrib.fluxcd.io/terraform": "infra",
        "plumbline.dev/run": ID,
        "plumbline.dev/terraform": "network",
    }
    assert found["metadata"]["labels"] == expected
    assert found["spec"]["template"]["metadata"]["labels"] == expected


def test_pods_are_confined():
    _, pod, container = made()
    confined = container["securityContext"]
    assert confined["readOnlyRootFilesystem"]
    assert not confined["allowPrivilegeEscalation"]
    assert (confined["runAsUser"], pod["securityContext"]["runAsUser"]) == (65532, 65532)
    assert confined["capabilities"] == {"drop": ["ALL"]}
    mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    assert set(mounts) == {"/tmp", "/home/runner"}
    assert [each["name"] for each in pod["volumes"] if each["emptyDir"] == {}] == ["tmp", "home"]


TEMPLATE = {
    "metadata": {"labels": {"team": "net", "plumbline.dev/run": "mine"}, "annotations": {"a": "b"}},
    "spec": {
        "image": "registry.example.org/tools:2",
        "env": [{"name": "A", "value": "1"}],
        "envFrom": [{"secretRef": {"name": "cloud"}}],
        "nodeSelector": {"disk": "fast"},
        "affinity": {"nodeAffinity": {}},
        "tolerations": [{"key": "runs", "operator": "Exists"}],
        "volumes": [{"name": "cache", "emptyDir": {}}],
        "volumeMounts": [{"name": "cache", "mountPath": "/cache"}],
        "initContainers": [{"name": "first", "image": "x"}],
        "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}],
        "priorityClassName": "low",
        "securityContext": {"runAsUser": 1000},
        "resources": {"limits": {"memory": "1Gi"}},
    },
}


def test_what_the_object_says_about_its_pods_is_in_them():
    found, pod, container = made(
        runnerPodTemplate=TEMPLATE, serviceAccountName="net", runnerTerminationGracePeriodSeconds=90
    )
    said = TEMPLATE["spec"]
    for name in ("nodeSelector", "affinity", "tolerations", "initContainers", "hostAliases", "priorityClassName"):
        assert pod[name] == said[name]
    assert said["volumes"][0] in pod["volumes"]
    assert said["volumeMounts"][0] in container["volumeMounts"]
    assert said["env"][0] in container["env"]
    assert container["envFrom"] == said["envFrom"]
    assert container["image"] == said["image"]
    assert container["resources"] == said["resources"]
    assert container["securityContext"]["runAsUser"] == 1000
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert pod["serviceAccountName"] == "net"
    assert (pod["terminationGracePeriodSeconds"], container["command"][-1]) == (90, "90")
    metadata = found["spec"]["template"]["metadata"]
    assert metadata["labels"]["team"] == "net"
    assert metadata["labels"]["plumbline.dev/run"] == ID, "by it we find our own"
    assert metadata["annotations"]["a"] == "b"


def test_long_and_dotted_names_make_names_that_jobs_can_have():
    name = Run(("infra", "a-very-long-name.of-a-module.that-goes-on-and-on"), ID).name
    assert len(name) <= 63
    assert "." not in name
    assert name.endswith(ID)
    assert Run(("infra", "x" * 25 + "-y"), ID).name == f"{'x' * 25}-{ID}"


def test_what_is_secret_is_in_secrets_only():
    made_order = order()
    assert "hunter2" not in str(job(made_order, "plumbline:1"))
    secret = order_secret(made_order)
    assert secret["kind"] == "Secret"
    assert read_order(content_of(secret)).workplace == made_order.workplace


def test_the_piece_that_says_that_a_report_is_whole_comes_last():
    found = report_secrets(run_of(order()), Written((b"a", b"b", b"c"), "digest"), [])
    assert [each["metadata"]["name"].removeprefix(f"network-{ID}") for each in found] == [
        "-report-1",
        "-report-2",
        "-report",
    ]
    assert found[-1]["metadata"]["annotations"]["plumbline.dev/report-pieces"] == "3"


def test_a_secret_that_holds_something_else_is_said_to():
    with pytest.raises(Corrupted):
        content_of({"metadata": {"name": "a"}, "data": {"content": "*"}})
    assert content_of({"metadata": {"name": "a"}}) == b""
