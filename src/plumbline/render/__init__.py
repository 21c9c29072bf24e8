"""Trees become objects: directory, Kustomize, Helm, Jsonnet. Deterministic and bounded.

`Renderer.key` says what an output depends on without making it; `Renderer.render` makes it, once. A tool is anything that
answers the two questions of `tool.Tool`. Nothing here knows where trees come from or what becomes of the objects.
"""

from plumbline.render.renderer import Bounds, Renderer
from plumbline.render.requests import (
    App,
    Capabilities,
    Manifest,
    Origin,
    Rendered,
    Request,
    Settings,
    SourceType,
)
from plumbline.render.tool import Output, Tool

__all__ = [
    "App",
    "Bounds",
    "Capabilities",
    "Manifest",
    "Origin",
    "Output",
    "Rendered",
    "Renderer",
    "Request",
    "Settings",
    "SourceType",
    "Tool",
]
