"""Two replicas of `plumb run` on a real cluster: the leader dies within an apply, and the other one makes the best of it."""

import asyncio
import contextlib
import socket
import threading

import pytest
from tests.conformance.clients.plane import OurPlane
from tests.conformance.terraform.estate import HOME, cluster_staged, condition, embedded
from tests.conformance.terraform.test_state_with_the_real_backend import ours, run_of

from plumbline.base.clock import SystemClock
from plumbline.terraform.state import Copies, Place

pytestmark = pytest.mark.conformance

# The tools write a remote state with the first change that comes 20 s after another: that of `pause`. They may be late with
# it, and then it has what was made in between: that is `step`. When that is over `slow` is being made, the leader dies, and
# `last` waits for it.
SLOW = """\
resource "terraform_data" "first" {{
  input = "1"
}}
resource "terraform_data" "pause" {{
  input = terraform_data.first.id
  provisioner "local-exec" {{
    command = "sleep {pause_s}"
  }}
}}
resource "terraform_data" "step" {{
  input = terraform_data.pause.id
  provisioner "local-exec" {{
    command = "sleep {step_s}"
  }}
}}
resource "terraform_data" "slow" {{
  input = terraform_data.step.id
  provisioner "local-exec" {{
    command = "python3 -c 'import socket, time; held = socket.create_connection((\\"127.0.0.1\\", {port})); time.sleep({for_s})'"
  }}
}}
resource "terraform_data" "last" {{
  input = terraform_data.slow.id
}}
"""
VPC = 'resource "terraform_data" "vpc" {\n  input = "10.0.0.0/16"\n}\n'


class Bell:
    """Something that a program rings when it begins, and that hears when it ends."""

    def __init__(self):
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.rung = 0
        self.ringing = 0
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        with contextlib.suppress(OSError):
            while True:
                ringing, _ = self._listening.accept()
                self.rung += 1
                self.ringing += 1
                threading.Thread(target=self._hold, args=(ringing,), daemon=True).start()

    def _hold(self, ringing):
        with contextlib.suppress(OSError):
            ringing.recv(1)
        ringing.close()
        self.ringing -= 1

    def close(self):
        self._listening.close()


@pytest.fixture
def bell():
    made = Bell()
    yield made
    made.close()


@pytest.fixture(scope="module")
def stage(tool, tmp_path_factory):
    with cluster_staged(tool, tmp_path_factory.mktemp(f"replicas-{tool}")) as made:
        made.start("one")
        made.found()
        made.start("two")
        yield made


def test_a_leader_that_dies_within_an_apply_is_not_repeated_unasked(stage, bell):
    stage.module(SLOW.format(port=bell.port, pause_s=21, step_s=5, for_s=600))
    stage.terraform(retryInterval="2s")
    stage.until(lambda: bell.rung and "first" in stage.inputs(), "the apply is half done")
    assert stage.holder()
    written, leader = stage.state(), stage.leader()
    stage.kill(leader)
    stage.until(lambda: not bell.ringing, "the tool has gone with it")
    told = stage.until(lambda: _told(stage, "RunInterrupted"), "the other one says so", within_s=120)
    assert "terraform_data.slow" in told
    stage.until(lambda: not stage.holder(), "the lock is released")
    obj = stage.told("Ready", "Unknown", "may be left")
    assert "terraform_data.slow" in condition(obj, "Ready")["message"]
    assert bell.rung == 1, "nothing is applied a second time"
    assert stage.state() == written, "it is as the tool last wrote it"
    stage.start(leader)
    revision = stage.module(SLOW.format(port=bell.port, pause_s=0, step_s=0, for_s=0))
    obj = stage.waiting(revision, said="may be left")
    stage.change(approvePlan=obj["status"]["plan"]["pending"])
    stage.applied(revision)
    assert bell.rung == 2, "once more, as somebody has agreed to"


def test_what_was_copied_outside_comes_back_on_an_empty_cluster(stage, tool, tmp_path_factory):
    """The copies and their key are all that is left of the first one."""
    revision = stage.applied_first("copied", VPC)
    before, kept = stage.state("copied"), stage.folder / stage.leader()
    place = Place(HOME, "default", "copied")
    with embedded(tool, tmp_path_factory.mktemp(f"empty-{tool}")) as empty:
        empty.found_namespace()
        latest = asyncio.run(_restored(empty.installation, kept, place))
        assert latest.revision == revision
        assert empty.state("copied") == before
        empty.found()
        empty.module(VPC, "copied")
        empty.terraform("copied")
        empty.told("Ready", "True", "TerraformPlannedNoChanges", "copied")
        assert empty.state("copied") == before


async def _restored(plane: OurPlane, kept, place):
    copies = Copies.at(kept / "state-copies", kept / "state-copies.key", SystemClock())
    (latest, *_) = await copies.list(place)
    async with ours(plane, copies) as we:
        await we.restorer.restore(place, latest, run_of(place))
    return latest


def _told(stage, reason):
    return next((each for each in stage.events() if each.startswith(reason)), "")
