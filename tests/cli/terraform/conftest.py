import shutil

import pytest

from .workshop import KEY, Command, Repository, States


@pytest.fixture
def states():
    served = States()
    yield served
    served.close()


@pytest.fixture
def tool():
    """The tool that is there; without one there is nothing to plan with."""
    name = next((each for each in ("terraform", "tofu") if shutil.which(each)), None)
    if name is None:
        pytest.skip("neither terraform nor tofu is on PATH")
    return name


@pytest.fixture
def repository(tmp_path, states):
    made = Repository(tmp_path / "checkout", states)
    made.commit({"live/a/main.tf": made.module("a"), "live/b/main.tf": made.module("b"), "README.md": "x"})
    return made


@pytest.fixture
def plumb(tmp_path, repository, monkeypatch):
    return Command(tmp_path, repository.folder, monkeypatch, PLUMBLINE_PLAN_KEY=KEY)
