"""What is left on a cluster after a scene, without what two clusters can never agree on: hashes, uids, times, chance."""

import re
from collections.abc import Iterable

from tests.conformance.apiserver.workload_sides import PATHS, Side

from plumbline.base.json import Json, JsonObject, decode, encode_sorted

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MINUTES = re.compile(r"cron-\d{8}")
_FORGOTTEN = re.compile(r"web-[bcdfghjklmnpqrstvwxz2456789]{8,10}(?=[-\"\s,]|$)")
_NAMESPACE = re.compile(r"\b(play-\d+-\d+|default)(?=/|\")")
_COMPONENTS = (
    "deployment-controller",
    "replicaset-controller",
    "replication-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
)
_CHANCE = ("MissingJob",)
"""Upstream says this of a job that it deleted itself, whenever its own watch lags behind its own write."""
_PROTECTION = "kubernetes.io/pvc-protection"
"""Put on claims by admission."""
_SUFFIX = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}(?=[\"\s,]|$)")
_KEPT_METADATA = ("labels", "annotations", "ownerReferences", "finalizers", "generateName", "name")
_ADMITTED = ("priority", "preemptionPolicy", "enableServiceLinks", "serviceAccount", "serviceAccountName")
"""What admission plugins add to pods, which are not these controllers' business."""


def snapshot(side: Side) -> dict[str, list[Json]]:
    """By kind, the objects in an order that does not depend on chance."""
    objects = {kind: side.list(kind) for kind in PATHS}
    names = dict(_hashes(objects))
    kept = {kind: [_told(each) for each in found] for kind, found in objects.items() if kind != "Event"}
    kept["Event"] = [_event(each) for each in objects["Event"] if _is_told(each)]
    return {kind: sorted(_same_words(found, names), key=encode_sorted) for kind, found in kept.items()}


def _hashes(objects: dict[str, list[JsonObject]]) -> Iterable[tuple[str, str]]:
    """Hashes by the revision that they stand for; of revisions that are gone, as chance."""
    for each in objects["ReplicaSet"]:
        revision = each["metadata"].get("annotations", {}).get("deployment.kubernetes.io/revision")
        if revision:
            yield each["metadata"]["labels"]["pod-template-hash"], f"HASH{revision}"
    for each in objects["ControllerRevision"]:
        yield each["metadata"]["name"].rpartition("-")[2], f"REVISION{each['revision']}"


def _told(obj: JsonObject) -> JsonObject:
    metadata = {name: obj["metadata"][name] for name in _KEPT_METADATA if name in obj["metadata"]}
    if _PROTECTION in metadata.get("finalizers", ()):
        del metadata["finalizers"]
    status = dict(obj.get("status") or {})
    if "observedGeneration" in status:
        status["observedGeneration"] = status["observedGeneration"] == obj["metadata"]["generation"]
    for reference in status.get("active") or () if isinstance(status.get("active"), list) else ():
        reference.pop("resourceVersion", None)
    spec = dict(obj.get("spec") or {})
    if obj.get("status", {}).get("qosClass"):
        spec = {name: value for name, value in spec.items() if name not in _ADMITTED}
        spec["tolerations"] = [each for each in spec.get("tolerations") or () if "tolerationSeconds" not in each]
    told = {"metadata": metadata, "spec": spec, "status": status}
    return told | {name: obj[name] for name in ("data", "revision") if name in obj}


def _is_told(event: JsonObject) -> bool:
    return event["source"].get("component") in _COMPONENTS and event["reason"] not in _CHANCE


def _event(event: JsonObject) -> JsonObject:
    about = event["involvedObject"]
    return {
        "about": f"{about['kind']} {about['name']}",
        "type": event["type"],
        "reason": event["reason"],
        "message": event["message"],
        "from": event["source"]["component"],
    }


def _same_words(found: list[JsonObject], names: dict[str, str]) -> list[Json]:
    told = []
    for each in found:
        text = encode_sorted(each).decode()
        for letters, name in names.items():
            text = text.replace(letters, name)
        text = _TIME.sub("TIME", _UID.sub("UID", text))
        text = _NAMESPACE.sub("NAMESPACE", _FORGOTTEN.sub("web-FORGOTTEN", text))
        text = _SUFFIX.sub("-XXXXX", _MINUTES.sub("cron-MINUTES", text))
        value = decode(text)
        if value not in told or "about" not in value:
            told.append(value)
    return told
