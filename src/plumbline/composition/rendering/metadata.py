"""What every composed resource carries, as each of upstream's engines writes it. Pure."""

import hashlib
import uuid
from typing import Final

from plumbline.base.errors import EvaluationFailed
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.functions.answers import copied
from plumbline.composition.functions.values import Resource
from plumbline.composition.rendering.values import Engine, fields
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.object import controller_reference

_LONGEST: Final = 63
_DIGITS: Final = 12
_NOBODY: Final = uuid.UUID(int=0)


def uid_of(composite: JsonObject) -> str:
    """A uid for a composite that has none, which is the same each time."""
    metadata = fields(composite, "metadata")
    told = (str(GroupVersionKind.of(composite)), str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
    return str(uuid.uuid5(_NOBODY, "\0".join(told)))


def child_name(prefix: str, uid: str, name: str) -> str:
    suffix = hashlib.sha256((uid + name).encode()).hexdigest()[:_DIGITS]
    if prefix and not prefix.endswith("-"):
        prefix += "-"
    if len(prefix) + _DIGITS <= _LONGEST:
        return prefix + suffix
    room = _LONGEST - _DIGITS
    cut = prefix[:room]
    return (cut if cut.endswith("-") else f"{prefix[: room - 1]}-") + suffix


def composed(
    composite: JsonObject, name: str, desired: Resource, observed: JsonObject | None, engine: Engine
) -> JsonObject:
    """The composed resource called *name*. Raises EvaluationFailed where it belongs to somebody else."""
    body: JsonObject = copied(desired.resource)
    metadata = dict(fields(body, "metadata"))
    if observed is not None:
        _keep(metadata, fields(observed, "metadata"), engine)
    own = fields(composite, "metadata")
    labels = fields(own, "labels")
    prefix = str(own.get("name") or "")
    if engine != "v1":
        prefix = str(labels.get(marks.COMPOSITE) or prefix)
    if engine == "v1" or not (metadata.get("name") or metadata.get("generateName")):
        metadata["generateName"] = f"{prefix}-"
    if engine != "v1" and own.get("namespace"):
        metadata["namespace"] = own["namespace"]
    metadata["annotations"] = {**fields(metadata, "annotations"), marks.RESOURCE_NAME: name}
    metadata["labels"] = {
        **fields(metadata, "labels"),
        marks.COMPOSITE: prefix,
        **_claim_labels(composite, labels, engine),
    }
    metadata["ownerReferences"] = _owners(metadata, composite, name)
    if engine == "new" and not metadata.get("name"):
        metadata["name"] = child_name(str(metadata["generateName"]), str(own["uid"]), name)
    return {**body, "metadata": metadata}


def _keep(metadata: JsonObject, known: JsonObject, engine: Engine) -> None:
    for field in ("namespace", "name", *(() if engine == "v1" else ("generateName",))):
        metadata.pop(field, None)
        if known.get(field):
            metadata[field] = known[field]


def _claim_labels(composite: JsonObject, labels: JsonObject, engine: Engine) -> JsonObject:
    name, namespace = labels.get(marks.CLAIM_NAME), labels.get(marks.CLAIM_NAMESPACE)
    if engine != "v1" and name and namespace:
        return {marks.CLAIM_NAME: name, marks.CLAIM_NAMESPACE: namespace}
    ref = fields(composite, "spec", "claimRef")
    if engine == "new" or not ref:
        return {}
    return {marks.CLAIM_NAME: ref.get("name", ""), marks.CLAIM_NAMESPACE: ref.get("namespace", "")}


def _owners(metadata: JsonObject, composite: JsonObject, name: str) -> list[JsonObject]:
    own = fields(composite, "metadata")
    ours = controller_reference({**composite, "metadata": {**own, "uid": own.get("uid", "")}})
    said = metadata.get("ownerReferences")
    listed = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
    foreign = [each for each in listed if each.get("controller") and each.get("uid") != ours["uid"]]
    if foreign:
        kind, owner = foreign[0].get("kind"), foreign[0].get("name")
        raise EvaluationFailed(
            f"cannot render composed resource {quoted(name)} metadata",
            why=f"it is already controlled by {kind} {owner}",
            hint="Leave ownerReferences with a controller to the composite.",
        )
    return [each for each in listed if each.get("uid") != ours["uid"]] + [ours]
