"""Argo's own kinds and Flux's."""

from collections.abc import Mapping

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, condition, conditions, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    by_condition,
    by_field,
    degraded,
    healthy,
    lacking,
    on,
    progressing,
    suspended,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE
from plumbline.kube.health.tables.rollouts import rollout

_SUSPENDED = by_field("spec.suspend", {"true": suspended("{.kind} is suspended")})


class Flux(msgspec.Struct, frozen=True):
    """Flux's controllers: Ready with its reason, and Reconciling while they work on it."""

    waiting: str = "Unknown"
    """What Ready is while the controller works. Some leave it False and say only in Reconciling that all is well."""
    reasons: frozenset[str] = frozenset()
    """The reasons of Reconciling that count as work; empty means any."""
    evidence: frozenset[str] = frozenset()
    """Conditions one of which has to be True besides Ready."""

    def __call__(self, obj: JsonObject) -> Health:
        if at(obj, "status", "conditions") is None:
            return Health(Status.PROGRESSING, "Status unknown")
        true = {
            text(found, "type"): text(found, "reason") for found in conditions(obj) if found.get("status") == "True"
        }
        ready = condition(obj, "Ready")
        message = f"{text(ready, 'reason')} {true.get('ArtifactOutdated', '')}".rstrip()
        working = "Reconciling" in true and (not self.reasons or true["Reconciling"] in self.reasons)
        if working and ready.get("status") == self.waiting:
            return Health(Status.PROGRESSING, message)
        proven = not self.evidence or not self.evidence.isdisjoint(true)
        return Health(Status.HEALTHY if "Ready" in true and proven else Status.DEGRADED, message)


_ARTIFACT = Flux(evidence=frozenset({"ArtifactInStorage"}))
_SOURCE: Rule = (_SUSPENDED, _ARTIFACT)

_ANALYSIS = {
    "Pending|Running": progressing("Analysis run is running"),
    "Successful": healthy("{.status.message|Analysis run completed successfully}"),
    "Failed": degraded("{.status.message|Analysis run failed}"),
    "Error": degraded("{.status.message|Analysis run had an error}"),
    "Inconclusive": unknown("{.status.message|Analysis run was inconclusive}"),
}

_EXPERIMENT = {
    "Pending": progressing("Experiment is pending"),
    "Running": progressing("Experiment is running"),
    "Successful": healthy("Experiment is successful"),
    "Failed": degraded("Experiment has failed"),
    "Error": degraded("Experiment had an error"),
}

RULES: Mapping[str, Rule] = {
    # An Application has no health of its own unless a user gives it one: else a parent's waves would wait for all
    # that its children ever do.
    "argoproj.io/Application": (),
    "argoproj.io/AnalysisRun": (
        lacking("status", progressing("Waiting for analysis run to finish: status has not been reconciled.")),
        by_field("status.phase", _ANALYSIS),
    ),
    "argoproj.io/ApplicationSet": (
        by_condition(on("ErrorOccurred", "True", degraded(MESSAGE))),
        by_condition(on("ResourcesUpToDate", "False", degraded(MESSAGE))),
        by_condition(on("RolloutProgressing", "True", progressing(MESSAGE))),
        by_condition(on("ResourcesUpToDate", "True", healthy(MESSAGE))),
        progressing("Waiting for the status to be reported"),
    ),
    "argoproj.io/CronWorkflow": (
        by_condition(
            on("SpecError|SubmissionError", "True", degraded(MESSAGE)), on("Completed", "True", healthy(MESSAGE))
        ),
        healthy("CronWorkflow is healthy."),
    ),
    "argoproj.io/EventBus": (
        by_condition(
            on("Deployed", "False", degraded("{message,reason}")), on("Deployed", "True", healthy("{message,reason}"))
        ),
        progressing("Waiting for initialization"),
    ),
    "argoproj.io/Experiment": (
        lacking("status", progressing("Waiting for experiment to finish: status has not been reconciled.")),
        by_field("status.phase", _EXPERIMENT),
    ),
    "argoproj.io/Rollout": (rollout,),
    "helm.toolkit.fluxcd.io/HelmRelease": (_SUSPENDED, Flux(evidence=frozenset({"Released", "TestSuccess"}))),
    "image.toolkit.fluxcd.io/ImagePolicy": (
        Flux("False", reasons=frozenset({"NewGeneration", "AccessingRepository", "ApplyingPolicy"})),
    ),
    "image.toolkit.fluxcd.io/ImageRepository": (
        _SUSPENDED,
        Flux("False", reasons=frozenset({"NewGeneration", "Scanning"})),
    ),
    "image.toolkit.fluxcd.io/ImageUpdateAutomation": (_SUSPENDED, Flux()),
    "infra.contrib.fluxcd.io/Terraform": (
        _SUSPENDED,
        Stale("Waiting for the latest spec to be observed"),
        by_condition(on("Stalled", "True", degraded(MESSAGE))),
        by_condition(
            on("Ready", "True", healthy(MESSAGE)),
            # A plan that waits does so for a person, and for as long as it takes.
            on("Ready", "", suspended(MESSAGE), reason="TerraformPlannedWithChanges|DriftDetected"),
            on("Ready", "Unknown", progressing(MESSAGE)),
            on("Ready", "False", progressing(MESSAGE), reason="LockHeld|DeletionBlockedByDependantsReason"),
            on("Ready", "False", degraded(MESSAGE)),
        ),
        progressing("Waiting for the first plan"),
    ),
    "kustomize.toolkit.fluxcd.io/Kustomization": (_SUSPENDED, Flux()),
    # A Receiver has nothing to work on for long: Reconciling with Ready False is failure, not progress.
    "notification.toolkit.fluxcd.io/Receiver": (_SUSPENDED, Flux("")),
    "source.toolkit.fluxcd.io/Bucket": _SOURCE,
    "source.toolkit.fluxcd.io/GitRepository": _SOURCE,
    "source.toolkit.fluxcd.io/HelmChart": _SOURCE,
    "source.toolkit.fluxcd.io/HelmRepository": (
        _SUSPENDED,
        by_field(
            "spec.type",
            {"oci": healthy("Helm repositories of type 'oci' do not contain any information in the status.")},
        ),
        _ARTIFACT,
    ),
    "source.toolkit.fluxcd.io/OCIRepository": _SOURCE,
}
