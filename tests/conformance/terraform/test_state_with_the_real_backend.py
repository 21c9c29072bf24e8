"""State, locks and copies with terraform and OpenTofu, the real programs, against our plane over TLS."""

import asyncio
import base64
import itertools
import os
import re
import shutil
import subprocess
import time
from contextlib import asynccontextmanager, contextmanager

import pytest
from tests.conformance.clients.conftest import made_namespace
from tests.conformance.clients.plane import OurPlane
from tests.conformance.clients.processes import beside
from tests.conformance.real import PeersMissing, Spoken, programs

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment
from plumbline.base.errors import Corrupted, Fenced, StateLocked
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import sqlite
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection, Writing
from plumbline.kube.names import Ref
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.state import Copies, Locks, Place, Restorer, RunInfo, read, unmoved
from plumbline.terraform.state.reading import hidden
from plumbline.terraform.state.writing import Writer

pytestmark = pytest.mark.conformance

_TOOL_S = 120
_COLOUR = re.compile(r"\x1b\[\d*m")
_count = itertools.count(1)
# The provider of terraform_data is built in: nothing is downloaded. `gate` holds an apply until a file appears.
CONFIGURATION = """\
terraform {
  backend "kubernetes" {
    secret_suffix = "shop"
    labels        = { team = "platform" }
  }
}
variable "size" { default = 1 }
variable "large" { default = "" }
variable "gate" { default = "" }
resource "terraform_data" "part" {
  count = 2
  input = var.size
}
resource "terraform_data" "each" {
  for_each = toset(["a\\"b", "$${c}"])
  input    = var.large
}
resource "terraform_data" "gate" {
  input = var.gate
  provisioner "local-exec" {
    command = var.gate == "" ? "true" : "touch ${var.gate}.reached; while [ ! -e ${var.gate} ]; do sleep 0.05; done"
  }
}
output "size" { value = var.size }
"""


class Checkout:
    """One checkout of the configuration, as a person has it."""

    def __init__(self, tool, folder, plane, namespace):
        self.folder = folder
        folder.mkdir(parents=True)
        (folder / "main.tf").write_text(CONFIGURATION)
        self._program = shutil.which("terraform") if tool == "terraform" else str(programs() / "tofu")
        if self._program is None:
            raise PeersMissing("there is no terraform on the PATH: install 1.10 or later")
        self._surroundings = {
            "PATH": environment()["PATH"],
            "HOME": str(folder),
            "KUBE_CONFIG_PATH": str(plane.kubeconfig),
            "KUBE_NAMESPACE": namespace,
            "TF_IN_AUTOMATION": "1",
            "CHECKPOINT_DISABLE": "1",
        }

    def run(self, *args, fails=False):
        argv = [self._program, *args]
        done = subprocess.run(
            argv, cwd=self.folder, env=self._surroundings, capture_output=True, text=True, timeout=_TOOL_S, check=False
        )
        said = Spoken(done.returncode, _COLOUR.sub("", done.stdout), _COLOUR.sub("", done.stderr))
        assert bool(said.code) is fails, said
        return said

    async def say(self, *args, fails=False):
        return await asyncio.to_thread(self.run, *args, fails=fails)

    async def apply(self, *args):
        return await self.say("apply", "-auto-approve", "-input=false", *args)

    @contextmanager
    def at_work(self):
        """An apply that is in the middle of it, and ends with the block."""
        gate = self.folder / "gate"
        argv = [self._program, "apply", "-auto-approve", "-input=false", "-var", f"gate={gate}"]
        with beside(argv, folder=self.folder, environment=self._surroundings) as process:
            while not gate.with_suffix(".reached").exists():
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.02)
            try:
                yield process
            finally:
                gate.touch()
                process.communicate(timeout=_TOOL_S)


class Ours:
    """What we have of a plane."""

    def __init__(self, client, journal, copies):
        clock = SystemClock()
        powers = Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None)
        writer = Writer(Gate(powers, Live(journal), clock), client)
        self.client, self.copies = client, copies
        self.locks = Locks(client, writer, clock, host="here")
        self.restorer = Restorer(client, writer, self.locks, copies)


@asynccontextmanager
async def ours(plane, copies):
    connection = Connection.load(plane.kubeconfig)
    async with Client.connect(connection) as client, sqlite.in_memory(clock=SystemClock(), ids=Ids()) as journal:
        yield Ours(client, journal, copies)


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    plane = OurPlane(tmp_path_factory.mktemp("state-plane"))
    plane.start()
    yield plane
    plane.stop()


@pytest.fixture
def empty_plane(tmp_path):
    """Another cluster, on which nothing is."""
    plane = OurPlane(tmp_path / "empty-plane")
    plane.start()
    yield plane
    plane.stop()


@pytest.fixture
def copies(tmp_path):
    return Copies.at(tmp_path / "copies", tmp_path / "copies.key", SystemClock())


@pytest.fixture(params=["terraform", "tofu"])
def tool(request):
    return request.param


@pytest.fixture
def place(plane):
    return Place(made_namespace(plane, f"state-{next(_count)}"), "default", "shop", (("team", "platform"),))


@pytest.fixture
def checkout(tool, tmp_path, plane, place):
    made = Checkout(tool, tmp_path / "checkout", plane, place.namespace)
    made.run("init", "-input=false")
    return made


def run_of(place):
    ref = Ref("infra.contrib.fluxcd.io", "Terraform", place.namespace, "shop")
    return RunInfo(
        Ids().uid(), "OperationTypeApply", f"{place.namespace}/shop applies plan 0123456789ab", ref, "1.11.4"
    )


