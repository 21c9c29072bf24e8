"""Kinds that keep a number of pods running: deployments and their relatives, and the first of them."""

from typing import Final

from plumbline.apiserver.defaults.pods import POD_TEMPLATE
from plumbline.apiserver.defaults.rules import Rule, chain, child_of, each, for_objects, record, without
from plumbline.apiserver.defaults.storage import CLAIM
from plumbline.base.json import Json, JsonObject

_ROLLING: Final = "RollingUpdate"
_ROLLBACK: Final = "deprecated.deployment.rollback.to"
_ROLLBACK_DIGITS: Final = 19


def _rolling(defaults: JsonObject) -> Rule:
    """The rule for a strategy that rolls unless it says otherwise, in steps that say *defaults*."""
    steps = record(absent=defaults)

    @for_objects
    def rule(strategy: JsonObject) -> JsonObject:
        kind = strategy.get("type") or _ROLLING
        if kind != _ROLLING:
            return strategy
        said = strategy.get("rollingUpdate")
        held = steps({} if said is None else said)
        return strategy if held is said and strategy.get("type") else {**strategy, "type": kind, "rollingUpdate": held}

    return rule


@for_objects
def _rolled_back(metadata: JsonObject) -> JsonObject:
    """The revision to roll back to as the number it is; no revision is no annotation."""
    annotations = child_of(metadata, "annotations")
    revision = annotations.get(_ROLLBACK)
    if revision is None:
        return metadata
    if revision == "":
        kept = without(annotations, _ROLLBACK)
        return {**metadata, "annotations": kept} if kept else without(metadata, "annotations")
    spelled = _number(revision)
    return metadata if spelled == revision else {**metadata, "annotations": {**annotations, _ROLLBACK: spelled}}


def _number(text: Json) -> Json:
    digits = text.lstrip("+-") if isinstance(text, str) else ""
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _ROLLBACK_DIGITS or len(text) - len(digits) > 1:
        return text
    return str(int(text))


DEPLOYMENT: Final = record(
    fields={
        "metadata": _rolled_back,
        "spec": record(
            absent={"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600},
            fields={"strategy": _rolling({"maxUnavailable": "25%", "maxSurge": "25%"}), "template": POD_TEMPLATE},
        ),
    }
)
DAEMON_SET: Final = record(
    fields={
        "spec": record(
            absent={"revisionHistoryLimit": 10},
            fields={"updateStrategy": _rolling({"maxUnavailable": 1, "maxSurge": 0}), "template": POD_TEMPLATE},
        )
    }
)
REPLICA_SET: Final = record(fields={"spec": record(absent={"replicas": 1}, fields={"template": POD_TEMPLATE})})

_PARTITION: Final = record(absent={"partition": 0})


@for_objects
def _partitioned(strategy: JsonObject) -> JsonObject:
    """Unlike elsewhere, who names the strategy and nothing of it gets nothing of it."""
    kind, said = strategy.get("type") or "", strategy.get("rollingUpdate")
    if (kind and kind != _ROLLING) or (kind and said is None):
        return strategy
    held = _PARTITION({} if said is None else said)
    return strategy if kind and held is said else {**strategy, "type": _ROLLING, "rollingUpdate": held}


@for_objects
def _typed_claim(claim: JsonObject) -> JsonObject:
    kind = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    return claim if kind.items() <= claim.items() else {**claim, **kind}


@for_objects
def _kept_claims(spec: JsonObject) -> JsonObject:
    said = spec.get("persistentVolumeClaimRetentionPolicy")
    held = _RETENTION({} if said is None else said)
    return spec if held is said else {**spec, "persistentVolumeClaimRetentionPolicy": held}


_RETENTION: Final = record(zero={"whenDeleted": "Retain", "whenScaled": "Retain"})
STATEFUL_SET: Final = record(
    fields={
        "spec": chain(
            record(
                zero={"podManagementPolicy": "OrderedReady"},
                absent={"replicas": 1, "revisionHistoryLimit": 10},
                fields={
                    "updateStrategy": _partitioned,
                    "template": POD_TEMPLATE,
                    "volumeClaimTemplates": each(chain(CLAIM, _typed_claim)),
                },
            ),
            _kept_claims,
        )
    }
)


def labelled_like_template(obj: JsonObject) -> JsonObject:
    """*obj* with the labels of its pods, unless it has some."""
    labels = template_labels(obj)
    metadata = obj.get("metadata")
    if not labels or type(metadata) is not dict or metadata.get("labels"):
        return obj
    return {**obj, "metadata": {**metadata, "labels": labels}}


def template_labels(obj: JsonObject) -> JsonObject:
    return child_of(child_of(child_of(child_of(obj, "spec"), "template"), "metadata"), "labels")


@for_objects
def _selecting_its_own(obj: JsonObject) -> JsonObject:
    spec, labels = child_of(obj, "spec"), template_labels(obj)
    return obj if spec.get("selector") or not labels else {**obj, "spec": {**spec, "selector": labels}}


REPLICATION_CONTROLLER: Final = chain(REPLICA_SET, _selecting_its_own, for_objects(labelled_like_template))
