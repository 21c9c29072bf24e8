"""Revisions of a package: which there should be, of those that there are. Pure."""

import hashlib
import re
from typing import Final, Literal, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.writing import with_controller
from plumbline.kube.object import controller_reference

PACKAGE_LABEL: Final = "pkg.crossplane.io/package"
_NAME_CHARS: Final = 50
_HASH_CHARS: Final = 12
_LABEL_CHARS: Final = 63
_NO_LABEL: Final = re.compile(r"[^a-z0-9-]")
_COPIED: Final = (
    "packagePullSecrets",
    "packagePullPolicy",
    "ignoreCrossplaneConstraints",
    "skipDependencyResolution",
    "commonLabels",
    "commonAnnotations",
    "runtimeConfigRef",
    "controllerConfigRef",
)


class Plan(NamedTuple):
    name: str
    """Of the revision that is current."""
    new: JsonObject | None
    changed: tuple[JsonObject, ...]
    """As they should be, in the version that was looked at."""
    old: tuple[JsonObject, ...]
    """More than history asks for."""
    active: bool


def revision_name(package: JsonObject) -> str:
    """One name per package and image. Nothing is fetched, so the image's name stands in for its digest."""
    digest = hashlib.sha256(package["spec"]["package"].encode()).hexdigest()
    label = f"{package['metadata']['name'][:_NAME_CHARS]}-{digest[:_HASH_CHARS]}"
    return _NO_LABEL.sub("-", label.lower())[:_LABEL_CHARS]


def plan_revisions(package: JsonObject, live: list[JsonObject]) -> Plan:
    name = revision_name(package)
    newest = max((each["spec"]["revision"] for each in live), default=0)
    automatic = package["spec"].get("revisionActivationPolicy", "Automatic") == "Automatic"
    current = next((each for each in live if each["metadata"]["name"] == name), None)
    state = _state(current, automatic=automatic)
    number = _number(current, newest)
    wanted = _revision(package, name, number, state)
    changed = [
        _merged(each, {"spec": {**each["spec"], "desiredState": "Inactive"}}) for each in live if _stale(each, name)
    ]
    if current is not None:
        merged = _merged(current, wanted)
        changed += [merged] if merged != current else []
    limit = package["spec"].get("revisionHistoryLimit", 1)
    others = sorted((each for each in live if each is not current), key=lambda each: each["spec"]["revision"])
    old = tuple(others[: max(0, len(others) - limit)]) if limit else ()
    kept = tuple(each for each in changed if each["metadata"]["name"] not in {gone["metadata"]["name"] for gone in old})
    return Plan(name, wanted if current is None else None, kept, old, state == "Active")


def _state(current: JsonObject | None, *, automatic: bool) -> Literal["Active", "Inactive"]:
    """Where activation is manual, somebody activates the revision itself."""
    active = automatic or (current is not None and current["spec"].get("desiredState") == "Active")
    return "Active" if active else "Inactive"


def _number(current: JsonObject | None, newest: int) -> int:
    if current is None or current["spec"]["revision"] < newest:
        return newest + 1
    number: int = current["spec"]["revision"]
    return number


def _stale(revision: JsonObject, current: str) -> bool:
    return bool(revision["metadata"]["name"] != current and revision["spec"].get("desiredState") == "Active")


def _revision(package: JsonObject, name: str, number: int, state: str) -> JsonObject:
    spec, kind = package["spec"], package["kind"]
    owner = controller_reference({**package, "apiVersion": "pkg.crossplane.io/v1", "kind": kind})
    return {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": f"{kind}Revision",
        "metadata": {
            "name": name,
            "labels": {PACKAGE_LABEL: package["metadata"]["name"]},
            "ownerReferences": [owner],
        },
        "spec": {
            "desiredState": state,
            "image": spec["package"],
            "revision": number,
            **{key: spec[key] for key in _COPIED if key in spec},
        },
    }


def _merged(live: JsonObject, wanted: JsonObject) -> JsonObject:
    metadata = live["metadata"]
    if "metadata" in wanted:
        labels = {**(metadata.get("labels") or {}), **wanted["metadata"]["labels"]}
        owners = with_controller(metadata, wanted["metadata"]["ownerReferences"][0])
        metadata = {**metadata, "labels": labels, "ownerReferences": owners}
    return {**live, "metadata": metadata, "spec": {**live["spec"], **wanted["spec"]}}
