"""The Dockerfile, as far as one can tell without building it: it is whole, pinned as we are tested, and runs as nobody."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from plumbline.cli.installing import Wanted
from plumbline.cli.installing.workload import deployment
from plumbline.render.tools.pins import HELM, KUSTOMIZE

ROOT = Path(__file__).parents[3]
INSTRUCTIONS = {"ARG", "COPY", "ENTRYPOINT", "ENV", "FROM", "RUN", "USER", "WORKDIR"}


def instructions():
    text = (ROOT / "Dockerfile").read_text()
    whole = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    return [tuple(line.split(maxsplit=1)) for line in whole.splitlines() if line]


def arguments():
    return dict(said.split("=", 1) for name, said in instructions() if name == "ARG")


def copied():
    for name, said in instructions():
        if name == "COPY" and not said.startswith("--from="):
            yield from said.split()[:-1]


def let_in(path):
    ignored = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if fnmatch(path, pattern) or path.startswith(f"{pattern}/"):
            ignored = not line.startswith("!")
    return not ignored


def test_it_is_made_of_instructions_that_there_are():
    assert {name for name, _ in instructions()} == INSTRUCTIONS
    stages = re.findall(r"^FROM \S+ AS (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sources = re.findall(r"--from=(\w+)", (ROOT / "Dockerfile").read_text())
    assert set(sources) == set(stages)
    used = set(re.findall(r"\$\{(\w+)\}", (ROOT / "Dockerfile").read_text()))
    assert used == arguments().keys()


@pytest.mark.parametrize("path", sorted(set(copied())))
def test_what_is_copied_is_there_and_let_in(path):
    assert (ROOT / path).exists()
    assert let_in(path)


def test_what_was_built_elsewhere_stays_out():
    for path in ("src/plumbline/web/static", "ui/node_modules", ".git", "tests"):
        assert not let_in(path), path


def test_tools_are_those_that_we_are_tested_with():
    peers = (ROOT / "tests" / "conformance" / "peers" / "build").read_text()
    (tofu,) = re.findall(r"^TOFU_VERSION=(\S+)", peers, re.MULTILINE)
    said = arguments()
    assert (said["HELM"], said["KUSTOMIZE"], said["TOFU"]) == (HELM.version, KUSTOMIZE.version, f"v{tofu}")


def test_it_runs_as_the_user_that_pods_are_given():
    (user,) = [said for name, said in instructions() if name == "USER"]
    security = deployment(Wanted(image="x", version="1"))["spec"]["template"]["spec"]["securityContext"]
    assert user == f"{security['runAsUser']}:{security['runAsGroup']}"


def test_it_names_no_server():
    assert "://" not in (ROOT / "Dockerfile").read_text()
