"""What a skim finds in files, compared with the reader of the whole language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import PlumblineError
from plumbline.ownership.hcl import read_hcl
from plumbline.terraform.changed.skim import UNCLEAR, Read, skimmed


def skim(text, **more):
    return skimmed(text.encode(), json=more.get("json", False))


SOURCES = [
    ('module "a" {\n  source = "../modules/a"\n}', {"../modules/a"}, "a local module"),
    ('module "a" {\n  source="./a" # note\n}', {"./a"}, "without blanks"),
    ('module "a" { source = "terraform-aws-modules/vpc/aws" }', set(), "from a registry"),
    ('module "a" { source = "git::https://example.org/a.git" }', set(), "from Git"),
    ('# module "a" { source = "../a" }', set(), "commented out"),
    ('// source = "../a"', set(), "commented out the other way"),
    ('/*\nmodule "a" {\n source = "../a"\n}\n*/', set(), "commented out at length"),
    ('x = "a/*"\nmodule "b" {\n  source = "../b"\n}\ny = "*/"', {"../b"}, "a text that looks like a comment"),
    ('x = "${f("a/*")}"\nmodule "b" {\n  source = "../b"\n}\n# */', {"../b"}, "the same within a hole"),
    ('x = "http://a.example"\nmodule "b" { source = "../b" }', {"../b"}, "two slashes in a text"),
    ('x = <<EOT\nmodule "a" {\n source = "../a"\n}\nEOT\n', set(), "in a heredoc"),
    ('x = <<-EOT\n /* " \n  EOT\nmodule "b" { source = "../b" }', {"../b"}, "a heredoc with anything in it"),
    ('x = "\\"#"\nmodule "b" { source = "../b" }', {"../b"}, "an escaped quote"),
    ('x = "$${a"\nmodule "b" { source = "../b" }', {"../b"}, "an escaped hole"),
]


@pytest.mark.parametrize(("text", "calls", "why"), SOURCES, ids=[why for *_, why in SOURCES])
def test_local_modules_are_found(text, calls, why):
    assert skim(text).calls == calls


READS = [
    ('x = file("${path.module}/a.txt")', Read("module", "a.txt"), "beside the module"),
    ('x = file("a.txt")', Read("root", "a.txt"), "where the tool runs"),
    ('x = file("./a.txt")', Read("either", "./a.txt"), "wherever that is meant from"),
    ('x = templatefile("${path.root}/t/a.tpl", {})', Read("root", "t/a.tpl"), "beside the root module"),
    ('x = fileset(path.module, "policies/*.json")', Read("module", "policies"), "all of a folder"),
    ('x = fileset(path.module, "a.json")', Read("module", "a.json"), "one file"),
    ('x = fileset("${path.module}/p", "*")', Read("module", "p"), "a folder by name"),
    ('x = file("${path.module}/p/${each.key}.json")', Read("module", "p"), "as much as is certain"),
    ('x = "${file("${path.module}/a.txt")}"', Read("module", "a.txt"), "within a hole"),
    ('x = <<EOT\n${file("${path.module}/a.txt")}\nEOT\n', Read("module", "a.txt"), "within a heredoc"),
    ('source_dir = "${path.module}/src"', Read("module", "src"), "read by a provider"),
    ('working_dir = "${path.cwd}/src"', Read("root", "src"), "the same from where the tool runs"),
    ("x = file(var.path)", UNCLEAR, "nobody can tell"),
    ('x = file("${var.path}/a")', UNCLEAR, "nobody can tell either"),
    ("x = filebase64sha256(local.zip)", UNCLEAR, "a relative of file"),
    ('x = "${a("${b("${c("${d("e")}")}")}")}"', UNCLEAR, "nested deeper than is looked at"),
]


@pytest.mark.parametrize(("text", "read", "why"), READS, ids=[why for *_, why in READS])
def test_files_that_are_read_are_found(text, read, why):
    assert read in skim(text).reads


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('x = "plain"', "no path"),
        ('filename = "a"', "no call"),
        ('x = file("/etc/hosts")', "no file of the repository"),
        ('x = file("~/.ssh/id.pub")', "nor this one"),
        ('# file("a.txt")', "a comment"),
    ],
)
def test_other_texts_are_no_paths(text, why):
    assert skim(text).reads == frozenset(), why


def test_backends_and_providers_are_seen():
    assert skim('terraform {\n  backend "s3" {\n  }\n}').backend == "s3"
    assert skim("terraform {\n  cloud {\n  }\n}").backend == "cloud"
    assert skim('provider "aws" {\n}').configured
    assert not skim('terraform { required_providers { aws = { source = "hashicorp/aws" } } }').configured


def test_json_is_skimmed_too():
    found = skim(
        '{"module": {"a": {"source": "../a"}, "b": [{"source": "x/y/z"}]}, "terraform": [{"backend": {"gcs": {}}}],'
        ' "provider": {"aws": {}}, "locals": {"t": "${file(\\"${path.module}/a.txt\\")}"}}',
        json=True,
    )
    assert found.calls == {"../a"}
    assert (found.backend, found.configured) == ("gcs", True)
    assert Read("module", "a.txt") in found.reads
    assert skim('{"terraform": {"cloud": {}}}', json=True).backend == "cloud"


@pytest.mark.parametrize("text", ["{", "[" * 500, "[]", "3"])
def test_json_that_says_nothing_breaks_nothing(text):
    assert skim(text, json=True).calls == frozenset()


@given(st.text(alphabet='ab"${}%\\#/*<E\n =.()~', max_size=200))
def test_any_text_is_skimmed(text):
    skim(text)


_NAMES = st.sampled_from(["a", "b-c", "d_e"])
_VALUES = st.sampled_from(
    ['"x"', '"${var.a}-#"', "3", '"/*"', '"*/"', '["a", "b"]', '{ a = "}" }', '"\\"//"', '<<E\n/*"\nE']
)


@st.composite
def files(draw):
    """HCL as people write it, with what may mislead."""
    parts, sources = [], set()
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["resource", "module", "comment", "block comment"]))
        if kind == "module":
            source = draw(st.sampled_from(["./m", "../m/n", "hashicorp/x/y"]))
            sources |= {source} if source.startswith(".") else set()
            parts.append(f'module "{draw(_NAMES)}" {{\n  a = {draw(_VALUES)}\n  source = "{source}"\n}}\n')
        elif kind == "resource":
            parts.append(f'resource "t" "{draw(_NAMES)}" {{\n  v = {draw(_VALUES)}\n  w = {draw(_VALUES)}\n}}\n')
        else:
            parts.append('# source = "../no"\n' if kind == "comment" else '/* source = "../no" */\n')
    return "".join(parts), sources


@given(files())
def test_it_sees_the_modules_that_the_language_has(drawn):
    text, sources = drawn
    try:
        read_hcl(text)
    except PlumblineError:
        raise AssertionError(text) from None
    assert skim(text).calls == sources
