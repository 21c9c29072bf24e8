"""Kustomizations with every override, built by us in one process and by Argo CD's commands: the same objects."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput, PlumblineError, ToolMissing
from plumbline.base.tree import MemoryTree
from plumbline.kinds.application import (
    ApplicationSource,
    ApplicationSourceKustomize,
    KustomizePatch,
    KustomizeReplica,
    KustomizeSelector,
)
from plumbline.render.kustomize import Kustomize
from plumbline.render.renderer import Renderer
from plumbline.render.requests import App, Capabilities, Request, Settings

from .argo_helm import checked_out
from .argo_kustomize import Refused, built
from .conftest import CORPUS

pytestmark = pytest.mark.conformance
HELM = "--enable-helm"


class Case(NamedTuple):
    path: str
    why: str
    wanted: Mapping[str, Any] = MappingProxyType({})
    options: str = ""
    refused: bool = False


DIGEST = "sha256:" + "a" * 64
PATCH = KustomizePatch(
    patch='[{"op": "add", "path": "/metadata/annotations", "value": {"by": "patch"}}]',
    target=KustomizeSelector(kind="Deployment"),
)
EU, STAGING, PRODUCTION = "shop/overlays/production-eu", "shop/overlays/staging", "shop/overlays/production"

CASES = [
    Case(STAGING, "an overlay with a component and a suffix"),
    Case(PRODUCTION, "patches, replicas, generators"),
    Case(EU, "overlays upon overlays"),
    Case("generators", "files, env files and literals, hashed names"),
    Case("replacements", "replacements from files, vars, origins, an order of its own"),
    Case("transformers", "configurations, CRDs, transformers and generators"),
    Case("legacy", "fields of the old days, in any spelling"),
    Case("linked/app", "a base behind a link"),
    Case("charts-inside", "charts within", options=HELM),
    Case("charts-inside", "charts within, seen from a namespace", {"namespace": "own", "name_prefix": "p-"}, HELM),
    Case("charts-inside", "a cluster that the application describes", {"kube_version": "v1.33.2-vendor.4"}, HELM),
    Case("charts-inside", "charts that are not allowed", refused=True),
    Case(EU, "a prefix instead of the one that is there", {"name_prefix": "other-"}),
    Case(STAGING, "a suffix and a prefix", {"name_prefix": "a-", "name_suffix": "-z"}),
    Case(STAGING, "a prefix that looks like an option", {"name_prefix": "--x-"}),
    Case(EU, "a namespace", {"namespace": "elsewhere"}),
    Case(EU, "a tag, where name and tag are set", {"images": ("shop/api:2.0",)}),
    Case(EU, "another name and a digest", {"images": (f"shop/api=mirror.example.com:5000/api@{DIGEST}", "shop/worker:3")}),
    Case(EU, "a tag with a digest, a port in the name", {"images": (f"registry.example.com:5000/proxy:4@{DIGEST}",)}),
    Case(EU, "stars keep what is there", {"images": ("shop/api=*:9", "shop/worker=moved.example.com/worker@*")}),
    Case(EU, "stars without anything to keep", {"images": ("nothing=*:1",)}),
    Case(EU, "the last of two", {"images": ("shop/api:1", "shop/api=x/y:2")}),
    Case("legacy", "images beside tags of the old days", {"images": ("reader:10", "other:1")}),
    Case(EU, "an image that says nothing", {"images": ("shop/api",)}, refused=True),
    Case(PRODUCTION, "replicas beside those that are there",
         {"replicas": (KustomizeReplica(name="api", count=9), KustomizeReplica(name="shop-worker", count="7"))}),
    Case(PRODUCTION, "replicas that are no number", {"replicas": (KustomizeReplica(name="api", count="many"),)}, refused=True),
    Case(STAGING, "labels in selectors", {"common_labels": {"a": "1", "b": "two"}}),
    Case("legacy", "a label that is there", {"common_labels": {"app": "x"}}, refused=True),
    Case("legacy", "a label that is there, by force", {"common_labels": {"app": "x"}, "force_common_labels": True}),
    Case(EU, "labels beside selectors", {"common_labels": {"a": "1"}, "label_without_selector": True}),
    Case(EU, "a label that is there, beside selectors", {"common_labels": {"region": "us"}, "label_without_selector": True},
         refused=True),
    Case(EU, "by force, beside selectors",
         {"common_labels": {"region": "us", "b": "1"}, "label_without_selector": True, "force_common_labels": True}),
    Case(EU, "labels in templates too",
         {"common_labels": {"a": "1"}, "label_without_selector": True, "label_include_templates": True}),
    Case(EU, "labels in templates alone", {"common_labels": {"a": "1"}, "label_include_templates": True}, refused=True),
    Case(EU, "quotes around a value go", {"common_labels": {"quoted": '"yes"'}}),
    Case(STAGING, "annotations", {"common_annotations": {"note": "a: b, c", "url": "https://x.example.com/?a=b"}}),
    Case(STAGING, "an annotation that is there", {"common_annotations": {"stage": "x"}}, refused=True),
    Case(STAGING, "an annotation by force", {"common_annotations": {"stage": "x"}, "force_common_annotations": True}),
    Case(PRODUCTION, "a patch for a kind", {"patches": (PATCH,)}),
    Case(STAGING, "a patch where there are none", {"patches": (PATCH,)}),
    Case(PRODUCTION, "a patch from a file", {"patches": (KustomizePatch(path="extra-patch.yaml"),)}),
    Case(STAGING, "a patch that renames",
         {"patches": (KustomizePatch(
             patch="apiVersion: v1\nkind: Service\nmetadata: {name: renamed}\n",
             target=KustomizeSelector(kind="Service", name="api"), options={"allowNameChange": True}),)}),
    Case(PRODUCTION, "a component", {"components": ("../../components/autoscaling",)}),
    Case(PRODUCTION, "all components by pattern", {"components": ("../../components/*",)}),
    Case(STAGING, "a component that is there already", {"components": ("../../components/tracing",)}),
    Case(PRODUCTION, "a component that is not there", {"components": ("../../components/none",)}, refused=True),
    Case(PRODUCTION, "components that may be missing",
         {"components": ("../../components/none", "../../components/autoscaling"), "ignore_missing_components": True}),
    Case("empty", "an empty file that gets a prefix", {"name_prefix": "x-"}),
    Case("empty", "an empty file", refused=True),
    Case(EU, "everything at once",
         {"name_prefix": "n-", "name_suffix": "-s", "namespace": "all", "images": ("shop/api:7",), "patches": (PATCH,),
          "common_labels": {"l": "1"}, "common_annotations": {"a": "1"}, "components": ("../../components/tracing",),
          "replicas": (KustomizeReplica(name="shop-worker", count=4),)}),
    Case(EU, "an order that an option asks for", options="--reorder none"),
    Case("linked/app", "links may lead anywhere in the source", options="--load-restrictor=LoadRestrictionsNone"),
]  # fmt: skip


def request(tree, case: Case, programs: Mapping[str, str] = MappingProxyType({}), **more: Any) -> Request:
    path = f"kustomize/{case.path}"
    return Request(
        source=ApplicationSource(
            repo_url="https://git.example.com/corpus", path=path, kustomize=ApplicationSourceKustomize(**case.wanted)
        ),
        tree=tree,
        place=path,
        app=App(name="demo", namespace="apps", revision="0" * 40),
        capabilities=Capabilities(kube_version="1.31.0", api_versions=("v1", "apps/v1")),
        settings=Settings(kustomize_build_options=case.options, kustomize_programs=programs),
        **more,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path}: {case.why}")
async def test_kustomizations_give_what_they_give_with_argo_cd(case, corpus, kustomize, toolbox, tmp_path):
    checkout = checked_out(CORPUS, tmp_path / "checkout")
    wanted = ApplicationSourceKustomize(**case.wanted)
    options = case.options.split()
    if HELM in options:
        version = "1.33.2" if wanted.kube_version else "1.31.0"
        options += ["--helm-kube-version", version, "--helm-api-versions", "v1", "--helm-api-versions", "apps/v1"]
    try:
        expected = built(kustomize, checkout, f"kustomize/{case.path}", wanted, options)
    except Refused:
        assert case.refused
        with pytest.raises(PlumblineError) as raised:
            await Kustomize(toolbox).render(request(corpus, case))
        assert "plumbline-scratch" not in str(raised.value)
        return
    assert not case.refused
    output = await Kustomize(toolbox).render(request(corpus, case))
    assert [each.object for each in output.found] == [document.value for document in load_documents(expected)]


async def test_the_key_changes_with_what_is_built_and_with_nothing_else(corpus, toolbox):
    tool = Renderer({"Kustomize": Kustomize(toolbox)}, SystemClock())
    seen = ("kustomize/shop/base/workers/worker.yaml", "kustomize/shop/components/autoscaling/hpa.yaml")
    unseen = ("kustomize/shop/components/tracing/kustomization.yaml", "kustomize/generators/pod.yaml", "new.yaml")
    case = Case(EU, "")
    before = tool.key(request(corpus, case))
    for path, changed in [(path, True) for path in seen] + [(path, False) for path in unseen]:
        other = type(corpus)({**corpus._contents, path: b"{}"}, {"kustomize/linked/app/links/base": "../../real"})
        assert (tool.key(request(other, case)) != before) is changed, path


async def test_a_certain_kustomize_is_the_one_here_or_one_that_somebody_registered(corpus, toolbox, kustomize):
    case = Case(STAGING, "", {"version": "v5.8.1"})
    assert (await Kustomize(toolbox).render(request(corpus, case))).found
    other = Case(STAGING, "", {"version": "v4.5.7"})
    with pytest.raises(ToolMissing, match=r"kustomize version v4\.5\.7 is not registered"):
        await Kustomize(toolbox).render(request(corpus, other))
    assert (await Kustomize(toolbox).render(request(corpus, other, {"v4.5.7": str(kustomize)}))).found


async def test_old_fields_come_with_a_warning(corpus, toolbox):
    output = await Kustomize(toolbox).render(request(corpus, Case("legacy", "")))
    assert any("'bases' is deprecated" in each for each in output.warnings)


async def test_variables_are_replaced_where_argo_cd_replaces_them(corpus, toolbox):
    wanted = {
        "images": ("shop/api:$ARGOCD_APP_REVISION_SHORT",),
        "common_labels": {"app-name": "${ARGOCD_APP_NAME}"},
        "common_annotations": {"money": "$$5 for $ARGOCD_APP_NAME"},
    }
    plain = await Kustomize(toolbox).render(request(corpus, Case(EU, "", wanted)))
    deployment = next(each.object for each in plain.found if each.object["kind"] == "Deployment")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "shop/api:0000000"
    assert deployment["metadata"]["labels"]["app-name"] == "demo"
    assert deployment["metadata"]["annotations"]["money"] == "$$5 for $ARGOCD_APP_NAME"
    replaced = await Kustomize(toolbox).render(
        request(corpus, Case(EU, "", wanted | {"common_annotations_envsubst": True}))
    )
    deployment = next(each.object for each in replaced.found if each.object["kind"] == "Deployment")
    assert deployment["metadata"]["annotations"]["money"] == "$5 for demo"


@pytest.mark.parametrize(
    "base", ["https://github.com/org/repo//base?ref=v1", "github.com/org/repo", "git@host:org/repo"]
)
async def test_a_base_elsewhere_is_refused_by_name(base, toolbox):
    tree = MemoryTree({"kustomization.yaml": f"resources: ['{base}']".encode()})
    plain = Request(source=ApplicationSource(repo_url="x"), tree=tree, app=App(name="demo"))
    with pytest.raises(InvalidInput, match="nothing is fetched") as raised:
        await Kustomize(toolbox).render(plain)
    assert base in str(raised.value)
