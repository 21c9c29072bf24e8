"""Server-side apply as pure functions: field sets, merging, ownership and conflicts."""

from plumbline.kube.apply.fieldset import FieldSet
from plumbline.kube.apply.managers import Manager, Ownership, Writer, decode_managed
from plumbline.kube.apply.operations import apply, track_update
from plumbline.kube.apply.walk import compare, fields_of

__all__ = [
    "FieldSet",
    "Manager",
    "Ownership",
    "Writer",
    "apply",
    "compare",
    "decode_managed",
    "fields_of",
    "track_update",
]
