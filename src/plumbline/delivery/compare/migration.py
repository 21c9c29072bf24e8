"""Moving objects over from client-side to server-side apply, and keeping the way back open."""

import re
from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject, encode_sorted
from plumbline.delivery.compare.rules import MANAGER
from plumbline.kube.apply.fieldset import FieldSet, union
from plumbline.kube.apply.handover import entries_of, handed_over, handover
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.diff import Owners, owners_of, stored_form
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.kube.schema.shape import Shape

CLIENT_SIDE_MANAGER: Final = "kubectl-client-side-apply"
"""Who applies on the client's side unless the application names somebody else."""
MIGRATED: Final = (CLIENT_SIDE_MANAGER, MANAGER)
"""Argo CD applies under its own name on the client's side too, where the server records an Update."""
RBAC_MANAGER: Final = "argocd-application-controller"
"""Argo CD reconciles roles and bindings under its program's name before it applies them. Of other kinds that name has
no part in what Git says; of Applications it holds the status."""
_RBAC: Final = "rbac.authorization.k8s.io"
_SECRET: Final = GroupKind("", "Secret")
_TEXTS, _VALUES = "f:stringData", "f:data"
_LONGEST_BYTES: Final = 256 * 1024
"""What the server allows all annotations of an object together."""
_ESCAPED: Final = re.compile("[<>&\u2028\u2029]")


def migration(live: JsonObject, managers: Iterable[str] = MIGRATED) -> list[JsonObject] | None:
    """The JSON patch that makes ours what *managers* applied on the client's side; None where there is nothing to do.

    Without it they would go on holding every field that Git drops. It is refused if the object has changed since.
    """
    entries = entries_of(live)
    if entries is None:
        return None
    moved = [{**entry, "fieldsV1": _stored(entry["fieldsV1"])} for entry in entries] if _is_secret(live) else entries
    moved = handed_over(moved, managers, MANAGER)
    return None if moved == entries else handover(live, moved)


def migrated(group: str, named: str = "") -> tuple[str, ...]:
    """Whose fields of objects of *group* are taken over; *named* is who the application says applied before us."""
    reconciled = (RBAC_MANAGER,) if group == _RBAC else ()
    return (*((named,) if named else ()), *MIGRATED, *reconciled)


def owners(live: JsonObject, shape: Shape) -> Owners:
    """Who holds the fields of *live* once what was applied before us is taken over."""
    found = owners_of(live, MANAGER, shape)
    if GroupVersionKind.of(live).group == _RBAC:
        return found._replace(names=found.names | {RBAC_MANAGER})
    if _is_secret(live):
        managed = {each: owned._replace(fields=_stored(owned.fields)) for each, owned in found.managed.items()}
        return Owners(_stored(found.ours), found.names, managed, stored_form(found.applied))
    return found


def _stored(fields: FieldSet) -> FieldSet:
    """Who applies the texts of a Secret is recorded to hold them where they are not kept, so they could never go."""
    texts = fields.get(_TEXTS)
    if not isinstance(texts, dict):
        return fields
    rest = {name: each for name, each in fields.items() if name != _TEXTS}
    return union(rest, {_VALUES: texts})


def _is_secret(live: JsonObject) -> bool:
    return GroupVersionKind.of(live).group_kind == _SECRET


def last_applied(desired: JsonObject) -> str:
    """What the last-applied annotation of *desired* says, as kubectl writes it; empty where it would be too long.

    Kept up to date on everything that is not applied with `ServerSideApply=true`, so that Argo CD and kubectl find what
    they would have left there themselves.
    """
    metadata = desired.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    own = {name: value for name, value in annotations.items() if name != LAST_APPLIED}
    applied = encode_sorted({**desired, "metadata": {**metadata, "annotations": own}}).decode() + "\n"
    text = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", applied)
    taken = len(text.encode()) + sum(len(name) + len(str(value)) for name, value in own.items()) + len(LAST_APPLIED)
    return text if taken <= _LONGEST_BYTES else ""


def with_last_applied(desired: JsonObject, applied: JsonObject) -> JsonObject:
    """*applied*, which may be part of *desired*, with the annotation that *desired* gives."""
    text = last_applied(desired)
    metadata = applied.get("metadata")
    if not text or not isinstance(metadata, dict):
        return applied
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    return {**applied, "metadata": {**metadata, "annotations": {**annotations, LAST_APPLIED: text}}}
