import pytest
from tests.source.git.origins import Origin
from tests.terraform.sources.scene import URL, with_git

from plumbline.source.git import exchange as exchange_module

OTHER = "https://forge.example/team/other.git"


@pytest.fixture
def origin(tmp_path):
    made = Origin(tmp_path / "served" / "app.git")
    made.first = made.push(
        {"main.tf": 'output "a" { value = 1 }\n', "README.md": "hello\n", "pic.png": "x"}, message="first"
    )
    return made


@pytest.fixture
def other(tmp_path):
    made = Origin(tmp_path / "served" / "other.git")
    made.push({"modules/vpc/main.tf": "# vpc\n", "modules/vpc/x.png": "x", "top.tf": "# top\n"}, message="other")
    return made


@pytest.fixture
def runs(monkeypatch):
    """Every process that is started for a mirror."""
    started = []
    real = exchange_module.run

    async def counted(command):
        started.append(command)
        return await real(command)

    monkeypatch.setattr(exchange_module, "run", counted)
    return started


@pytest.fixture
async def scene(tmp_path, origin, other, runs):
    async with with_git(tmp_path, {URL: origin.path, OTHER: other.path}) as staged:
        yield staged
