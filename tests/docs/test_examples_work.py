"""Manifests in the documentation can be read, and commands in it print what it says they print.

A YAML block that begins with `# NAME.yaml` is the file of that name for the commands on its page. In what a command
prints, `…` stands for anything within a line, and for any lines where it stands alone.
"""

import re
import shlex
import subprocess
import sys

import pytest

from plumbline.base.documents import load_documents
from plumbline.cli.vocabulary import VERBS
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.read import read

from .pages import ROOT, blocks

_ENTRY = "from plumbline.cli.main import main; main()"


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_manifests_can_be_read(block):
    documents = [document.value for document in load_documents(block.text, source=str(block))]
    assert documents
    for obj in documents:
        for kind in KINDS:
            if (obj["apiVersion"], obj["kind"]) == (kind.gvk.api_version, kind.kind):
                assert read(kind, obj).unknown == ()


@pytest.mark.parametrize("block", blocks("console"), ids=str)
def test_commands_print_what_is_said(block, tmp_path):
    for other in blocks("yaml"):
        name = re.match(r"# (\S+\.yaml)\n", other.text)
        if other.page == block.page and name:
            (tmp_path / name[1]).write_text(other.text)
    code = 0
    for command, expected in _commands(block.text):
        if command == "echo $?":
            assert expected == f"{code}\n"
            continue
        code, printed = _run(command, tmp_path)
        assert re.fullmatch(_pattern(expected), printed), f"{command} prints\n{printed}"


@pytest.mark.parametrize("block", blocks("sh"), ids=str)
def test_commands_that_are_only_shown_use_verbs_and_targets_that_exist(block):
    makefile = (ROOT / "Makefile").read_text()
    for line in block.text.splitlines():
        for verb in re.findall(r"\bplumb (\w+)", line):
            assert verb in VERBS, line
        for target in re.findall(r"^make (\w+)", line):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), line


def _commands(text):
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def _run(command, folder):
    program, *arguments = shlex.split(command)
    assert program == "plumb", command
    done = subprocess.run(
        [sys.executable, "-c", _ENTRY, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )
    return done.returncode, done.stdout


def _pattern(expected):
    lines = [
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected.splitlines()
    ]
    return "".join(lines)
