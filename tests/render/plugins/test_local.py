"""Plugins whose commands run here."""

import pytest
from tests.render.plugins.samples import PRINTS, definition, plugins_in, renderer_with
from tests.render.samples import COMMIT, names, request_for

from plumbline.base.errors import InvalidInput, LimitExceeded, ToolFailed, ToolMissing
from plumbline.base.tree import MemoryTree

FILES = {"apps/a/values.txt": "one", "common/x.txt": "shared"}
SHELL = ("sh", "-c")


def script(text):
    return (*SHELL, text)


def printing(text):
    """A plugin that prints a ConfigMap whose data is what the command *text* prints."""
    told = 'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: made}\\ndata:\\n  said: |\\n"'
    return script(f"{told}; ({text}) | sed 's/^/    /'")


async def said(tmp_path, evaluator, text, *, files=FILES, path="apps/a", plugin=None, **options):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(generate=printing(text), **options)), evaluator)
    block = {"plugin": {"name": "mine", **(plugin or {})}}
    (made,) = (await renderer.render(request_for(files, path, **block))).objects
    return made["data"]["said"].rstrip("\n")


async def test_what_its_command_prints_are_the_manifests(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition()), evaluator)
    rendered = await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))
    assert (rendered.source_type, names(rendered)) == ("Plugin", ["made"])
    assert str(rendered.manifests[0].origin) == "plugin mine"


async def test_commands_run_in_the_folder_of_the_source_with_the_repository_around_it(tmp_path, evaluator):
    assert await said(tmp_path, evaluator, "cat values.txt ../../common/x.txt") == "oneshared"


async def test_what_init_leaves_behind_generate_finds(tmp_path, evaluator):
    init = {"command": ["sh", "-c"], "args": ["echo prepared > ready"]}
    assert await said(tmp_path, evaluator, "cat ready", init=init) == "prepared"


async def test_variables_are_those_that_upstream_gives(tmp_path, evaluator):
    plugin = {
        "env": [{"name": "WHO", "value": "$ARGOCD_APP_NAME"}],
        "parameters": [{"name": "image-tag", "string": "v1"}, {"name": "l", "array": ["x", "y"]}],
    }
    text = 'echo "$ARGOCD_APP_REVISION $ARGOCD_ENV_WHO $PARAM_IMAGE_TAG $PARAM_L_1 $ARGOCD_APP_PARAMETERS"'
    told = await said(tmp_path, evaluator, text, plugin=plugin)
    assert told.startswith(f"{COMMIT} app v1 y [")


async def test_nothing_else_of_our_environment_is_seen(tmp_path, evaluator, monkeypatch):
    monkeypatch.setenv("VAULT_TOKEN", "canary")
    assert "canary" not in await said(tmp_path, evaluator, "env")


async def test_a_definition_may_ask_for_variables_of_ours(tmp_path, evaluator, monkeypatch):
    monkeypatch.setenv("VAULT_TOKEN", "canary")
    annotations = {"plumbline.dev/plugin-environment": "VAULT_TOKEN, ABSENT"}
    assert await said(tmp_path, evaluator, "echo $VAULT_TOKEN", annotations=annotations) == "canary"


async def test_such_a_variable_is_not_told_when_it_fails(tmp_path, evaluator, monkeypatch):
    monkeypatch.setenv("VAULT_TOKEN", "canary-1234")
    generate = script("echo no such token $VAULT_TOKEN >&2; exit 3")
    annotations = {"plumbline.dev/plugin-environment": "VAULT_TOKEN"}
    renderer = renderer_with(plugins_in(tmp_path, p=definition(generate=generate, annotations=annotations)), evaluator)
    with pytest.raises(ToolFailed) as failed:
        await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))
    assert "no such token" in failed.value.why
    assert "canary" not in str(failed.value)


async def test_a_failure_says_which_command_and_what_it_said_without_our_folders(tmp_path, evaluator):
    generate = script("cd ../.. && echo wrong in $PWD/common/x.txt >&2; exit 1")
    renderer = renderer_with(plugins_in(tmp_path, p=definition(generate=generate)), evaluator)
    with pytest.raises(ToolFailed) as failed:
        await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))
    assert "plugin mine failed" in str(failed.value)
    assert "wrong in common/x.txt" in failed.value.why
    assert "scratch" not in str(failed.value)


