"""Conflicts between managers, worded as the API server words them."""

from collections.abc import Mapping

from plumbline.base.errors import Cause, FieldClaim, FieldConflict
from plumbline.kube.apply.fieldset import FieldSet, paths
from plumbline.kube.apply.managers import Manager


def conflict_error(conflicts: Mapping[Manager, FieldSet]) -> FieldConflict:
    """The refusal to take fields that others own: one cause per field, grouped by manager in the message."""
    owned = [(manager, list(paths(fields))) for manager, fields in sorted(conflicts.items(), key=_printed_order)]
    held = [(manager, path) for manager, fields in owned for path in fields]
    error = FieldConflict(
        f"Apply failed with {_listed(owned) if len(held) > 1 else _single(*held[0])}",
        claims=tuple(FieldClaim(manager.name, path) for manager, path in held),
    )
    error.causes = tuple(Cause("FieldManagerConflict", f"conflict with {manager}", path) for manager, path in held)
    return error


def _single(manager: Manager, path: str) -> str:
    return f"1 conflict: conflict with {manager}: {path}"


def _listed(owned: list[tuple[Manager, list[str]]]) -> str:
    lines = [
        line for manager, fields in owned for line in (f"conflicts with {manager}:", *(f"- {path}" for path in fields))
    ]
    return f"{sum(len(fields) for _, fields in owned)} conflicts: " + "\n".join(lines)


def _printed_order(conflict: tuple[Manager, FieldSet]) -> tuple[str, str, str, str]:
    """The server sorts managers by the text of their identity, whose fields come in this order."""
    manager = conflict[0]
    return manager.name, manager.operation, manager.api_version, manager.subresource
