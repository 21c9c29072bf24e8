"""Values that are not in Git: given to charts, kustomizations and Jsonnet, and to nobody else."""

import base64

import msgspec
import pytest
from tests.render.samples import config_map, names, request_for
from tests.render.tools.programs import program, saying

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import EvaluationFailed, InvalidInput, ToolFailed
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.render import Renderer
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.requests import Found, Origin
from plumbline.render.tool import Output
from plumbline.render.tools import Toolbox
from plumbline.render.values import Values

CANARY = "hunter2-canary"
CHART = {"Chart.yaml": "apiVersion: v2\nname: c\nversion: '1'\n", "prod.yaml": "a: 1\n"}
KUSTOMIZATION = {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": config_map("a")}


def values(version="1", **tree):
    secrets = tuple(Plaintext(each) for each in tree.values() if isinstance(each, str))
    return Values(Plaintext(encode(tree)), version, secrets)


def given(files, outside, **options):
    return msgspec.structs.replace(request_for(files, **options), values=outside)


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Programs that do what a test says."""
    bin_ = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")

    def made(helm="", kustomize=""):
        program(bin_, "helm", saying("v3.22.0", helm))
        program(bin_, "kustomize", saying("v5.8.1", kustomize))
        toolbox = Toolbox(tmp_path / "cache", build=None)
        return Renderer({"Helm": Helm(toolbox), "Kustomize": Kustomize(toolbox)}, VirtualClock())

    return made


ECHO = """printf '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "argv": "%s", "read": ' "$(echo $*)"; cat; echo '}'"""


async def test_helm_reads_them_from_its_standard_input_between_files_and_own_values(tools):
    options = {"helm": {"valueFiles": ["prod.yaml"], "values": "b: 2"}}
    (made,) = (await tools(ECHO).render(given(CHART, values(password=CANARY), **options))).objects
    assert made["read"] == {"password": CANARY}
    flags = [each.rpartition("/")[2] for each in made["argv"].split("--values ")[1:]]
    assert [each.split()[0] for each in flags] == ["000-prod.yaml", "-", "001-values.yaml"]


async def test_without_any_nothing_is_different(tools):
    (made,) = (await tools(ECHO.replace("cat;", "echo 1;")).render(request_for(CHART))).objects
    assert " - " not in f"{made['argv']} "


async def test_what_a_tool_repeats_is_masked(tools):
    encoded = base64.b64encode(CANARY.encode()).decode()
    renderer = tools(f"cat >&2; echo 'and {encoded}' >&2; exit 1")
    with pytest.raises(ToolFailed) as raised:
        await renderer.render(given(CHART, values(password=CANARY)))
    assert CANARY not in str(raised.value)
    assert encoded[:-4] not in str(raised.value)
    with pytest.raises(ToolFailed) as again:
        await renderer.render(given(CHART, values(password=CANARY)))
    assert CANARY not in str(again.value)


class Remarking:
    heavy = False

    def inputs(self, request):
        return ("1",)

    async def render(self, request):
        return Output(
            (Found(decode(b'{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}'), Origin("a")),), (f"odd {CANARY}",)
        )


async def test_warnings_are_masked_too():
    renderer = Renderer({"Directory": Remarking()}, VirtualClock())
    rendered = await renderer.render(given({"a.yaml": ""}, values(password=CANARY)))
    assert rendered.warnings == ("odd ***",)


@pytest.mark.parametrize(
    ("files", "takes"), [(CHART, True), (KUSTOMIZATION, True), ({"a.yaml": config_map("a")}, False)]
)
async def test_the_key_changes_with_their_version_where_they_are_taken(tools, renderer, files, takes):
    renderer._tools = {**renderer._tools, **tools()._tools}
    keys = {renderer.key(given(files, each)) for each in (None, values("1"), values("2"), values("2", other="value"))}
    assert len(keys) == (3 if takes else 1)


async def test_kustomize_finds_them_in_a_resource_that_is_left_out_of_the_output(tools):
    show = (
        'cd "$2"; cat a.yaml; echo ---; cat .plumbline-values-from.yaml; sed "s/^/# Warning: /" kustomization.yaml >&2'
    )
    rendered = await tools(kustomize=show).render(given(KUSTOMIZATION, values(vpc="vpc-1")))
    assert names(rendered) == ["a"]
    assert [each.strip() for each in rendered.warnings] == ["resources:", "- a.yaml", "- .plumbline-values-from.yaml"]
    shown = (
        'cd "$2"; printf "apiVersion: v1\\nkind: A\\nmetadata: {name: a}\\nfound: "; cat .plumbline-values-from.yaml'
    )
    (made,) = (await tools(kustomize=shown).render(given(KUSTOMIZATION, values(vpc="vpc-1")))).objects
    assert made["found"] == {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "ValuesFrom",
        "metadata": {"name": "values-from", "annotations": {"config.kubernetes.io/local-config": "true"}},
        "values": {"vpc": "vpc-1"},
    }


async def test_a_kustomization_below_the_root_has_them_beside_it(tools):
    files = {f"app/{name}": text for name, text in KUSTOMIZATION.items()}
    show = 'cat "$2"/a.yaml; test -f "$2"/.plumbline-values-from.yaml'
    assert names(await tools(kustomize=show).render(given(files, values(a="b"), path="app"))) == ["a"]


async def test_resources_that_are_no_list_are_refused(tools):
    files = {**KUSTOMIZATION, "kustomization.yaml": "resources: a.yaml\nnamespace: a\n"}
    with pytest.raises(InvalidInput):
        await tools().render(given(files, values(a="b")))


PROGRAM = "{apiVersion: 'v1', kind: 'A', metadata: {name: 'a'}, found: std.extVar('valuesFrom')}"


async def test_jsonnet_has_them_in_an_external_variable(renderer):
    (made,) = (await renderer.render(given({"a.jsonnet": PROGRAM}, values(vpc="vpc-1", count=3)))).objects
    assert made["found"] == {"vpc": "vpc-1", "count": 3}
    first = renderer.counts.renders
    await renderer.render(given({"a.jsonnet": PROGRAM}, values(vpc="vpc-1", count=3)))
    assert renderer.counts.renders == first
    await renderer.render(given({"a.jsonnet": PROGRAM}, values("2", vpc="vpc-2")))
    assert renderer.counts.renders == first + 1


async def test_a_variable_of_that_name_in_the_source_is_the_one_that_counts(renderer):
    own = {"directory": {"jsonnet": {"extVars": [{"name": "valuesFrom", "value": "own"}]}}}
    (made,) = (await renderer.render(given({"a.jsonnet": PROGRAM}, values(vpc="vpc-1"), **own))).objects
    assert made["found"] == "own"


async def test_what_jsonnet_says_is_masked(renderer):
    program = "error std.extVar('valuesFrom').password"
    with pytest.raises(EvaluationFailed) as raised:
        await renderer.render(given({"a.jsonnet": program}, values(password=CANARY)))
    assert "***" in str(raised.value)
    assert CANARY not in str(raised.value)
