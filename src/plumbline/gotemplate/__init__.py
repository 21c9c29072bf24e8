"""Go's text/template with Sprig, exact and bounded. Pure.

    template = Template("greeting", "Hello {{ .name | upper }}", sprig(Surroundings(now, ids)))
    template.execute({"name": "ada"})

Complaints are Go's, with its line and column. What templates may cost is bounded: steps, output, depth and the size of
values. What Sprig reads from its surroundings (`env`, `expandenv`, `getHostByName`) is not there.
"""

from plumbline.gotemplate.bounds import Bounds
from plumbline.gotemplate.builtins import INCLUDE
from plumbline.gotemplate.sprig import CHANGING, Surroundings, sprig
from plumbline.gotemplate.template import Template
from plumbline.gotemplate.values import Failed, Function, Typed, Value, function

__all__ = [
    "CHANGING",
    "INCLUDE",
    "Bounds",
    "Failed",
    "Function",
    "Surroundings",
    "Template",
    "Typed",
    "Value",
    "function",
    "sprig",
]
