"""Which function a name means."""

import asyncio
import sys

import pytest
from tests.composition.functions.asking import ask, call

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.composition.functions.auto_ready import AutoReady
from plumbline.composition.functions.configuration import At, Configured, Started
from plumbline.composition.functions.environment_configs import EnvironmentConfigs
from plumbline.composition.functions.extra_resources import ExtraResources
from plumbline.composition.functions.gotemplating import GoTemplating
from plumbline.composition.functions.grpc import Program, Remote
from plumbline.composition.functions.registry import Registry
from plumbline.composition.functions.sequencer import Sequencer


def registry(packages=None, **configured):
    return Registry(Configured(**configured), (packages or {}).get, VirtualClock(), Ids(1))


WELL_KNOWN = [
    ("function-auto-ready", None, AutoReady, "its own name"),
    ("crossplane-contrib-function-go-templating", None, GoTemplating, "the name with an organisation before it"),
    (
        "ready",
        "xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v0.5.0",
        AutoReady,
        "a package with a version",
    ),
    ("env", "xpkg.upbound.io/x/function-environment-configs@sha256:abc", EnvironmentConfigs, "a package with a digest"),
    ("extra", "registry:5000/function-extra-resources", ExtraResources, "a registry with a port"),
    ("seq", "function-sequencer:v1", Sequencer, "a package without a registry"),
]


@pytest.mark.parametrize(("name", "package", "kind", "why"), WELL_KNOWN, ids=[each[3] for each in WELL_KNOWN])
def test_what_comes_with_us_is_found_by_its_package_or_its_name(name, package, kind, why):
    assert isinstance(registry({name: package}).function(name), kind), why


def test_it_says_what_stands_in_for_a_package(tmp_path):
    (tmp_path / "function-mine.py").write_text("")
    known = registry(folder=tmp_path, functions={"function-theirs": At("127.0.0.1:1")})
    upstream = "xpkg.crossplane.io/crossplane-contrib/function-go-templating:v0.9"
    assert known.stands_in_for(upstream) == "function-go-templating"
    assert known.stands_in_for("example.org/function-mine:v1") == "function-mine"
    assert known.stands_in_for("example.org/function-theirs:v1") == "function-theirs"
    assert known.stands_in_for("example.org/function-nobodys:v1") is None


def test_what_stands_in_for_a_package_is_found_whatever_its_function_is_called(tmp_path):
    (tmp_path / "function-mine.py").write_text("")
    assert isinstance(registry({"f": "example.org/function-mine:v1"}, folder=tmp_path).function("f"), Program)


def test_patch_and_transform_comes_with_us():
    assert type(registry().function("function-patch-and-transform")).__name__ == "PatchAndTransform"


def test_a_function_is_kept_until_its_package_changes():
    packages = {"f": "example.org/function-auto-ready:v1"}
    known = registry(packages)
    first = known.function("f")
    assert known.function("f") is first
    packages["f"] = "example.org/function-sequencer:v1"
    assert isinstance(known.function("f"), Sequencer)


def test_one_program_runs_however_often_its_package_changes(tmp_path):
    (tmp_path / "mine.py").write_text("")
    packages = {"another": "example.org/another:v1"}
    known = registry(packages, folder=tmp_path)
    first = known.function("mine")
    for package in ("example.org/mine:v1", "example.org/mine:v2"):
        packages["mine"] = packages["other"] = package
        assert known.function("mine") is first
        assert known.function("other") is first


def test_a_package_that_does_not_come_with_us_is_not_mistaken_for_its_name():
    with pytest.raises(NotFound, match=r"example\.org/mine:v1 does not come with us"):
        registry({"function-auto-ready": "example.org/mine:v1"}).function("function-auto-ready")


def test_what_is_configured_wins():
    known = registry(functions={"function-auto-ready": At("127.0.0.1:9443"), "mine": Started(("mine", "{address}"))})
    assert isinstance(known.function("function-auto-ready"), Remote)
    assert isinstance(known.function("mine"), Program)
    asyncio.run(known.close())


def test_an_unknown_function_is_told_with_the_ways_out():
    with pytest.raises(NotFound, match='there is no function "mine"') as refused:
        registry().function("mine")
    assert "mine.py" in refused.value.hint
    assert "address" in refused.value.hint


@pytest.mark.parametrize("place", ["{name}.py", "{name}/fn.py", "{name}/function/fn.py"])
def test_python_code_is_found_in_the_folder(tmp_path, place):
    path = tmp_path / place.format(name="mine")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    assert isinstance(registry(folder=tmp_path).function("mine"), Program)


@pytest.mark.parametrize("name", ["../mine", ".mine"])
def test_names_do_not_lead_out_of_the_folder(tmp_path, name):
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "inner").mkdir()
    with pytest.raises(NotFound):
        registry(folder=tmp_path / "inner").function(name)


async def test_programs_run_from_the_first_call_on():
    known = registry(functions={"mine": Started((sys.executable, "-c", "pass"))})
    began = asyncio.Event()
    async with task_group() as group:
        serving = group.create_task(known.serve())
        program = known.function("mine")

        async def serve():
            began.set()

        program.serve = serve
        await began.wait()
        serving.cancel()
    assert serving.cancelled()


def test_templates_of_the_file_system_are_those_of_the_configured_folder(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.yaml").write_text("# nothing")
    function = registry(templates=tmp_path).function("function-go-templating")
    assert ask(function, call(input={"source": "FileSystem", "fileSystem": {"dirPath": "app"}})).results == ()
