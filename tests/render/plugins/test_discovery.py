"""Plugins that say by themselves which sources are for them."""

import asyncio

import msgspec
import pytest
from tests.render.plugins.samples import definition, plugins_in, renderer_with
from tests.render.samples import config_map, names, request_for

from plumbline.base.errors import InvalidInput, ToolFailed

PLAIN = {"app/cm.yaml": config_map("plain"), "app/deep/er/x.cue": "x"}


async def rendered(renderer, files, path="app", **options):
    return await renderer.render(await renderer.claimed(request_for(files, path, **options)))


@pytest.mark.parametrize(
    ("discover", "claims"),
    [
        ({"fileName": "*.yaml"}, True),
        ({"fileName": "./cm.yaml"}, True),
        ({"fileName": "*.cue"}, False),
        ({"fileName": "deep/*/x.cue"}, True),
        ({"find": {"glob": "**/*.cue"}}, True),
        ({"find": {"glob": "**/*.cuee"}}, False),
        ({"find": {"command": ["sh", "-c", "find . -name x.cue"]}}, True),
        ({"find": {"command": ["find", "."], "args": ["-name", "nothing"]}}, False),
        ({"fileName": "nothing", "find": {"glob": "**/*.cue"}}, False),
        ({}, False),
    ],
)
async def test_a_source_is_for_whom_its_files_match(tmp_path, evaluator, discover, claims):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(discover=discover)), evaluator)
    assert names(await rendered(renderer, PLAIN)) == (["made"] if claims else ["plain"])


async def test_a_source_with_options_for_a_tool_is_that_tools(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(discover={"fileName": "*"})), evaluator)
    assert names(await rendered(renderer, PLAIN, directory={"recurse": False})) == ["plain"]


async def test_a_block_without_a_name_asks_who_wants_it(tmp_path, evaluator):
    plugins = plugins_in(tmp_path, a=definition("a"), b=definition("b", discover={"fileName": "*.yaml"}))
    renderer = renderer_with(plugins, evaluator)
    result = await rendered(renderer, PLAIN, plugin={"env": [{"name": "A", "value": "b"}]})
    assert str(result.manifests[0].origin) == "plugin b"


async def test_a_block_that_nobody_wants_is_refused(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(discover={"fileName": "*.cue"})), evaluator)
    with pytest.raises(InvalidInput, match="could not find plugin supporting the given repository"):
        await rendered(renderer, PLAIN, plugin={})


async def test_who_is_named_must_want_it_too(tmp_path, evaluator):
    renderer = renderer_with(plugins_in(tmp_path, p=definition(discover={"fileName": "*.cue"})), evaluator)
    with pytest.raises(InvalidInput, match="supporting the given repository"):
        await rendered(renderer, PLAIN, plugin={"name": "mine"})


async def test_a_plugin_that_cannot_be_asked_is_an_error_and_no_refusal(tmp_path, evaluator):
    """What it renders would else be read as plain files, and the rest of it be pruned."""
    discover = {"find": {"command": ["sh", "-c", "echo broken >&2; exit 1"]}}
    renderer = renderer_with(plugins_in(tmp_path, p=definition(discover=discover)), evaluator)
    with pytest.raises(ToolFailed, match="broken"):
        await rendered(renderer, PLAIN)


async def test_a_folder_that_did_not_change_is_not_asked_about_again(tmp_path, evaluator):
    plugins = plugins_in(tmp_path, p=definition(discover={"fileName": "*.yaml"}))
    calls = []
    plugin = plugins.named("mine")
    claims = plugin.claims

    async def counted(request):
        calls.append(request.place)
        return await claims(request)

    plugin.claims = counted
    renderer = renderer_with(plugins, evaluator)
    await renderer.claimed(request_for(PLAIN, "app"))
    await renderer.claimed(request_for(PLAIN | {"other/x": "changed"}, "app"))
    assert calls == ["app"]
    await renderer.claimed(request_for(PLAIN | {"app/x": "changed"}, "app"))
    assert calls == ["app", "app"]


async def test_a_plugin_may_want_a_folder_for_one_application_and_not_for_another(tmp_path, evaluator):
    discover = {"find": {"command": ["sh", "-c", '[ "$ARGOCD_APP_PROJECT_NAME" != mine ] || echo yes']}}
    renderer = renderer_with(plugins_in(tmp_path, p=definition(discover=discover)), evaluator)
    for project, made in (("theirs", ["plain"]), ("mine", ["made"]), ("theirs", ["plain"])):
        request = request_for(PLAIN, "app")
        request = msgspec.structs.replace(request, app=msgspec.structs.replace(request.app, project=project))
        assert names(await renderer.render(await renderer.claimed(request))) == made, project


async def test_two_are_asked_at_a_time(tmp_path, evaluator):
    plugins = plugins_in(tmp_path, p=definition(discover={"fileName": "*.yaml"}))
    plugin, most, now = plugins.named("mine"), 0, 0

    async def claims(_request):
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        return True

    plugin.claims = claims
    renderer = renderer_with(plugins, evaluator)
    await asyncio.gather(*(renderer.claimed(request_for({f"{each}/a": "b"}, str(each))) for each in range(6)))
    assert most == 2
