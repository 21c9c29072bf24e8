"""Where in an object its scale is: how many, how many there are, and of which pods."""

from collections.abc import Sequence
from typing import Final, Protocol

from plumbline.base.errors import BadSelector
from plumbline.base.json import Json, JsonObject
from plumbline.kube.selectors.labels import LabelSelector


class Scaling(Protocol):
    @property
    def replicas_path(self) -> Sequence[str]:
        """The fields on the way to how many are wanted."""

    def scale(self, obj: JsonObject) -> JsonObject:
        """`spec` and `status` of its Scale; raises SchemaViolation where what is there cannot be one."""

    def with_replicas(self, obj: JsonObject, replicas: int) -> JsonObject:
        """Raises SchemaViolation where something else is in the way."""


class BuiltinScaling:
    """Of the workloads of apps and core: `spec.replicas`, `status.replicas`, `spec.selector`."""

    replicas_path: Sequence[str] = ("spec", "replicas")

    def scale(self, obj: JsonObject) -> JsonObject:
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        shown: JsonObject = {"replicas": status.get("replicas") or 0}
        if selector := _printed(spec.get("selector")):
            shown["selector"] = selector
        replicas = spec.get("replicas")
        return {"spec": {"replicas": replicas} if replicas else {}, "status": shown}

    def with_replicas(self, obj: JsonObject, replicas: int) -> JsonObject:
        return {**obj, "spec": {**(obj.get("spec") or {}), "replicas": replicas}}


BUILTIN: Final = BuiltinScaling()


def _printed(selector: Json) -> str:
    """A replication controller selects by labels alone, the others by a LabelSelector."""
    if not isinstance(selector, dict):
        return ""
    try:
        if "matchLabels" in selector or "matchExpressions" in selector:
            return str(LabelSelector.from_object(selector))
        return str(LabelSelector.from_labels(selector))
    except BadSelector:
        return ""
