"""The linear diff of desired against live, each line with its manager.

It asks the question that server-side apply answers: what would change if the desired object were applied by us? Fields
that nobody desires are not differences unless we wrote them once; defaults never are. No server is asked.
"""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.diff.differences import ABSENT, Absent, Change, Difference
from plumbline.kube.diff.owners import Owners, owners_of
from plumbline.kube.diff.secrets import hidden, stored_form
from plumbline.kube.diff.walk import Walk
from plumbline.kube.schema.shape import Shape

__all__ = ["ABSENT", "Absent", "Change", "Difference", "Owners", "diff", "owners_of", "stored_form"]

_SERVER_MADE: Final = frozenset({
    "name", "namespace", "generateName", "creationTimestamp", "selfLink", "uid", "generation", "managedFields",
    "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
})  # fmt: skip


def diff(
    desired: JsonObject, live: JsonObject, shape: Shape, *, manager: str, owners: Owners | None = None
) -> list[Difference]:
    """What applying *desired* as *manager* would change in *live*, one entry per field.

    *owners* are those of the live object where *live* is only the part of it that is compared.
    """
    is_secret = live.get("kind") == "Secret" and live.get("apiVersion") == "v1"
    wanted = _comparable(stored_form(desired) if is_secret else desired, shape)
    owners = owners or owners_of(live, manager, shape)
    walk = Walk(owners, typed=bool(shape.name))
    walk.compare(wanted, live, shape, ())
    walk.given_up(wanted, _comparable(live, shape), shape)
    return [hidden(each) for each in walk.found] if is_secret else walk.found


def _comparable(obj: JsonObject, shape: Shape) -> JsonObject:
    """*obj* without its identity, what the server makes, and what writers through the main resource cannot set."""
    resets = shape.resets.get("", {})
    kept = {
        name: value for name, value in obj.items() if name not in {"apiVersion", "kind"} and f"f:{name}" not in resets
    }
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        kept["metadata"] = {name: value for name, value in metadata.items() if name not in _SERVER_MADE}
        annotations = metadata.get("annotations")
        if isinstance(annotations, dict) and LAST_APPLIED in annotations:
            kept["metadata"]["annotations"] = {k: v for k, v in annotations.items() if k != LAST_APPLIED} or None
    return kept
