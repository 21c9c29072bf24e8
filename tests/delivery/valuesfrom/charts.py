"""A chart tool in this very process, because virtual time knows no others: `${a.b}` in templates stands for a value."""

import base64
import re

from plumbline.base.errors import ToolFailed
from plumbline.base.json import decode
from plumbline.render.requests import Found, Origin
from plumbline.render.tool import Output
from plumbline.render.values import version_of

TERRAFORMS = "infra.contrib.fluxcd.io/v1alpha2/terraforms"
VALUES_FROM = "plumbline.dev/values-from"


class Charts:
    heavy = False

    def __init__(self):
        self.rendered = []

    def inputs(self, request):
        return request.place, request.tree.entry(request.place).digest, version_of(request.values)

    async def render(self, request):
        self.rendered.append(request.app.name)
        tree = decode(request.values.tree.reveal()) if request.values is not None else {}
        template = request.tree.read(f"{request.place}/template.json").decode()
        text = re.sub(r"\$\{([^}]+)\}", lambda found: str(_at(tree, found[1])), template)
        if "BROKEN" in text:
            raise ToolFailed("helm failed", exit_code=1, why=f"cannot make anything of {text}")
        return Output((Found(decode(text), Origin("template.json")),))


def _at(tree, path):
    for part in path.split("."):
        tree = tree.get(part, "") if isinstance(tree, dict) else ""
    return tree


def chart(value, **more):
    """Files of an application: a chart that makes a ConfigMap of its name."""
    body = f'{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "%s"}}, "data": {{"value": "{value}"}}}}'
    return {"web/Chart.yaml": "name: web\n", "web/template.json": body % "web", **more}


def with_charts(place):
    tool = place.renderer._tools["Helm"] = Charts()
    return tool


def secret(name, namespace="shop", **values):
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
        "data": encoded,
    }


def config_map(name, namespace="shop", **values):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": values,
    }


def taking(text):
    return {"annotations": {VALUES_FROM: text}}


__all__ = ["TERRAFORMS", "chart", "config_map", "secret", "taking", "with_charts"]