async def test_what_the_tool_wrote_is_read(checkout, plane, place, copies):
    async with ours(plane, copies) as we:
        made = await read(we.client, place)
        assert made is None or made.vacant, "init makes an empty one at most"
        await checkout.apply("-var", "size=5")
        state = await read(we.client, place)
        assert state.addresses == {
            "terraform_data.part[0]",
            "terraform_data.part[1]",
            'terraform_data.each["a\\"b"]',
            'terraform_data.each["$${c}"]',
            "terraform_data.gate",
        }
        assert state.addresses == set((await checkout.say("state", "list")).out.split())
        assert hidden(state) == ""
        assert await unmoved(we.client, place, state.mark)
        await checkout.apply("-var", "size=6")
        assert not await unmoved(we.client, place, state.mark)
        later = await read(we.client, place)
        assert later.serial > state.serial
        assert later.lineage == state.lineage
        await checkout.say("taint", "terraform_data.part[1]")
        tainted = [each.address for each in (await read(we.client, place)).instances if each.tainted]
        assert tainted == ["terraform_data.part[1]"]


async def test_a_lock_of_the_tool_holds_for_us(checkout, plane, place, copies):
    async with ours(plane, copies) as we:
        with checkout.at_work():
            with pytest.raises(StateLocked) as refused:
                await we.locks.take(place, run_of(place))
            assert "for OperationTypeApply" in refused.value.why
            holder = await we.locks.holder(place)
            assert (holder.ours, holder.death, holder.id) == (False, None, refused.value.lock_id)
        await we.locks.release(await we.locks.take(place, run_of(place)))


async def test_our_lock_holds_for_the_tool_and_tells_it_who_we_are(checkout, plane, place, copies):
    run = run_of(place)
    async with ours(plane, copies) as we:
        async with we.locks.held(place, run):
            refused = await checkout.say("plan", "-input=false", fails=True)
            assert "Error acquiring the state lock" in refused.err
            for told in (run.id, "plumbline@here", "OperationTypeApply", run.said, str(place)):
                assert told in refused.err.replace("│ ", ""), refused.err
            assert "to add" in (await checkout.say("plan", "-lock=false", "-input=false")).out
            await checkout.apply("-lock=false")
            assert (await we.locks.holder(place)).id == run.id, "the run has it, whatever its tool does"
        await checkout.say("plan", "-input=false")
        assert await we.locks.holder(place) is None


async def test_our_lock_can_be_opened_with_the_tool_and_then_the_run_stops(checkout, plane, place, copies):
    run = run_of(place)

    async def work(we):
        async with we.locks.held(place, run):
            await checkout.say("force-unlock", "-force", run.id)
            await asyncio.sleep(60)

    async with ours(plane, copies) as we:
        with pytest.raises(Fenced):
            await work(we)
        await checkout.apply()
        dead = await we.locks.take(place, run)
        await we.locks.force(place, dead.run.id)
        await checkout.say("plan", "-input=false")


async def test_restored_on_an_empty_cluster_the_plan_is_empty(
    checkout, tool, plane, empty_plane, place, copies, tmp_path
):
    await checkout.apply("-var", "size=7")
    async with ours(plane, copies) as we:
        state = await read(we.client, place)
        await we.copies.keep(place, state.text, revision="main@sha1:1", plan="digest")
    made_namespace(empty_plane, place.namespace)
    async with ours(empty_plane, copies) as we:
        assert await read(we.client, place) is None
        version = await we.copies.latest_good(place)
        restored = await we.restorer.restore(place, version, run_of(place))
        assert (restored.serial, restored.lineage) == (state.serial, state.lineage)
        assert (await read(we.client, place)).text == state.text
        there = Checkout(tool, tmp_path / "there", empty_plane, place.namespace)
        await there.say("init", "-input=false")
        await there.say("plan", "-input=false", "-detailed-exitcode", "-var", "size=7")
        await there.apply("-var", "size=8")
        assert (await read(we.client, place)).serial > state.serial


@pytest.mark.parametrize("tool", ["terraform"], indirect=True)
async def test_a_state_of_many_secrets_is_read_and_restored(checkout, plane, place, copies):
    """OpenTofu has no such states: it fails to write them."""
    noise = base64.b64encode(os.urandom(900_000)).decode()
    (checkout.folder / "terraform.tfvars.json").write_bytes(encode({"large": noise}))
    await checkout.apply()
    async with ours(plane, copies) as we:
        state = await read(we.client, place)
        assert [part.name for part in state.parts] == [place.part(number) for number in range(len(state.parts))]
        assert len(state.parts) > 2
        assert hidden(state) == ""
        version = await we.copies.keep(place, state.text)
        await checkout.apply("-var", "large=")
        assert len((await read(we.client, place)).parts) == 1
        await we.restorer.restore(place, version, run_of(place), over=True)
        assert (await read(we.client, place)).text == state.text
    await checkout.say("plan", "-input=false", "-detailed-exitcode")


async def test_a_damaged_state_is_told_with_the_copy_that_repairs_it(checkout, plane, place, copies):
    await checkout.apply()
    async with ours(plane, copies) as we:
        version = await we.copies.keep(place, (await read(we.client, place)).text)
        await we.client.patch(place.secret, encode({"data": {"tfstate": "AAAA"}}), "merge", Writing(field_manager="x"))
        with pytest.raises(Corrupted) as damaged:
            await read(we.client, place, we.copies.offer)
        assert f"serial {version.serial}" in damaged.value.hint
        await checkout.say("plan", "-input=false", fails=True)
        await we.restorer.restore(place, version, run_of(place))
    await checkout.say("plan", "-input=false", "-detailed-exitcode")
