"""A verb, an option, an exit code, an error code or a kind that the documentation does not know fails here."""

import re
from importlib import import_module

import click
import pytest

from plumbline.base import errors
from plumbline.cli.exits import Exit
from plumbline.cli.vocabulary import VERBS
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.crd import crd_manifest

from .pages import PAGES, ROOT, opening, section

CLI_CODES = {"usage", "bug"}


def _codes(error=errors.PlumblineError):
    yield error.code
    for below in error.__subclasses__():
        yield from _codes(below)


def _commands(command, path):
    """The verb, and all below it."""
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from _commands(command.get_command(ctx, name), f"{path} {name}")


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_and_its_options_are_documented(verb):
    text = section("cli.md", f"## plumb {verb}")
    # What Argo CD's verbs have in common is told once.
    shared = opening("cli.md") + section("cli.md", "## plumb app").partition("\n### ")[0]
    for path, command in _commands(import_module(f"plumbline.cli.verbs.{verb}").verb, verb):
        assert path == verb or f"plumb {path}" in text
        for option in (each for each in command.params if isinstance(each, click.Option)):
            for name in option.opts:
                assert f"`{name}" in text + shared, f"{path} {name}"
            if isinstance(option.type, click.Choice) and not option.hidden:
                assert "\\|".join(option.type.choices) in text + shared, f"{path} {option.name}"


def test_the_documentation_knows_no_verb_that_is_not_there():
    assert re.findall(r"^## plumb (\w+)$", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE) == list(VERBS)


def test_exit_codes_are_documented():
    listed = re.findall(r"^\| (\d+) \|", section("cli.md", "## Exit codes"), re.MULTILINE)
    assert [int(code) for code in listed] == [code.value for code in Exit]


def test_error_codes_are_documented_and_no_others():
    documented = re.findall(r"^### `([a-z-]+)`$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE)
    assert set(documented) == set(_codes()) | CLI_CODES
    assert len(documented) == len(set(documented)), "each of them once"


def test_every_documented_error_says_something():
    text = (ROOT / "docs" / "errors.md").read_text()
    bodies = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert [body.splitlines()[0] for body in bodies if len(body.split("\n\n")) < 2 or not body.split("\n\n")[1]] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.crd_name)
def test_every_kind_has_a_page_with_all_its_fields(kind):
    text = (ROOT / "docs" / "kinds" / f"{kind.kind.lower()}.md").read_text()
    for version in crd_manifest(kind)["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {"properties": {}})
        assert [name for name in spec.get("properties", {}) if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_page_is_reached_from_the_map():
    index = (ROOT / "docs" / "index.md").read_text()
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES if (ROOT / "docs") in page.parents]
    missing = [
        page for page in pages if page != "index.md" and not page.startswith("adr/") and f"({page})" not in index
    ]
    assert missing == []
