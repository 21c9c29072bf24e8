"""From a pull request to its merge, as docs/ci has it, with both tools and on every CI."""

import os
import shutil
from pathlib import Path

import pytest
from tests.cli.terraform.agents import FLOWS, prepared, walked
from tests.cli.terraform.workshop import Repository, States
from tests.terraform.changed.forge import Forge

pytestmark = pytest.mark.conformance

_PEERS = Path(os.environ.get("PLUMBLINE_PEERS", Path.home() / ".cache/plumbline-peers")) / "bin"


@pytest.fixture(params=["terraform", "tofu"])
def tool(request, tmp_path):
    """A folder with that tool and not the other."""
    path = shutil.which(request.param, path=f"{os.environ['PATH']}:{_PEERS}")
    if path is None:
        pytest.skip(f"{request.param} is not there")
    folder = tmp_path / "tool"
    folder.mkdir()
    (folder / request.param).symlink_to(path)
    return folder


@pytest.mark.parametrize("kind", FLOWS)
def test_a_pull_request_goes_from_plan_to_comment_to_merge_to_apply(kind, tool, tmp_path):
    forge, states = Forge("gitlab" if kind == "gitlab" else "github"), States()
    try:
        repository = Repository(tmp_path / "checkout", states)
        repository.commit({f"live/{name}/main.tf": repository.module(name) for name in "ab"})
        agent = prepared(tmp_path, repository, forge)
        agent.environment["PATH"] = f"{tmp_path / 'tools'}:{tool}:/usr/bin:/bin"
        walked(kind, agent)
        (name,) = (path.name for path in tool.iterdir())
        assert states.states["/a"]
        plans = [*tmp_path.glob("**/*.plan")]
        assert all(f'"tool":"{name}"'.encode() in plan.read_bytes() for plan in plans)
        assert plans
    finally:
        forge.close()
        states.close()
