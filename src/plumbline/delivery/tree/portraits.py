"""What people see of an object in a tree, in the words of Argo CD's `ResourceNode`. Pure."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.delivery.tree.networking import links, networking
from plumbline.delivery.tree.pods import pod_portrait
from plumbline.delivery.tree.reading import texts
from plumbline.kube.names import GroupVersionKind

_REVISIONS: Final = ("deployment.kubernetes.io/revision", "rollout.argoproj.io/revision")
_MANAGED_BY: Final = "argocd.argoproj.io/managed-by-url"


def portrait(obj: JsonObject, custom_labels: Iterable[str] = ()) -> JsonObject:
    """`info`, `images` and `networkingInfo`, each where there is something to say."""
    group, _, kind = GroupVersionKind.of(obj)
    info = list(_info(obj, custom_labels))
    if (group, kind) == ("", "Pod"):
        found = pod_portrait(obj)
        urls = links(obj)
        reached = found["networkingInfo"] | ({"externalURLs": urls} if urls else {})
        shown = {"info": info + found["info"], "images": found["images"], "networkingInfo": reached}
    else:
        if (group, kind) == ("argoproj.io", "Application") and texts(obj, "metadata", "annotations").get(_MANAGED_BY):
            info.append({"name": "managed-by-url", "value": texts(obj, "metadata", "annotations")[_MANAGED_BY]})
        shown = {"info": info, "networkingInfo": networking(group, kind, obj)}
    return {name: value for name, value in shown.items() if value}


def _info(obj: JsonObject, custom_labels: Iterable[str]) -> Iterable[JsonObject]:
    revision = _revision(obj)
    if revision > 0:
        yield {"name": "Revision", "value": f"Rev:{revision}"}
    labels = texts(obj, "metadata", "labels")
    yield from ({"name": name, "value": labels[name]} for name in custom_labels if name in labels)


def _revision(obj: JsonObject) -> int:
    annotations = texts(obj, "metadata", "annotations")
    for name in _REVISIONS:
        if name in annotations:
            said = annotations[name]
            return int(said) if said.isascii() and said.isdecimal() else 0
    own = obj.get("revision")
    return own if type(own) is int else 0
