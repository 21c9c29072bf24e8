"""A built-in rule reads the versions it was written for, and says so when it meets another."""

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.kube.health.rules import Step
from plumbline.kube.health.status import Health
from plumbline.kube.names import GroupVersionKind


def only(*api_versions: str, called: str, step: Step) -> Step:
    """*step* for objects of those versions; any other raises SchemaViolation."""

    def checked(obj: JsonObject) -> Health | None:
        if obj.get("apiVersion") not in api_versions:
            raise SchemaViolation(f"unsupported {called} GVK: {GroupVersionKind.of(obj)}")
        return step(obj)

    return checked
