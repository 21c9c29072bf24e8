"""What a composition would make of a composite, without a cluster: what `crossplane composition render` prints. No IO.

    rendered = await render(inputs, "new")
    print(text_of(rendered, Shown(results=True)))

Golden files are compared to the letter, so names follow upstream here (from a uid), not `composition.marks`.
"""

from plumbline.composition.rendering.checking import check
from plumbline.composition.rendering.documents import Shown, text_of
from plumbline.composition.rendering.engines import render
from plumbline.composition.rendering.values import Engine, Inputs, Rendered

__all__ = ["Engine", "Inputs", "Rendered", "Shown", "check", "render", "text_of"]
