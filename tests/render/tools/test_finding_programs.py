import asyncio

import pytest
from tests.render.tools.programs import program, saying

from plumbline.base.errors import ToolMissing
from plumbline.render.tools import HELM, KUSTOMIZE, Toolbox
from plumbline.render.tools.building import built
from plumbline.render.tools.pins import version_in
from plumbline.render.tools.places import default_cache


@pytest.fixture
def bin_(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"relative:{folder}")
    return folder


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("v3.18.4+gd80839c\n", (3, 18, 4)),
        ("v5.8.1\n", (5, 8, 1)),
        ("{kustomize/v5.4.3  2024-07-19T16:40:33Z  }", (5, 4, 3)),
        ("Client Version: v1.32.4\nKustomize Version: v5.5.0\n", (5, 5, 0)),
        ("(devel)", None),
        ("", None),
    ],
)
def test_versions_are_read_as_programs_print_them(printed, version):
    assert version_in(printed) == version


async def test_what_is_on_path_is_used(bin_, cache):
    place = program(bin_, "helm", saying("v3.19.0+g1"))
    found = await Toolbox(cache, build=None).helm()
    assert (found.path, found.version, found.origin) == (place, "3.19.0", "PATH")
    assert found.argv == (str(place), "template")


async def test_an_old_helm_on_path_is_passed_over_for_the_one_in_the_cache(bin_, cache):
    program(bin_, "helm", saying("v3.17.3"))
    kept = program(cache, HELM.filename, saying("v3.22.0"))
    found = await Toolbox(cache, build=None).helm()
    assert (found.path, found.origin) == (kept, "cache")


async def test_where_only_an_old_one_is_there_it_says_why_that_is_not_run(bin_, cache):
    program(bin_, "helm", saying("v3.17.3"))
    with pytest.raises(ToolMissing, match=r"3\.17\.3, and older ones have known security holes") as raised:
        await Toolbox(cache, build=None).helm()
    assert "3.18.4" in raised.value.hint


@pytest.mark.parametrize("body", ["exit 1", "echo whatever"])
async def test_one_that_does_not_say_its_version_is_passed_over(bin_, cache, body):
    program(bin_, "helm", body)
    with pytest.raises(ToolMissing, match="does not say its version"):
        await Toolbox(cache, build=None).helm()


async def test_where_there_is_none_it_says_how_to_get_one(bin_, cache):
    with pytest.raises(ToolMissing, match="neither on PATH nor in") as raised:
        await Toolbox(cache).helm()
    assert "Go" in raised.value.hint


async def test_it_is_built_once_where_there_is_go(bin_, cache):
    go = program(bin_, "go", "exit 0")
    builds = []

    async def build(pin, with_, into):
        builds.append((pin, with_, into))
        await asyncio.sleep(0)
        return into / pin.filename

    toolbox = Toolbox(cache, build=build)
    found = await asyncio.gather(toolbox.kustomize(), toolbox.kustomize(), toolbox.kustomize())
    assert {each.origin for each in found} == {"built"}
    assert found[0].version == "5.8.1"
    assert builds == [(KUSTOMIZE, go, cache)]


async def test_a_build_that_failed_is_not_repeated(bin_, cache):
    program(bin_, "go", "exit 0")
    builds = []

    async def build(pin, _with, _into):
        builds.append(pin)
        raise ToolMissing("helm could not be built")

    toolbox = Toolbox(cache, build=build)
    for _ in range(2):
        with pytest.raises(ToolMissing, match="could not be built"):
            await toolbox.helm()
    assert builds == [HELM]


async def test_kustomize_comes_with_kubectl_where_nothing_else_is_there(bin_, cache):
    place = program(bin_, "kubectl", saying("Client Version: v1.32.4\nKustomize Version: v5.5.0"))
    found = await Toolbox(cache, build=None).kustomize()
    assert (found.argv, found.version, found.origin) == ((str(place), "kustomize"), "5.5.0", "kubectl")


async def test_kubectl_also_serves_where_the_build_failed(bin_, cache):
    program(bin_, "go", "exit 1")
    program(bin_, "kubectl", saying("Kustomize Version: v5.5.0"))
    found = await Toolbox(cache).kustomize()
    assert found.origin == "kubectl"


async def test_an_old_kubectl_does_not(bin_, cache):
    program(bin_, "kubectl", saying("Kustomize Version: v4.5.7"))
    with pytest.raises(ToolMissing, match=r"the Kustomize in .* is 4\.5\.7"):
        await Toolbox(cache, build=None).kustomize()


async def test_programs_are_asked_for_their_version_once(bin_, cache, tmp_path):
    program(bin_, "helm", saying("v3.19.0"))
    toolbox = Toolbox(cache, build=None)
    first = await toolbox.helm()
    program(bin_, "helm", "exit 1")
    assert await toolbox.helm() is first


async def test_the_identity_is_known_before_anything_runs_and_stays(bin_, cache):
    program(bin_, "helm", saying("v3.19.0"))
    toolbox = Toolbox(cache, build=None)
    before = toolbox.identity(HELM)
    await toolbox.helm()
    assert toolbox.identity(HELM) == before
    program(bin_, "helm", saying("v3.20.0 "))
    assert toolbox.identity(HELM) == before
    assert Toolbox(cache, build=None).identity(HELM) != before


def test_what_would_be_built_has_an_identity_before_it_is(bin_, cache):
    before = Toolbox(cache).identity(KUSTOMIZE)
    program(cache, KUSTOMIZE.filename, saying("v5.8.1"))
    assert Toolbox(cache).identity(KUSTOMIZE) == before
    program(bin_, "kubectl", saying("v5.5.0"))
    assert Toolbox(cache).identity(KUSTOMIZE) != before


def test_a_program_that_vanishes_while_looked_at_is_another(bin_, cache, monkeypatch):
    place = program(bin_, "helm", "")
    monkeypatch.setattr("plumbline.render.tools.toolbox.on_path", lambda _: [place])
    before = Toolbox(cache).identity(HELM)
    place.unlink()
    assert Toolbox(cache).identity(HELM) != before


def test_the_cache_lies_in_the_home_unless_somebody_says_where(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PLUMBLINE_TOOLS", raising=False)
    assert default_cache() == tmp_path / ".cache" / "plumbline" / "tools"
    monkeypatch.setenv("PLUMBLINE_TOOLS", "/opt/tools")
    assert str(default_cache()) == "/opt/tools"
    monkeypatch.setenv("PLUMBLINE_TOOLS", "here")
    assert default_cache() == tmp_path / ".cache" / "plumbline" / "tools"


async def test_a_build_appears_whole(bin_, cache, monkeypatch):
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    go = program(bin_, "go", 'echo "$@" > "$GOBIN/helm"')
    place = await built(HELM, go, cache)
    assert place == cache / "helm-v3.22.0"
    asked = place.read_text()
    assert "helm.sh/helm/v3/cmd/helm@v3.22.0" in asked
    assert "-X helm.sh/helm/v3/internal/version.version=v3.22.0" in asked
    assert [each.name for each in cache.iterdir()] == ["helm-v3.22.0"]


@pytest.mark.parametrize("body", ["echo no network >&2; exit 1", "exit 0"])
async def test_a_build_that_fails_leaves_nothing_and_says_what_to_try(bin_, cache, body):
    go = program(bin_, "go", body)
    with pytest.raises(ToolMissing, match="could not be built") as raised:
        await built(HELM, go, cache)
    assert "go install helm.sh/helm/v3/cmd/helm@v3.22.0" in raised.value.hint
    assert not list(cache.iterdir())
