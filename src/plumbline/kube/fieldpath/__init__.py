"""Crossplane's field paths: `spec.items[0]['a.b/c']`, read, written, removed and expanded as it does. Pure.

    path = Path("spec.items[0].name")
    path.value(object)                     or FieldNotFound, or BadFieldPath
    draft = Draft(object); draft.put(path.segments, "x"); draft.object

Nothing that is given is changed: a Draft copies what is on the way to a change, once, and shares the rest.
"""

from plumbline.kube.fieldpath.access import expanded, get_path, value_at
from plumbline.kube.fieldpath.changes import MOST_INDEX, Draft, set_path, with_value, without
from plumbline.kube.fieldpath.merging import MergeOptions, merged
from plumbline.kube.fieldpath.path import Path
from plumbline.kube.fieldpath.syntax import Segments, parsed, text_of

__all__ = [
    "MOST_INDEX",
    "Draft",
    "MergeOptions",
    "Path",
    "Segments",
    "expanded",
    "get_path",
    "merged",
    "parsed",
    "set_path",
    "text_of",
    "value_at",
    "with_value",
    "without",
]
