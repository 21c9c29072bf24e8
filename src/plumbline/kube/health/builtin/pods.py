"""Pod: what its phase, its restart policy and its containers say."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.hooks import hook
from plumbline.kube.health.reading import part, parts, text, whole, word
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status

_IGNORE_POLICY: Final = "argocd.argoproj.io/ignore-restart-policy"


def pod(obj: JsonObject) -> Health:
    status, policy = part(obj, "status"), word(part(obj, "spec"), "restartPolicy")
    # With other policies the pod may be a hook: calling it failed while its image is still being pulled would end
    # the sync, and the hook would run later all the same.
    if policy == "Always" or _policy_ignored(obj):
        stuck = [word(waiting, "message") for waiting in map(_waiting, parts(status, "containerStatuses")) if waiting]
        if stuck:
            return Health(Status.DEGRADED, ", ".join(stuck))
    message = word(status, "message")
    match word(status, "phase"):
        case "Pending":
            return Health(Status.PROGRESSING, message)
        case "Succeeded":
            return Health(Status.HEALTHY, message)
        case "Failed":
            return Health(Status.DEGRADED, message or _failure(status))
        case "Running" if policy == "Always":
            return Health(_running(status), message)
        case "Running" if policy in {"OnFailure", "Never"}:
            return Health(Status.PROGRESSING, message)
    return Health(Status.UNKNOWN, message)


def _policy_ignored(obj: JsonObject) -> bool:
    """Whether somebody vouches for it being no hook, whatever its restart policy."""
    return text(obj, "metadata", "annotations", _IGNORE_POLICY) == "true" and not hook(obj)


def _waiting(container: JsonObject) -> JsonObject:
    """The waiting state of a container that will not start by waiting longer; empty otherwise."""
    waiting = part(part(container, "state"), "waiting")
    reason = word(waiting, "reason")
    return waiting if reason.startswith("Err") or reason.endswith(("Error", "BackOff")) else {}


def _failure(status: JsonObject) -> str:
    for container in parts(status, "initContainerStatuses") + parts(status, "containerStatuses"):
        terminated = part(part(container, "state"), "terminated")
        message, code = word(terminated, "message"), whole(terminated, "exitCode")
        if message:
            return message
        if terminated.get("reason") == "OOMKilled":
            return "OOMKilled"
        if code:
            return f'container "{word(container, "name")}" failed with exit code {code}'
    return ""


def _running(status: JsonObject) -> Status:
    ready = next((found for found in parts(status, "conditions") if found.get("type") == "Ready"), {})
    if ready.get("status") == "True":
        return Status.HEALTHY
    ended = (part(container, "lastState").get("terminated") for container in parts(status, "containerStatuses"))
    return Status.PROGRESSING if all(end is None for end in ended) else Status.DEGRADED


RULES: Mapping[str, Rule] = {"/Pod": (only("v1", called="Pod", step=pod),)}
