"""Field paths of compositions: `spec.items[0]['a.b/c']`, read, written, removed and expanded as Crossplane does. Pure.

    path = Path("spec.items[0].name")
    path.value(object)                     or FieldNotFound, or BadFieldPath
    draft = Draft(object); draft.put(path.segments, "x"); draft.object

Nothing that is given is changed: a Draft copies what is on the way to a change, once, and shares the rest.
"""

from plumbline.composition.paths.access import expanded, value_at
from plumbline.composition.paths.changes import MOST_INDEX, Draft, with_value, without
from plumbline.composition.paths.merging import MergeOptions, merged
from plumbline.composition.paths.path import Path
from plumbline.composition.paths.syntax import Segments, parsed, text_of

__all__ = [
    "MOST_INDEX",
    "Draft",
    "MergeOptions",
    "Path",
    "Segments",
    "expanded",
    "merged",
    "parsed",
    "text_of",
    "value_at",
    "with_value",
    "without",
]
