"""OpenTofu, the real program, with its state in our plane: a Secret for the state, a Lease for the lock."""

import base64
import gzip
import itertools
import re
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tests.conformance.real import Spoken, programs

from plumbline.base.environment import environment
from plumbline.base.json import Json, decode

from .plane import OurPlane
from .processes import beside

pytestmark = pytest.mark.conformance

_TOFU_S = 120
_COLOUR = re.compile(r"\x1b\[\d*m")
# The provider of terraform_data is built in: nothing is downloaded. `gate` holds an apply until a file appears.
CONFIGURATION = """\
terraform {
  backend "kubernetes" {
    secret_suffix = "shop"
    labels        = { team = "platform" }
  }
}
variable "size" {
  type    = number
  default = 1
}
variable "gate" { default = "" }
resource "terraform_data" "part" {
  input = var.size
  lifecycle { replace_triggered_by = [terraform_data.gate] }
}
resource "terraform_data" "gate" {
  input = var.gate
  provisioner "local-exec" {
    command = var.gate == "" ? "true" : "touch ${var.gate}.reached; while [ ! -e ${var.gate} ]; do sleep 0.05; done"
  }
}
output "size" { value = terraform_data.part.output }
"""


class Tofu:
    """One checkout of the configuration; several share the state."""

    def __init__(self, folder: Path, plane: OurPlane, namespace: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        (folder / "main.tf").write_text(CONFIGURATION)
        self._surroundings = {
            "PATH": environment()["PATH"],
            "HOME": str(folder),
            "KUBE_CONFIG_PATH": str(plane.kubeconfig),
            "KUBE_NAMESPACE": namespace,
            "TF_IN_AUTOMATION": "1",
            "CHECKPOINT_DISABLE": "1",
        }
        self.run("init", "-input=false")

    def run(self, *args: str, fails: bool | None = False) -> Spoken:
        with self.started(*args) as process:
            out, err = process.communicate(timeout=_TOFU_S)
        said = Spoken(process.returncode, out, _COLOUR.sub("", err))
        assert fails is None or bool(said.code) is fails, said
        return said

    def apply(self, *args: str, fails: bool | None = False) -> Spoken:
        return self.run("apply", "-auto-approve", "-input=false", *args, fails=fails)

    def tried(self, *args: str) -> Spoken:
        """An apply that may lose the race for the lock."""
        return self.apply(*args, fails=None)

    def started(self, *args: str) -> AbstractContextManager[subprocess.Popen[str]]:
        return beside([str(programs() / "tofu"), *args], folder=self.folder, environment=self._surroundings)

    @contextmanager
    def holding_the_lock(self) -> Iterator[subprocess.Popen[str]]:
        """An apply that is in the middle of it, and ends with the block."""
        gate = self.folder / "gate"
        with self.started(
            "apply", "-auto-approve", "-input=false", "-var", f"gate={gate}", "-var", "size=2"
        ) as process:
            reached = gate.with_suffix(".reached")
            while not reached.exists():
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.02)
            try:
                yield process
            finally:
                gate.touch()
                process.communicate(timeout=_TOFU_S)


@pytest.fixture
def tofu(tmp_path: Path, plane: OurPlane, space: str) -> Tofu:
    return Tofu(tmp_path / "tofu", plane, space)


@pytest.fixture
def colleague(tmp_path: Path, plane: OurPlane, space: str) -> Tofu:
    return Tofu(tmp_path / "colleague", plane, space)


def stored(plane: OurPlane, namespace: str, workspace: str = "default") -> Json:
    secret = plane.get(f"/api/v1/namespaces/{namespace}/secrets/tfstate-{workspace}-shop")
    assert secret.fine, secret.body
    assert secret.body["metadata"]["annotations"] == {"encoding": "gzip"}
    assert secret.body["metadata"]["labels"]["team"] == "platform"
    return decode(gzip.decompress(base64.b64decode(secret.body["data"]["tfstate"])))


