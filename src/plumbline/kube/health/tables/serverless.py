"""Functions and services that scale to nothing: Knative, KServe, OpenFaaS, Spin, Camel K, KEDA."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, condition, conditions, holds, number, printed, text
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import by_ready

_NO_REPLICAS: Final = Health(Status.SUSPENDED, "No replicas available")


def _listed(obj: JsonObject) -> str:
    return "".join(
        f"{place}: {printed(each.get('type'))} | {printed(each.get('status'))}\n"
        for place, each in enumerate(conditions(obj), 1)
    )


class Installed(msgspec.Struct, frozen=True):
    """The Knative operator: all these conditions True, and none of the others in doubt."""

    kind: str
    needed: frozenset[str]
    awaited: frozenset[str]
    """Conditions that are False only while the work goes on."""

    def __call__(self, obj: JsonObject) -> Health:
        if at(obj, "status", "conditions") is None:
            return Health(Status.PROGRESSING, f"Waiting for {self.kind}")
        said = {printed(each.get("type")): each.get("status") for each in conditions(obj)}
        if "Unknown" in said.values() or any(said.get(kind) == "False" for kind in self.awaited):
            return Health(Status.PROGRESSING, _listed(obj))
        if all(said.get(kind) == "True" for kind in self.needed):
            return Health(Status.HEALTHY, f"{self.kind} is healthy.")
        return Health(Status.DEGRADED, _listed(obj))


def _knative_service(obj: JsonObject) -> Health:
    if at(obj, "status", "conditions") is None:
        return Health(Status.PROGRESSING, "Waiting for status update.")
    unmet = [each for each in conditions(obj) if text(each, "status") in {"False", "Unknown"}]
    said = "".join(f"{_doubt(each)}\n" for each in unmet)
    if any(each["status"] == "False" for each in unmet):
        return Health(Status.DEGRADED, said)
    if not unmet and all(holds(obj, kind) for kind in ("ConfigurationsReady", "RoutesReady", "Ready")):
        return Health(Status.HEALTHY, "Knative Service is healthy.")
    return Health(Status.PROGRESSING, said)


def _doubt(condition: JsonObject) -> str:
    reason, message = text(condition, "reason"), text(condition, "message")
    said = f"{text(condition, 'type')} is {condition['status']}"
    return said + (f", since {reason}." if reason else "") + (f" {message}" if message else "")


def _inference_service(obj: JsonObject) -> Health:
    if at(obj, "status", "conditions") is None:
        return Health(Status.PROGRESSING, "Waiting for InferenceService to report status...")
    if holds(obj, "Stopped"):
        return Health(Status.SUSPENDED, "InferenceService is Stopped")
    model = at(obj, "status", "modelStatus")
    transition = "UpToDate" if model is None else text(model, "transitionStatus")
    moving = "" if transition == "UpToDate" else f"0: transitionStatus | {transition}"
    unmet = list(_unmet(obj))
    if not moving and not unmet:
        return Health(Status.HEALTHY, "InferenceService is healthy.")
    failed = transition not in {"UpToDate", "InProgress"}
    return Health(Status.DEGRADED if failed else Status.PROGRESSING, moving + "".join(unmet))


def _unmet(obj: JsonObject) -> Iterator[str]:
    for place, each in enumerate(conditions(obj), 1):
        if each.get("status") == "True" or each.get("type") == "Stopped":
            continue
        said = (text(each, "type"), printed(each.get("status")), text(each, "reason"), text(each, "message"))
        yield f" | {place}: {' | '.join(word for word in said if word)}"


def _function(obj: JsonObject) -> Health:
    for each in conditions(obj):
        said = text(each, "message")
        match text(each, "type"), text(each, "status"):
            case ("Ready", "False") | ("Stalled", "True"):
                return Health(Status.DEGRADED, said)
            case "Ready", "True":
                running = number(obj, "status", "replicas") > 0
                return Health(Status.HEALTHY, said) if running else _NO_REPLICAS
    return Health(Status.PROGRESSING, "Waiting for Function")


def _spin_app(obj: JsonObject) -> Health:
    if at(obj, "status") is None:
        return Health(Status.PROGRESSING, "Waiting for status to be available")
    moving, available = condition(obj, "Progressing"), condition(obj, "Available")
    said = text(moving, "message")
    late = moving.get("reason") == "ProgressDeadlineExceeded" or "timeout" in said.lower() or "failed" in said.lower()
    if moving.get("status") == "False" and late:
        return Health(Status.DEGRADED, said or "Application deployment has failed")
    if available.get("status") != "True":
        absent = "Application is not available" if available else ""
        return Health(Status.DEGRADED, text(available, "message") or absent)
    ready, wanted = number(obj, "status", "readyReplicas"), number(obj, "spec", "replicas", default=1)
    count = f"{printed(ready)}/{printed(wanted)}"
    if ready < wanted:
        return Health(Status.PROGRESSING, f"Waiting for replicas to be ready ({count})")
    if moving.get("status") == "True":
        return Health(Status.PROGRESSING, said or "Application progress status")
    return Health(Status.HEALTHY, f"Application is healthy with {count} replicas ready")


class Scaled(msgspec.Struct, frozen=True):
    """KEDA: Ready, Paused, and what else counts as failure. The last condition that tells something is quoted."""

    failing: frozenset[tuple[str, str]]
    waiting: str

    def __call__(self, obj: JsonObject) -> Health:
        said, message = set(), ""
        telling = self.failing | {("Ready", "True"), ("Paused", "True")}
        for each in conditions(obj):
            pair = text(each, "type"), text(each, "status")
            if pair in telling:
                said.add(pair)
                message = text(each, "message")
        if said & self.failing:
            return Health(Status.DEGRADED, message)
        if ("Ready", "True") not in said:
            return Health(Status.PROGRESSING, self.waiting)
        return Health(Status.SUSPENDED if ("Paused", "True") in said else Status.HEALTHY, message)


RULES: Mapping[str, Rule] = {
    "operator.knative.dev/KnativeEventing": (
        Installed("KnativeEventing", frozenset({"Ready", "InstallSucceeded"}), frozenset({"Ready"})),
    ),
    "operator.knative.dev/KnativeServing": (
        Installed(
            "KnativeServing",
            frozenset({"Ready", "InstallSucceeded", "DependenciesInstalled", "DeploymentsAvailable"}),
            frozenset({"Ready", "DeploymentsAvailable"}),
        ),
    ),
    "serving.knative.dev/Service": (_knative_service,),
    "serving.kserve.io/InferenceService": (_inference_service,),
    "openfaas.com/Function": (_function,),
    "core.spinkube.dev/SpinApp": (_spin_app,),
    "camel.apache.org/Integration": by_ready("Waiting for Integration"),
    "keda.sh/ScaledJob": (Scaled(frozenset({("Ready", "False"), ("Ready", "Unknown")}), "Waiting for ScaledJob"),),
    "keda.sh/ScaledObject": (
        Scaled(frozenset({("Ready", "False"), ("Fallback", "True")}), "Creating HorizontalPodAutoscaler Object"),
    ),
}