async def test_files_elsewhere_cannot_be_read_or_written(tmp_path, evaluator):
    secret = tmp_path.parent / "elsewhere"
    secret.mkdir(exist_ok=True)
    (secret / "key").write_text("canary")
    text = f"cat {secret}/key 2>/dev/null || echo refused; touch {secret}/new 2>/dev/null || echo refused"
    assert await said(tmp_path, evaluator, text) == "refused\nrefused"
    assert [each.name for each in secret.iterdir()] == ["key"]


async def test_paths_may_be_granted(tmp_path, evaluator):
    tools = tmp_path.parent / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "hello").write_text("#!/bin/sh\necho hello\n")
    (tools / "hello").chmod(0o755)
    annotations = {"plumbline.dev/plugin-paths": str(tools)}
    assert await said(tmp_path, evaluator, f"{tools}/hello", annotations=annotations) == "hello"


async def test_what_lies_beside_the_definition_may_be_run(tmp_path, evaluator):
    (tmp_path / "helper").write_text("#!/bin/sh\necho helped\n")
    (tmp_path / "helper").chmod(0o755)
    assert await said(tmp_path, evaluator, f"{tmp_path}/helper") == "helped"


CONNECTS = """python3 -c '
import socket
try:
    socket.socket()
    print("open")
except OSError:
    print("closed")
'"""
"""It is the socket that is refused: a python3 that cannot be run at all says neither."""


async def test_there_is_no_network_unless_granted(tmp_path, evaluator):
    assert await said(tmp_path, evaluator, CONNECTS) == "closed"


async def test_the_network_may_be_granted(tmp_path, evaluator):
    annotations = {"plumbline.dev/plugin-network": "true"}
    assert await said(tmp_path, evaluator, CONNECTS, annotations=annotations) == "open"


async def test_programs_of_the_repository_run_only_where_modes_are_preserved(tmp_path, evaluator):
    tree = MemoryTree({"run.sh": b"#!/bin/sh\necho ran\n"}, executables={"run.sh"})
    text = "./run.sh 2>/dev/null || echo refused"
    for keeps, expected in ((False, "refused"), (True, "ran")):
        folder = tmp_path / str(keeps)
        folder.mkdir()
        generate = definition(generate=printing(text), preserveFileMode=keeps)
        renderer = renderer_with(plugins_in(folder, p=generate), evaluator)
        (made,) = (await renderer.render(request_for({}, tree=tree, plugin={"name": "mine"}))).objects
        assert made["data"]["said"].strip() == expected


async def test_a_command_that_prints_without_end_is_ended(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(generate=("yes",))), evaluator)
    with pytest.raises(LimitExceeded, match="plugin mine was ended"):
        await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))


async def test_a_program_that_is_not_there_is_named(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(generate=("no-such-program",))), evaluator)
    with pytest.raises(ToolMissing, match="no-such-program"):
        await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))


async def test_an_unknown_plugin_is_refused_with_a_way_out(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path), evaluator)
    with pytest.raises(InvalidInput, match="could not find cmp-server plugin with name 'mine'") as refused:
        await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))
    assert "NAME-VERSION" in refused.value.hint


async def test_it_is_run_once_for_the_same_files_and_variables(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition()), evaluator)
    for _ in range(2):
        await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine"}))
    assert renderer.counts.renders == 1
    await renderer.render(request_for(FILES | {"common/x.txt": "other"}, "apps/a", plugin={"name": "mine"}))
    await renderer.render(request_for(FILES, "apps/a", plugin={"name": "mine", "env": [{"name": "A", "value": "b"}]}))
    assert renderer.counts.renders == 3


async def test_another_definition_renders_anew(tmp_path, evaluator):
    block = {"plugin": {"name": "mine"}}
    before = renderer_with(plugins_in(tmp_path, p=definition()), evaluator).key(request_for(FILES, "apps/a", **block))
    changed = plugins_in(tmp_path, p=definition(generate=(*PRINTS, "other")))
    assert renderer_with(changed, evaluator).key(request_for(FILES, "apps/a", **block)) != before
