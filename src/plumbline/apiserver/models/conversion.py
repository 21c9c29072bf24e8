"""Between the versions of a built-in kind that is served in more than one."""

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind


def converted(obj: JsonObject, kind: GroupVersionKind) -> JsonObject:
    if obj.get("apiVersion") == kind.api_version:
        return obj
    return {**obj, "apiVersion": kind.api_version}
