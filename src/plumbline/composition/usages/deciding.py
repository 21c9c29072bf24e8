"""May it be deleted? From an AdmissionReview and whoever uses the object to an AdmissionReview. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.composition.usages.values import ATTEMPT, DEFAULT_POLICY, POLICIES, Usage
from plumbline.kinds.crossplane.common import APIEXTENSIONS
from plumbline.kube.gotext import quoted
from plumbline.kube.names import Ref
from plumbline.kube.reviews import answered

_LONGEST_SHOWN: Final = 64


class Deletion(NamedTuple):
    """What somebody wants to delete, and how."""

    object: JsonObject
    ref: Ref
    policy: str
    dry_run: bool

    @property
    def recorded(self) -> bool:
        """Whether the object says already that somebody wanted this."""
        return (self.object["metadata"].get("annotations") or {}).get(ATTEMPT) == self.policy


def deletion_of(request: JsonObject) -> Deletion:
    """Raises InvalidInput for what is no deletion of an object."""
    operation = request.get("operation")
    if operation != "DELETE":
        shown = operation[:_LONGEST_SHOWN] if isinstance(operation, str) else ""
        raise InvalidInput(f'unexpected operation {quoted(shown)}, expected "DELETE"')
    old = request.get("oldObject")
    if not isinstance(old, dict) or not _is_object(old):
        raise InvalidInput("the review has no object with kind, name, uid and version")
    options = request.get("options")
    policy = options.get("propagationPolicy") if isinstance(options, dict) else None
    if policy is not None and not (isinstance(policy, str) and policy in POLICIES):
        raise InvalidInput("the review has an unknown propagation policy")
    return Deletion(old, Ref.of(old), policy or DEFAULT_POLICY, request.get("dryRun") is True)


def denied(request: JsonObject, usages: Sequence[Usage]) -> JsonObject:
    """Upstream says why in the reason alone, and API servers show that."""
    return answered(request, {"allowed": False, "status": {"metadata": {}, "reason": in_use(usages), "code": 409}})


def in_use(usages: Sequence[Usage]) -> str:
    """The words of the release that the first usage's kind comes from: people search for them."""
    first, many = usages[0], len(usages)
    legacy = first.ref.group == APIEXTENSIONS
    kind = "Usage" if legacy else f"*v1beta1.{first.ref.kind}"
    name = quoted(first.ref.name)
    if first.ref.namespace:
        name = f"{name} (in namespace {quoted(first.ref.namespace)})"
    said = f"This resource is in-use by {many} {'Usage' if legacy else 'usage'}(s), including the {kind} {name}"
    if first.by:
        return f"{said} by resource {first.by}."
    return f"{said} with reason: {quoted(first.reason)}." if first.reason else f"{said}."


def _is_object(old: JsonObject) -> bool:
    metadata = old.get("metadata")
    if not isinstance(metadata, dict):
        return False
    needed = (
        old.get("kind"),
        old.get("apiVersion"),
        *(metadata.get(each) for each in ("name", "uid", "resourceVersion")),
    )
    annotations = metadata.get("annotations")
    return all(isinstance(each, str) and each for each in needed) and (
        annotations is None or isinstance(annotations, dict)
    )
