"""Folders of plugins in one line each."""

import json

from plumbline.base.clock import VirtualClock
from plumbline.render import Renderer
from plumbline.render.directory import Directory
from plumbline.render.plugins import Discovery, Plugins, PluginTool

PRINTS = ["sh", "-c", 'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: %s}\\n" "$0"']


def definition(name="mine", *, generate=(*PRINTS, "made"), annotations=None, **spec):
    body = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ConfigManagementPlugin",
        "metadata": {"name": name, **({"annotations": annotations} if annotations else {})},
        "spec": {"generate": {"command": list(generate)}, **spec},
    }
    return json.dumps(body)


def plugins_in(folder, **definitions):
    """A folder with *definitions* by the names of their files."""
    for name, text in definitions.items():
        (folder / f"{name}.yaml").write_text(text)
    return Plugins(folder)


def renderer_with(plugins, evaluator):
    tools = {"Directory": Directory(evaluator), "Plugin": PluginTool(plugins)}
    return Renderer(tools, VirtualClock(), discovering=Discovery(plugins))