def holder(plane: OurPlane, namespace: str) -> str | None:
    lease = plane.get(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/lock-tfstate-default-shop")
    assert lease.fine, lease.body
    return lease.body["spec"].get("holderIdentity")


def test_state_is_kept_in_a_secret_that_everybody_shares(tofu: Tofu, colleague: Tofu, plane: OurPlane, space: str):
    tofu.apply("-var", "size=5")
    assert stored(plane, space)["outputs"]["size"]["value"] == 5
    assert holder(plane, space) is None
    assert decode(colleague.run("output", "-json").out)["size"]["value"] == 5
    assert "No changes." in colleague.run("plan", "-var", "size=5").out
    serial = stored(plane, space)["serial"]
    colleague.apply("-var", "size=6")
    assert stored(plane, space)["serial"] > serial
    assert "terraform_data.part" in tofu.run("state", "list").out
    tofu.run("destroy", "-auto-approve")
    assert stored(plane, space)["resources"] == []


def test_only_one_apply_has_the_lock_and_a_patient_one_gets_it_next(
    tofu: Tofu, colleague: Tofu, plane: OurPlane, space: str
):
    with ThreadPoolExecutor() as pool, tofu.holding_the_lock() as first:
        refused = colleague.apply("-var", "size=3", fails=True)
        assert "Error acquiring the state lock" in refused.err
        assert "the state is already locked by another tofu client" in refused.err
        assert holder(plane, space) in refused.err
        patient = pool.submit(colleague.apply, "-var", "size=4", "-lock-timeout=60s")
        assert first.poll() is None
    assert first.returncode == 0
    assert "Apply complete!" in patient.result().out
    assert stored(plane, space)["outputs"]["size"]["value"] == 4
    assert holder(plane, space) is None


def test_a_lock_that_a_dead_apply_left_is_broken_by_its_id_only(
    tofu: Tofu, colleague: Tofu, plane: OurPlane, space: str
):
    with tofu.holding_the_lock() as dying:
        dying.kill()
    left = holder(plane, space)
    assert left
    refused = colleague.apply(fails=True)
    assert re.search(r"ID:\s+(\S+)", refused.err)[1] == left
    wrong = colleague.run("force-unlock", "-force", "11111111-2222-3333-4444-555555555555", fails=True)
    assert "does not match existing lock" in wrong.err
    colleague.run("force-unlock", "-force", left)
    assert holder(plane, space) is None
    colleague.apply("-var", "size=8")
    assert stored(plane, space)["outputs"]["size"]["value"] == 8


def test_of_many_that_come_at_once_one_wins_each_time(tofu: Tofu, plane: OurPlane, space: str, tmp_path: Path):
    """Whoever lost the race for the lease is told so by a conflict, which this program does not repeat by itself."""
    tofu.apply()
    crowd = [tofu, *(Tofu(tmp_path / f"crowd-{number}", plane, space) for number in range(3))]
    before = stored(plane, space)["serial"]
    size = itertools.count(10)
    applied = 0
    with ThreadPoolExecutor() as pool:
        while crowd:
            said = list(pool.map(lambda each: each.tried("-var", f"size={next(size)}"), crowd))
            lost = [each for each in said if each.code]
            assert len(lost) < len(crowd), lost[0].err
            assert all("Error acquiring the state lock" in each.err for each in lost)
            applied += len(crowd) - len(lost)
            crowd = [each for each, answer in zip(crowd, said, strict=True) if answer.code]
    assert applied == 4
    assert stored(plane, space)["serial"] >= before + applied
    assert holder(plane, space) is None


def test_each_workspace_has_a_state_of_its_own(tofu: Tofu, plane: OurPlane, space: str):
    tofu.run("workspace", "new", "staging")
    tofu.apply("-var", "size=7")
    assert stored(plane, space, "staging")["outputs"]["size"]["value"] == 7
    assert tofu.run("workspace", "list").out.split() == ["default", "*", "staging"]
    tofu.run("destroy", "-auto-approve")
    tofu.run("workspace", "select", "default")
    tofu.run("workspace", "delete", "staging")
    assert tofu.run("workspace", "list").out.split() == ["*", "default"]


def test_state_and_lock_outlive_a_restart_of_the_plane(own_plane: OurPlane, tmp_path: Path):
    tofu = Tofu(tmp_path / "tofu", own_plane, "default")
    with tofu.holding_the_lock() as first, own_plane.away():
        assert first.poll() is None
    assert first.returncode == 0
    assert stored(own_plane, "default")["outputs"]["size"]["value"] == 2
    assert holder(own_plane, "default") is None
