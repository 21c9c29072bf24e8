"""What Crossplane composed without functions becomes ours, field by field, and nothing that is another's. Pure."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.apply.fieldset import FieldSet
from plumbline.kube.apply.handover import handed_over
from plumbline.kube.apply.managers import UPDATE

NATIVE_MANAGER: Final = "crossplane"
"""Who applied what Crossplane composed without functions, on the client's side."""
_MACHINERY: Final = {
    "f:metadata": frozenset({"f:finalizers"}),
    "f:spec": frozenset({
        "f:claimRef", "f:compositionRef", "f:compositionRevisionRef", "f:compositionRevisionSelector", "f:compositionSelector",
        "f:compositionUpdatePolicy", "f:crossplane", "f:resourceRef", "f:resourceRefs",
    }),
}  # fmt: skip
"""What Crossplane writes under the same name into composites that are composed: whose parts it would forget with it."""


def taken_over(entries: list[JsonObject], manager: str) -> list[JsonObject]:
    """*entries* of managedFields where *manager* applies what Crossplane did."""
    given: list[JsonObject] = []
    kept: list[JsonObject] = []
    for entry in entries:
        machinery, rest = _split(entry["fieldsV1"]) if _is_native(entry) else ({}, entry["fieldsV1"])
        if machinery:
            kept.append({**entry, "fieldsV1": machinery})
        if rest or not machinery:
            given.append({**entry, "fieldsV1": rest} if machinery else entry)
    moved = handed_over(given, (NATIVE_MANAGER,), manager)
    return [*moved, *kept] if moved != given else entries


def _is_native(entry: JsonObject) -> bool:
    return entry.get("manager") == NATIVE_MANAGER and entry.get("operation") == UPDATE and not entry.get("subresource")


def _split(fields: FieldSet) -> tuple[FieldSet, FieldSet]:
    """The machinery of a composite, and the rest."""
    machinery: FieldSet = {}
    rest: FieldSet = {}
    for part, below in fields.items():
        named = _MACHINERY.get(part, frozenset())
        theirs = {name: each for name, each in below.items() if name in named}
        ours = {name: each for name, each in below.items() if name not in named}
        if theirs:
            machinery[part] = theirs
        if ours or not theirs:
            rest[part] = ours
    return machinery, rest
