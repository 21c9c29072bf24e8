"""What has to hold before anything is rendered, in upstream's words."""

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.composition.machinery import labels_in, machinery
from plumbline.composition.rendering.values import Engine, Inputs, fields
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

_COMPOSITION = GroupVersionKind("apiextensions.crossplane.io", "v1", "Composition")


def check(inputs: Inputs, engine: Engine) -> None:
    """Raises InvalidInput."""
    composition = inputs.composition
    if GroupVersionKind.of(composition) != _COMPOSITION:
        name = fields(composition, "metadata").get("name", "")
        raise InvalidInput(f"not a composition: {composition.get('kind', '')}/{name}")
    _check_type(inputs)
    _check_selector(inputs, engine)
    if engine == "new":
        _check_observed(inputs)


def controller(obj: JsonObject) -> JsonObject | None:
    owners = fields(obj, "metadata").get("ownerReferences")
    listed = owners if isinstance(owners, list) else []
    return next((each for each in listed if isinstance(each, dict) and each.get("controller")), None)


def _check_type(inputs: Inputs) -> None:
    wanted = fields(inputs.composition, "spec", "compositeTypeRef")
    for field in ("kind", "apiVersion"):
        ours, theirs = inputs.composite.get(field, ""), wanted.get(field, "")
        if ours != theirs:
            raise InvalidInput(
                f"composition's compositeTypeRef.{field} ({theirs}) does not match XR's {field} ({ours})",
                hint="Name the Composition that is for this kind.",
            )


def _check_selector(inputs: Inputs, engine: Engine) -> None:
    selector = labels_in(machinery(inputs.composite, legacy=inputs.legacy or engine == "v1"), "compositionSelector")
    metadata = fields(inputs.composition, "metadata")
    labels, name = fields(metadata, "labels"), quoted(str(metadata.get("name", "")))
    for key, value in (selector or {}).items():
        if key not in labels:
            raise InvalidInput(f"composition {name} is missing required label {quoted(key)}")
        if labels[key] != value:
            raise InvalidInput(
                f"composition {name} has incorrect value for label {quoted(key)}: "
                f"want {quoted(value)}, got {quoted(str(labels[key]))}"
            )


def _check_observed(inputs: Inputs) -> None:
    namespace = inputs.metadata.get("namespace") or ""
    for each in inputs.observed:
        name = fields(each, "metadata").get("name", "")
        owner = controller(each)
        if owner is not None and owner.get("uid", "") != inputs.metadata.get("uid", ""):
            raise InvalidInput(
                f"observed resource {name} has a controller ref but is not controlled by the XR",
                hint="Give the XR the uid that the resource's owner reference has, or leave the reference out.",
            )
        if namespace and fields(each, "metadata").get("namespace") != namespace:
            raise InvalidInput(f"observed resource {name} is not in the same namespace as the XR")
