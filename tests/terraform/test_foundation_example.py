"""The foundation of the examples: formatted, valid, and applied without a network or an account."""

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from plumbline.base.documents import load_documents
from plumbline.base.json import decode
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.read import read

FOUNDATION = Path(__file__).parents[2] / "examples" / "foundation"
OFFLINE = ("staging", "production")
USED = {"vpc_id", "private_subnet_ids", "cluster_endpoint", "database_subnet_group", "database_security_group_id"}


class Checkout:
    def __init__(self, tool, folder):
        self._tool, self.folder = tool, folder
        shutil.copytree(FOUNDATION, folder)

    def run(self, root, *arguments, fails=False):
        done = subprocess.run(
            [self._tool.path, *arguments],
            cwd=self.folder / root,
            env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert bool(done.returncode) is fails, done.stderr
        return done.stdout if not fails else done.stderr

    def apply(self, environment):
        root = f"environments/{environment}"
        self.run(root, "init", "-input=false", "-no-color")
        self.run(root, "validate")
        self.run(root, "apply", "-auto-approve", "-input=false", "-no-color")


@pytest.fixture(scope="module")
def checkout(terraform, tmp_path_factory):
    """With both environments applied."""
    made = Checkout(terraform, tmp_path_factory.mktemp("foundation") / "infrastructure")
    for environment in OFFLINE:
        made.apply(environment)
    return made


def test_everything_is_formatted(checkout):
    checkout.run(".", "fmt", "-check", "-recursive")


@pytest.mark.parametrize("environment", OFFLINE)
def test_an_environment_is_applied_and_then_there_is_nothing_to_do(checkout, environment):
    root = f"environments/{environment}"
    checkout.run(root, "plan", "-detailed-exitcode", "-input=false")
    outputs = decode(checkout.run(root, "output", "-json").encode())
    assert set(outputs) >= USED
    zones = 2 if environment == "staging" else 3
    assert len(set(outputs["private_subnet_ids"]["value"])) == zones


def test_what_everything_stands_on_cannot_be_replaced_by_accident(checkout):
    replacing = ("plan", "-no-color", "-input=false", "-var", "cidr=10.99.0.0/16")
    said = checkout.run("environments/staging", *replacing, fails=True)
    assert "prevent_destroy" in said
    assert "module.network.terraform_data.vpc" in said


def test_subnets_do_not_overlap(checkout):
    state = decode(checkout.run("environments/production", "show", "-json").encode())
    found = sorted(_networks(state["values"]["root_module"]))
    assert len(found) == 9
    assert all(before[1] <= after[0] for before, after in pairwise(found))


def test_nodes_from_before_there_were_several_groups_stay(checkout):
    root = "environments/production"
    checkout.run(root, "state", "mv", 'module.node_group["general"]', "module.workers")
    planned = checkout.run(root, "plan", "-no-color", "-input=false")
    assert "module.workers.terraform_data.node_group has moved to" in planned
    assert "0 to add, 0 to change, 0 to destroy" in planned


@pytest.mark.parametrize("path", sorted((FOUNDATION / "manifests").glob("*.yaml")), ids=lambda path: path.stem)
def test_manifests_are_what_they_say(path):
    kinds = {(f"{kind.group}/{version.name}", kind.kind): kind for kind in KINDS for version in kind.versions}
    for document in load_documents(path.read_text(), source=path.name):
        body = document.value
        kind = kinds.get((body["apiVersion"], body["kind"]))
        if kind is not None:
            read(kind, body)
        if body["kind"] == "Terraform":
            assert (FOUNDATION / body["spec"]["path"]).is_dir()


def _networks(module):
    """First and last address of every subnet."""
    for resource in module.get("resources", ()):
        if "subnet" in resource["name"] and "cidr" in (resource["values"].get("input") or {}):
            address, bits = resource["values"]["input"]["cidr"].split("/")
            first = int.from_bytes(bytes(map(int, address.split("."))))
            yield first, first + 2 ** (32 - int(bits))
    for child in module.get("child_modules", ()):
        yield from _networks(child)
