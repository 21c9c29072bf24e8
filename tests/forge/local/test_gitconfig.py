"""Git's configuration files are read as git reads them."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.forge.local.gitconfig import values

FILES = [
    ("[plumbline]\n\tstandsFor = a\n", ["a"], "as git writes it"),
    ("[PlumbLine]\nSTANDSFOR=a\n", ["a"], "names have no case"),
    ("[plumbline] standsFor = a\n", ["a"], "on one line"),
    ("[plumbline]\nstandsFor = a\n[core]\nbare = true\n[plumbline]\nstandsFor = b\n", ["a", "b"], "twice"),
    ('[plumbline "x"]\nstandsFor = a\n', [], "a subsection is another"),
    ('[plumbline]\nstandsFor = "a # b" ; c\n', ["a # b"], "quotes and a comment"),
    ("[plumbline]\nstandsFor = a # b\n", ["a"], "a comment"),
    ("# x\n; y\n\n[plumbline] # z\nstandsFor = a\n", ["a"], "comments everywhere"),
    ("[plumbline]\nstandsFor = a\\\nb\n", ["ab"], "over two lines"),
    ('[plumbline]\nstandsFor = "a\\"\\\\\\t"\n', ['a"\\\t'], "escapes"),
    ("[plumbline]\nstandsFor\n", [""], "no value"),
    ("[plumbline]\nstandsFor =\n", [""], "an empty one"),
    ("[plumbline]\r\nstandsFor = a\r\n", ["a"], "line ends of elsewhere"),
    ("[plumbline]\nother = x\nstandsFor = a", ["a"], "no end of line"),
    ("[plumbline]\nstandsFor = a\n[[[\nstandsFor = b\n", ["a"], "broken after it"),
    ('[plumbline]\nstandsFor = "a\n', [], "a quote that does not end"),
    ('[plumbline]\nstandsFor = "a\\\n', [], "same, going on to nowhere"),
    ("[plumbline]\nstandsFor = a\\", ["a"], "going on to nowhere"),
    ("[plumbline]\nstandsFor = a\\x\n", [], "no such escape"),
    ("[plumbline]\nstandsFor : a\n", [], "not how it is written"),
    ("", [], "empty"),
]


@pytest.mark.parametrize(("text", "expected", "why"), FILES, ids=[why for _, _, why in FILES])
def test_values_are_read(text, expected, why):
    assert list(values(text, "plumbline", "standsfor")) == expected


PIECES = ["[plumbline]", "[core]", '[plumbline "s"]', "standsFor", "other", "=", " ", "\n", "\n", '"', "\\", "#", ";", "a", "https://h/p", "\\n", '\\"', "]"]  # fmt: skip


@settings(max_examples=settings.default.max_examples * 3 // 2)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_what_git_reads_is_read_alike(tmp_path_factory, pieces):
    text = "".join(pieces)
    path = tmp_path_factory.getbasetemp() / "config"
    path.write_text(text)
    ran = subprocess.run(
        ["git", "config", "--file", str(path), "-z", "--get-all", "plumbline.standsFor"],
        capture_output=True,
        check=False,
    )
    ours = list(values(text, "plumbline", "standsfor"))
    if ran.returncode == 0:
        assert ours == ran.stdout.decode().split("\0")[:-1]
    elif ran.returncode == 1:
        assert ours == []
