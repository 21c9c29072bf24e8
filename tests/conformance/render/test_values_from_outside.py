"""The real Helm and the real Kustomize take values from outside as we say that they do."""

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import ToolFailed
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.kinds.application import ApplicationSource
from plumbline.kinds.values import converted
from plumbline.render import App, Renderer, Request
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.values import Values

pytestmark = pytest.mark.conformance

TREE = {"outputs": {"net": {"vpc": "vpc-1", "zones": ["a", "b"], "count": 3}}, "a": "outside", "b": "outside"}
OUTSIDE = Values(Plaintext(encode(TREE)), "1", (Plaintext("vpc-1"),))
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
    "values.yaml": "a: chart\nb: chart\nc: chart\noutputs: {net: {other: default}}\n",
    "prod.yaml": "a: file\nb: file\nd: file\n",
    "templates/a.yaml": """apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {said: {{ .Values | toJson | quote }}}
""",
}
KUSTOMIZATION = {
    "kustomization.yaml": """namePrefix: pre-
namespace: prod
labels: [{pairs: {a: b}}]
resources: [a.yaml]
replacements:
- source: {kind: ValuesFrom, name: values-from, fieldPath: values.outputs.net.vpc}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.vpc], options: {create: true}}]
- source: {kind: ValuesFrom, fieldPath: values.outputs.net.zones.1}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.zone], options: {create: true}}]
- source: {kind: ValuesFrom, fieldPath: values.outputs.net.count}
  targets: [{select: {kind: Deployment}, fieldPaths: [spec.replicas]}]
""",
    "a.yaml": """apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {replicas: 1}
""",
}


@pytest.fixture
def renderer(toolbox):
    return Renderer({"Helm": Helm(toolbox), "Kustomize": Kustomize(toolbox)}, VirtualClock())


def request(files, **options):
    source = {"repoURL": "x", "path": "", **options}
    return Request(
        source=converted(source, ApplicationSource),
        tree=MemoryTree({name: text.encode() for name, text in files.items()}),
        app=App(name="shop", namespace="prod"),
        values=OUTSIDE,
    )


async def test_helm_puts_them_above_files_and_below_what_the_application_says(renderer):
    options = {"helm": {"valueFiles": ["prod.yaml"], "values": "b: own", "parameters": [{"name": "e", "value": "set"}]}}
    (made,) = (await renderer.render(request(CHART, **options))).objects
    assert made["data"]["said"] == encode(
        {
            "a": "outside",
            "b": "own",
            "c": "chart",
            "d": "file",
            "e": "set",
            "outputs": {"net": {"count": 3, "other": "default", "vpc": "vpc-1", "zones": ["a", "b"]}},
        }
    ).decode()  # fmt: skip


async def test_kustomize_replaces_with_them_and_leaves_them_out(renderer):
    config, deployment = (await renderer.render(request(KUSTOMIZATION))).objects
    assert (config["metadata"]["name"], config["data"]) == ("pre-a", {"vpc": "vpc-1", "zone": "b"})
    assert deployment["spec"]["replicas"] == 3


async def test_what_helm_says_about_them_is_masked(renderer):
    files = {**CHART, "templates/a.yaml": '{{ fail (printf "cannot use %s" .Values.outputs.net.vpc) }}'}
    with pytest.raises(ToolFailed) as raised:
        await renderer.render(request(files))
    assert "cannot use ***" in str(raised.value)
