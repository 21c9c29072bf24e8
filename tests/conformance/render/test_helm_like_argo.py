"""Charts of every shape, rendered by us and by the commands that Argo CD runs: the same objects, in the same order."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput, ToolFailed
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm, HelmFileParameter, HelmParameter
from plumbline.render.helm import Helm
from plumbline.render.renderer import Renderer
from plumbline.render.requests import App, Capabilities, Request

from .argo_helm import checked_out, templated
from .conftest import CORPUS

pytestmark = pytest.mark.conformance


class Case(NamedTuple):
    chart: str
    why: str
    options: Mapping[str, Any] = MappingProxyType({})
    app: Mapping[str, Any] = MappingProxyType({})
    objects: int = 0


def plain(**values: str) -> tuple[HelmParameter, ...]:
    return tuple(HelmParameter(name=name.replace("__", "."), value=value) for name, value in values.items())


CASES = [
    Case("webshop", "an umbrella with sub-charts, aliases, conditions, imported values, hooks and tests", objects=10),
    Case("webshop", "tests are left out", {"skip_tests": True}, objects=9),
    Case("webshop", "a value file", {"value_files": ("values-production.yaml",)}, objects=11),
    Case("webshop", "files in their order, then values, then parameters",
         {"value_files": ("env/20-eu.yaml", "env/10-base.yaml"), "values": "cart: {enabled: false}",
          "parameters": plain(storefront__replicas="8", cart__enabled="true")}),
    Case("webshop", "values as an object beat values as a text, which are not read at all",
         {"values": "cart: {enabled: false}", "values_object": {"storefront": {"enabled": False}}}),
    Case("webshop", "a pattern", {"value_files": ("env/*.yaml",)}, {"expanded": ("env/10-base.yaml", "env/20-eu.yaml")}),
    Case("webshop", "a pattern of any depth: outer folders first",
         {"value_files": ("env/**/*.yaml",)}, {"expanded": ("env/10-base.yaml", "env/20-eu.yaml", "env/deep/30-berlin.yaml")}),
    Case("webshop", "a pattern leaves what is named by itself in its own place",
         {"value_files": ("env/*.yaml", "env/10-base.yaml")}, {"expanded": ("env/20-eu.yaml", "env/10-base.yaml")}),
    Case("webshop", "a missing file that may be missing",
         {"value_files": ("no.yaml", "values-production.yaml"), "ignore_missing_value_files": True},
         {"expanded": ("values-production.yaml",)}),
    Case("operator", "CRDs come first", app={"kube_version": "1.31.4"}, objects=8),
    Case("operator", "without CRDs", {"skip_crds": True, "kube_version": "1.30"}, objects=5),
    Case("gateway", "values that pass their schema, and templates in values",
         {"values_object": {"routes": {"a": {"to": "http://a"}, "b": {"to": "http://b"}}}}),
    Case("gateway", "a schema that is not asked", {"skip_schema_validation": True, "values": "listeners: [{name: far, port: 99999}]"}),
    Case("batch", "hooks of all kinds stay in the output", objects=5),
    Case("ledger", "a library chart that lies beside it", {"parameters": plain(size="20Gi")}, objects=2),
    Case("telemetry", "an old cluster", app={"kube_version": "1.29.1"}, objects=2),
    Case("telemetry", "a new one with more kinds",
         app={"kube_version": "1.36.3", "api_versions": ("v1", "monitoring.coreos.com/v1")}, objects=3),
    Case("telemetry", "what the application says about the cluster beats the cluster",
         {"kube_version": "1.33", "api_versions": ("autoscaling.k8s.io/v1/VerticalPodAutoscaler",)},
         {"kube_version": "1.20", "api_versions": ("monitoring.coreos.com/v1",)}),
    Case("legacy", "a chart of the old kind with requirements.yaml", objects=2),
    Case("legacy", "whose sub-chart is off", {"parameters": plain(queue__enabled="false")}, objects=1),
    Case("dashboards", "files in the chart, less what is ignored", objects=4),
    Case("dashboards", "a file as a parameter, values from the root of the repository",
         {"file_parameters": (HelmFileParameter(name="extra", path="../../shared/motd.txt"),),
          "value_files": ("/shared/values-shared.yaml",)}, objects=5),
    Case("tenants", "seventy-five objects", objects=75),
    Case("tenants", "null takes a default away", {"values": "defaults: {network: null}"}),
    Case("odd", "numbers and booleans as texts",
         {"parameters": (HelmParameter(name="text", value="007", force_string=True),
                         HelmParameter(name="number", value="7"), HelmParameter(name="flag", value="true"))}),
    Case("odd", "commas and braces", {"parameters": plain(text="a,b,c", list="{x,y}", map__k="v\\,w")}),
    Case("odd", "a release name and a namespace of its own", {"release_name": "own", "namespace": "elsewhere"}),
]  # fmt: skip


def request(tree, case: Case, **more: Any) -> Request:
    app = {"name": "demo", "namespace": "apps", **case.app}
    return Request(
        source=ApplicationSource(
            repo_url="https://git.example.com/corpus",
            path=f"charts/{case.chart}",
            helm=ApplicationSourceHelm(**case.options),
        ),
        tree=tree,
        place=f"charts/{case.chart}",
        app=App(name=app["name"], namespace=app["namespace"], revision="0" * 40),
        capabilities=Capabilities(
            kube_version=app.get("kube_version", ""), api_versions=tuple(app.get("api_versions", ()))
        ),
        **more,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.chart}: {case.why}")
async def test_charts_give_what_they_give_with_argo_cd(case, corpus, helm, toolbox, tmp_path):
    checkout = checked_out(CORPUS, tmp_path / "checkout")
    app = {"name": "demo", "namespace": "apps", **case.app}
    expected = templated(helm, checkout, f"charts/{case.chart}", app, ApplicationSourceHelm(**case.options))
    output = await Helm(toolbox).render(request(corpus, case))
    theirs = [document.value for document in load_documents(expected, repeats="ignore") if document.value is not None]
    assert [each.object for each in output.found] == theirs
    assert not case.objects or len(theirs) == case.objects


async def test_every_object_says_which_template_it_is_from(corpus, toolbox):
    output = await Helm(toolbox).render(request(corpus, Case("webshop", "")))
    paths = {each.origin.path for each in output.found}
    assert "charts/webshop/charts/storefront/templates/deployment.yaml" in paths
    assert all(corpus.entry(path) is not None for path in paths if "sessions" not in path)


async def test_values_come_from_another_source(corpus, toolbox):
    case = Case("webshop", "", {"value_files": ("$shared/webshop/values.yaml",)})
    other = type(corpus)({"webshop/values.yaml": b"ingress: {enabled: false}"})
    output = await Helm(toolbox).render(request(corpus, case, refs={"shared": other}))
    assert "Ingress" not in {each.object["kind"] for each in output.found}


async def test_the_key_changes_with_what_is_rendered_and_with_nothing_else(corpus, toolbox):
    tool = Renderer({"Helm": Helm(toolbox)}, SystemClock())
    base = request(corpus, CASES[0])
    elsewhere = type(corpus)({**corpus._contents, "shared/motd.txt": b"changed"})
    inside = type(corpus)({**corpus._contents, "charts/webshop/charts/cart/values.yaml": b"image: {repository: x}"})
    assert tool.key(base) == tool.key(request(elsewhere, CASES[0]))
    assert tool.key(base) != tool.key(request(inside, CASES[0]))
    # One of them ignores a file that is not there, and so is the same as another.
    assert len({tool.key(request(corpus, case)) for case in CASES}) == len(CASES) - 1


@pytest.mark.parametrize(
    ("case", "error", "says"),
    [
        (Case("gateway", "", {"parameters": plain(listeners="none")}), ToolFailed, "listeners"),
        (Case("webshop", "", {"value_files": ("no.yaml",)}), InvalidInput, "no.yaml"),
        (Case("webshop", "", {"values": "{"}), ToolFailed, "the application's own values"),
        (Case("parts", ""), ToolFailed, "library charts are not installable"),
        (Case("operator", "", {"kube_version": "1.20"}), ToolFailed, "kubeVersion"),
    ],
)
async def test_refusals_say_what_is_wrong_and_nothing_about_our_folders(case, error, says, corpus, toolbox):
    with pytest.raises(error) as raised:
        await Helm(toolbox).render(request(corpus, case))
    assert says in str(raised.value)
    assert "/tmp" not in str(raised.value)
    assert "plumbline-scratch" not in str(raised.value)
