"""What annotations and labels say: whose an object is, whether it is a hook, and how it wants to be compared."""

import re
from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kernel.cache import Meta
from plumbline.kube.gotext import printed, quoted, type_name
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.ownership.learn.tracking import INSTALLATION_ID, TRACKING_ID, Tracking, TrackingId

COMPARE_OPTIONS: Final = "argocd.argoproj.io/compare-options"
SYNC_OPTIONS: Final = "argocd.argoproj.io/sync-options"
HOOK: Final = "argocd.argoproj.io/hook"
HELM_HOOK: Final = "helm.sh/hook"
SYNC_WAVE: Final = "argocd.argoproj.io/sync-wave"
HELM_WEIGHT: Final = "helm.sh/hook-weight"

_LONGEST_LABEL: Final = 63
_PHASES: Final = frozenset({"PreSync", "Sync", "PostSync", "SyncFail", "Skip"})
_HELM_PHASES: Final = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-install": "PostSync",
    "post-upgrade": "PostSync",
}
_DELETION: Final = ((HOOK, "PreDelete"), (HELM_HOOK, "pre-delete"), (HOOK, "PostDelete"), (HELM_HOOK, "post-delete"))
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)

Annotations = Mapping[str, str]


def tracking_id(obj: JsonObject, instance: str, destination: str) -> str:
    """The annotation as upstream writes it: with the application's namespace where the object has none."""
    ref = Ref.of(obj)
    return f"{instance}:{ref.group}/{ref.kind}:{ref.namespace or destination}/{ref.name}"


def marked(obj: JsonObject, instance: str, destination: str, tracking: Tracking) -> JsonObject:
    """*obj* with the marks of its application, byte by byte upstream's. Refuses metadata that holds no texts."""
    if tracking.method == "label":
        return _with_texts(obj, "labels", {tracking.label_key: instance})
    identity = {INSTALLATION_ID: tracking.installation_id or None, TRACKING_ID: tracking_id(obj, instance, destination)}
    obj = _with_texts(obj, "annotations", identity)
    if tracking.method == "annotation":
        return obj
    return _with_texts(obj, "labels", {tracking.label_key: shortened(instance)})


def shortened(label: str) -> str:
    """*label* cut to what a label may hold, ending in a letter or digit."""
    if len(label.encode()) <= _LONGEST_LABEL:
        return label
    cut = label.encode()[:_LONGEST_LABEL].decode("ascii", "replace")
    kept = re.sub(r"[^a-zA-Z0-9]+\Z", "", cut)
    if not kept:
        raise InvalidInput("failed to set app instance label: unable to truncate label to not end with a special character")  # fmt: skip
    return kept


def _with_texts(obj: JsonObject, field: str, texts: Mapping[str, str | None]) -> JsonObject:
    metadata = obj.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    present = metadata.get(field)
    if present is None:
        present = {}
    _check_texts(obj, field, present)
    changed = {name: value for name, value in {**present, **texts}.items() if value is not None}
    return {**obj, "metadata": {**metadata, field: changed}}


def _check_texts(obj: JsonObject, field: str, present: Json) -> None:
    """Refuse what upstream refuses, in its words."""
    where = f".metadata.{field} accessor error: "
    if not isinstance(present, dict):
        why = f"{printed(present)} is of the type {type_name(present)}, expected map[string]interface{{}}"
    else:
        odd = next((name for name, value in present.items() if not isinstance(value, str)), None)
        if odd is None:
            return
        value = present[odd]
        why = f"contains non-string value in the map under key {quoted(str(odd))}: {printed(value)} is of the type {type_name(value)}, expected string"
    ref = Ref.of(obj)
    raise InvalidInput(
        f"failed to get {field} from target object {GroupVersionKind.of(obj)} {ref.namespace}/{ref.name}: {where}{why}"
    )


def instance_of(meta: Meta, tracking: Tracking) -> str:
    """The application that a live object says it belongs to, as marks name it; empty for none."""
    if tracking.method == "label":
        return meta.labels.get(tracking.label_key, "")
    mark = tracking_of(meta, tracking)
    return mark.application if mark is not None else ""


def tracking_of(meta: Meta, tracking: Tracking) -> TrackingId | None:
    """The mark of a live object, if it is one of this installation's."""
    if meta.annotations.get(INSTALLATION_ID, "") != tracking.installation_id:
        return None
    return TrackingId.parse(meta.annotations.get(TRACKING_ID, ""))


def options(annotations: Annotations, key: str) -> tuple[str, ...]:
    """The items of a comma-separated annotation."""
    text = annotations.get(key, "")
    return tuple(filter(None, (item.strip() for item in text.split(",")))) if text else ()


def option(annotations: Annotations, key: str, name: str) -> str | None:
    """The value of the first option called *name*, as in `Prune=confirm`."""
    if key not in annotations:
        return None
    return next((item[len(name) + 1 :] for item in options(annotations, key) if item.startswith(f"{name}=")), None)


def phases(annotations: Annotations) -> tuple[str, ...]:
    """The phases in which an object is a hook; Helm's count where Argo CD's names none."""
    if HOOK not in annotations and HELM_HOOK not in annotations:
        return ()
    named = tuple(phase for phase in options(annotations, HOOK) if phase in _PHASES)
    return named or tuple(_HELM_PHASES[each] for each in options(annotations, HELM_HOOK) if each in _HELM_PHASES)


def skipped(annotations: Annotations) -> bool:
    """Whether it is never applied: its only phase is Skip."""
    return phases(annotations) == ("Skip",)


def hook(annotations: Annotations) -> bool:
    """Whether it comes and goes with a sync, be it one whose phase nobody knows."""
    if HOOK in annotations:
        return not skipped(annotations)
    return HELM_HOOK in annotations and annotations[HELM_HOOK] != "crd-install"


def deletion_hook(annotations: Annotations) -> bool:
    """Whether it runs before or after its application is deleted."""
    if HOOK not in annotations and HELM_HOOK not in annotations:
        return False
    return any(phase in options(annotations, key) for key, phase in _DELETION if key in annotations)


def nowhere(annotations: Annotations) -> bool:
    """Whether it calls itself a hook of no phase that a sync has: then a sync leaves it alone."""
    return hook(annotations) and not phases(annotations)


def wave(annotations: Annotations) -> int:
    for key in (SYNC_WAVE, HELM_WEIGHT):
        text = annotations.get(key)
        if text is not None and _INTEGER.fullmatch(text):
            return int(text)
    return 0
