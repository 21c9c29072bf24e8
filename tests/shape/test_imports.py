"""Third-party packages are loaded where they are needed and nowhere else: an import that slips in costs everybody."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
TYPED = {"msgspec", "typing_extensions"}

ROOMS = [
    ("plumbline", set(), "a name"),
    ("plumbline.base.errors", set(), "errors are needed by all"),
    ("plumbline.base.clock", set(), "time"),
    ("plumbline.base.json", TYPED, "the one JSON layer"),
    ("plumbline.base.documents", TYPED | {"yaml", "_yaml"}, "the one YAML layer"),
    ("plumbline.base.process", TYPED, "processes"),
    ("plumbline.kube.names", TYPED, "pure"),
    ("plumbline.kube.apply", TYPED, "pure"),
    ("plumbline.kube.diff", TYPED, "pure"),
    ("plumbline.kube.health", TYPED, "pure"),
    ("plumbline.kube.patch", TYPED, "pure"),
    ("plumbline.kube.schema", TYPED, "schemas are read from files of a package that is not imported"),
    ("plumbline.kube.selectors", TYPED, "pure"),
    ("plumbline.kinds.catalogue", TYPED, "every kind there is"),
    ("plumbline.kinds.crd", TYPED, "and its CRD"),
    ("plumbline.cli.main", {"click"}, "what every command starts with"),
]

COMMANDS = [
    (["--help"], {"click"}, "help is for people in a hurry"),
    (["verion"], {"click"}, "so is a typing error"),
    (["version"], {"click"} | TYPED, "a verb loads what it prints with"),
    (["doctor", "--help"], {"click"} | TYPED, "checks are loaded when they run"),
    (["up", "--help"], {"click"} | TYPED, "same"),
    (["install", "--help"], {"click"} | TYPED, "kinds are loaded when they are printed"),
    (["health", "--help"], {"click"} | TYPED, "documents and client are loaded when needed"),
    (["own", "--help"], {"click"} | TYPED, "same"),
    (["adopt", "--help"], {"click"} | TYPED, "same"),
    (["release", "--help"], {"click"} | TYPED, "same"),
    (["consent", "--help"], {"click"} | TYPED, "same"),
    (["diff", "--help"], {"click"} | TYPED, "same"),
    (["seal", "--help"], {"click"} | TYPED, "same, and cryptography"),
    (["login", "--help"], {"click"} | TYPED, "same, and the web"),
    (["account", "list", "--help"], {"click"} | TYPED, "same"),
    (["cluster", "add", "--help"], {"click"} | TYPED, "same"),
    (["proj", "create", "--help"], {"click"} | TYPED, "same"),
    (["proj", "role", "create-token", "--help"], {"click"} | TYPED, "same"),
    (["get", "--help"], {"click"} | TYPED, "same"),
    (["describe", "--help"], {"click"} | TYPED, "same"),
    (["completion", "--help"], {"click"}, "names are asked for when a shell asks"),
    (["secret", "set", "--help"], {"click"} | TYPED, "same"),
    (["secret", "rotate", "--help"], {"click"} | TYPED, "same"),
]

# Which modules may load a library, themselves or through what they import; all others together must not.
OWNERS = {
    "aiohttp": (
        "plumbline.apiserver",
        "plumbline.wiring",
    ),
    "cryptography": (
        "plumbline.apiserver",
        "plumbline.cli.keys",
        "plumbline.cli.sealing",
        "plumbline.secrets.escrow",
        "plumbline.secrets.sealed",
        "plumbline.secrets.sealing",
        "plumbline.wiring",
    ),
    "jq": ("plumbline.base.evaluator.worker",),
    "kubernetes_validate": (),
    "lupa": ("plumbline.base.evaluator.worker",),
    "psycopg": ("plumbline.journal.postgres",),
    "pygit2": (),
    "rjsonnet": ("plumbline.base.evaluator.worker",),
    "uvicorn": (
        "plumbline.apiserver",
        "plumbline.base.http",
        "plumbline.providers.sandbox",
        "plumbline.web",
        "plumbline.wiring",
    ),
    "uvloop": (),
    "yaml": (
        "plumbline.access.policy",
        "plumbline.apiserver",
        "plumbline.base.documents",
        "plumbline.cli.applications",
        "plumbline.cli.composition",
        "plumbline.cli.accounts",
        "plumbline.cli.editor",
        "plumbline.cli.inputs",
        "plumbline.cli.keys",
        "plumbline.cli.looking",
        "plumbline.cli.projecting",
        "plumbline.cli.sealing",
        "plumbline.cli.server",
        "plumbline.cli.terraform",
        "plumbline.composition",
        "plumbline.delivery",
        "plumbline.kube.client",
        "plumbline.ownership.declared",
        "plumbline.render",
        "plumbline.secrets.escrow",
        "plumbline.secrets.external",
        "plumbline.secrets.push",
        "plumbline.secrets.sealed",
        "plumbline.secrets.sealing",
        "plumbline.secrets.stored",
        "plumbline.source.charts",
        "plumbline.terraform",
        "plumbline.web.api",
        "plumbline.web.board",
        "plumbline.web.live",
        "plumbline.wiring",
    ),
}

_LOADED = """
import sys
before = set(sys.modules)
{statement}
names = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(names - sys.stdlib_module_names - {{"plumbline"}}), sep="\\n", file=sys.stderr)
"""
_COMMAND = """
from plumbline.cli.main import main
sys.argv[1:] = {arguments!r}
try:
    main()
except SystemExit:
    pass
"""


# Modules for an extra that is not installed cannot be imported, and load nothing.
_EACH = """
import importlib
for name in {names!r}:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name.startswith("plumbline"):
            raise
"""


def _loaded(statement):
    script = _LOADED.format(statement=statement)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    # Compiled modules bring the runtime of their compiler along; it belongs to no package.
    return {name for name in done.stderr.splitlines() if name.isidentifier() and "cython_" not in name}


@pytest.mark.parametrize(("room", "allowed", "why"), ROOMS, ids=[room for room, _, _ in ROOMS])
def test_a_room_loads_no_more_than_it_needs(room, allowed, why):
    assert _loaded(f"import {room}") - allowed == set(), why


@pytest.mark.parametrize(("arguments", "allowed", "why"), COMMANDS, ids=[" ".join(args) for args, _, _ in COMMANDS])
def test_a_command_loads_no_more_than_it_needs(arguments, allowed, why, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _loaded(_COMMAND.format(arguments=arguments)) - allowed == set(), why


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_is_loaded_by_its_owners_only(library):
    assert library not in _loaded_by_others(OWNERS[library])


@cache
def _loaded_by_others(owners):
    """One process for all libraries with the same *owners*: to import everything takes a while."""
    return _loaded(_EACH.format(names=[name for name in _modules() if not name.startswith(owners)]))


def _modules():
    for path in sorted((SOURCE / "plumbline").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
