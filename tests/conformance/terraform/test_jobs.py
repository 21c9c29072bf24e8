"""Runs in Jobs on a real cluster, with two replicas of the controller: whoever dies, nothing is applied twice or unasked."""

import time

import pytest
from tests.conformance.terraform.estate import HOME, cluster_staged, condition
from tests.conformance.terraform.kubelet import Kubelet
from tests.conformance.terraform.test_two_replicas import Bell

pytestmark = pytest.mark.conformance

JOBS = f"/apis/batch/v1/namespaces/{HOME}/jobs"
SLOW = """\
resource "terraform_data" "slow" {{
  input = "{input}"
  provisioner "local-exec" {{
    command = "python3 -c 'import socket, time; held = socket.create_connection((\\"127.0.0.1\\", {port})); time.sleep({for_s})'"
  }}
}}
resource "terraform_data" "last" {{
  input = terraform_data.slow.id
}}
output "address" {{
  value = "10.0.0.1"
}}
"""


@pytest.fixture(scope="module")
def stage(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"jobs-{tool}")
    with cluster_staged(tool, folder) as made, Kubelet(made.cluster, folder / "node", made.path) as made.kubelet:
        made.start("one", "--runner-image", "x")
        made.found()
        made.start("two", "--runner-image", "x")
        yield made


@pytest.fixture
def bell():
    made = Bell()
    yield made
    made.close()


def test_a_leader_that_dies_while_a_job_applies_is_not_missed(stage, bell):
    revision = stage.module(SLOW.format(input="1", port=bell.port, for_s=8))
    stage.terraform(writeOutputsToSecret={"name": "outputs"})
    stage.until(lambda: bell.rung, "it is being applied")
    (run,) = [each["metadata"]["labels"]["plumbline.dev/run"] for each in _jobs(stage)]
    assert stage.holder() == run
    leader = stage.leader()
    stage.kill(leader)
    stage.applied(revision)
    assert bell.rung == 1
    assert not stage.holder()
    assert not _told(stage, "RunInterrupted", "networking")
    assert {each["name"] for each in stage.state()["resources"]} == {"slow", "last"}
    assert stage.secret("outputs")["address"] == b"10.0.0.1"
    assert "terraform_data.slow: create started" in stage.kubelet.log
    assert stage.kubelet.log.count(": apply of terraform-system/networking") == 1
    stage.until(lambda: not _jobs(stage) and not _left(stage), "what was taken in is gone")
    stage.start(leader, "--runner-image", "x")


def test_a_runner_that_dies_leaves_a_list_and_no_lock(stage, bell):
    stage.module(SLOW.format(input="2", port=bell.port, for_s=600), "dying")
    stage.terraform("dying", retryInterval="2s")
    stage.until(lambda: bell.rung, "it is being applied")
    assert stage.holder("dying")
    stage.kubelet.kill()
    killed_s = time.monotonic()
    told = stage.until(lambda: _told(stage, "RunInterrupted", "dying"), "it is said")
    assert time.monotonic() - killed_s < 25, "nobody waited for the beat of its heart"
    assert "its container has ended (Error, exit code 137)" in told
    stage.until(lambda: not stage.holder("dying"), "the lock is released")
    obj = stage.told("Ready", "Unknown", "may be left", "dying")
    assert "terraform_data.slow" in condition(obj, "Ready")["message"]
    assert bell.rung == 1, "nothing is applied a second time unasked"
    revision = stage.module(SLOW.format(input="2", port=bell.port, for_s=0), "dying")
    obj = stage.waiting(revision, "dying", said="may be left")
    stage.change("dying", approvePlan=obj["status"]["plan"]["pending"])
    stage.applied(revision, "dying")
    assert bell.rung == 2


def test_a_pod_that_is_told_to_end_lets_the_tool_finish_what_it_is_at(stage, bell):
    stage.module(SLOW.format(input="3", port=bell.port, for_s=5), "drained")
    stage.terraform("drained", approvePlan="", retryInterval="2s")
    obj = stage.told("Ready", "Unknown", "waits", "drained")
    stage.change("drained", approvePlan=obj["status"]["plan"]["pending"])
    stage.until(lambda: bell.rung, "it is being applied")
    pods = stage.cluster.get(f"/api/v1/namespaces/{HOME}/pods", labelSelector="plumbline.dev/run").body["items"]
    (pod,) = (each for each in pods if "drained" in each["metadata"]["name"] and each["status"]["phase"] == "Running")
    assert stage.cluster.send("DELETE", f"/api/v1/namespaces/{HOME}/pods/{pod['metadata']['name']}").fine
    obj = stage.told("Ready", "False", "interrupted", "drained")
    assert condition(obj, "Ready")["reason"] == "TFExecApplyFailed"
    assert [each["name"] for each in stage.state("drained")["resources"]] == ["slow"], "and it is in the state"
    assert not stage.holder("drained")
    assert bell.rung == 1


def _jobs(stage):
    return stage.cluster.get(JOBS).body["items"]


def _left(stage):
    return stage.cluster.get(f"/api/v1/namespaces/{HOME}/secrets", labelSelector="plumbline.dev/run").body["items"]


def _told(stage, reason, name):
    listed = stage.cluster.get(f"/api/v1/namespaces/{HOME}/events").body["items"]
    about = (each for each in listed if each["involvedObject"]["name"] == name and each["reason"] == reason)
    return next((each.get("message", "") for each in about), "")
