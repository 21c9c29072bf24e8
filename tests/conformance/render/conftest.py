"""The real renderers, and the corpus that they and we render."""

from pathlib import Path

import pytest
from tests.conformance.real import PeersMissing, programs

from plumbline.base.tree import MemoryTree
from plumbline.render.tools import Toolbox

CORPUS = Path(__file__).parent / "corpus"


def _peer(name: str) -> Path:
    program = programs() / name
    if not program.exists():
        raise PeersMissing(f"{name} is not built; build it with `make peers`")
    return program


@pytest.fixture(scope="session")
def helm() -> Path:
    return _peer("helm")


@pytest.fixture(scope="session")
def kustomize() -> Path:
    return _peer("kustomize")


@pytest.fixture
def toolbox(helm, kustomize, monkeypatch, tmp_path) -> Toolbox:
    """Ours, finding the same programs as the other side."""
    monkeypatch.setenv("PATH", f"{helm.parent}:/usr/bin:/bin")
    return Toolbox(tmp_path / "tools", build=None)


def tree_of(folder: Path) -> MemoryTree:
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            links[name] = str(path.readlink())
        elif path.is_file():
            files[name] = path.read_bytes()
    return MemoryTree(files, links)


@pytest.fixture(scope="session")
def corpus() -> MemoryTree:
    return tree_of(CORPUS)
