"""Actions that kinds have without anybody saying so. Pure: an object, words and a moment in, objects out.

The names are upstream's, so that what people are allowed by name they are allowed here.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery.actions.values import Impact, Offer
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.kube.object import Object, controller_reference

RESTARTED: Final = "kubectl.kubernetes.io/restartedAt"
FORCED: Final = "force-sync"
_RECONCILE: Final = "reconcile.fluxcd.io/requestedAt"
_BY_HAND: Final = {"cronjob.kubernetes.io/instantiate": "manual"}
_MOST_REPLICAS: Final = 10_000
_LONGEST_NAME: Final = 63
_REDO, _PAUSE, _PLAY, _PLUS, _STOP = (f"fa fa-fw fa-{icon}" for icon in ("redo", "pause", "play", "plus", "stop"))


class Asked(NamedTuple):
    obj: JsonObject
    parameters: Mapping[str, str]
    now: datetime


Change: TypeAlias = Callable[[Asked], Impact]


class Action(NamedTuple):
    offer: Callable[[JsonObject], Offer | None]
    """None where the object is such that there is nothing to offer."""
    change: Change


def _always(offer: Offer) -> Callable[[JsonObject], Offer | None]:
    return lambda _: offer


def _flag(obj: JsonObject, name: str) -> bool:
    return Object(obj).spec.get(name) is True


def _with_spec(obj: JsonObject, **fields: object) -> Impact:
    return Impact("patch", {**obj, "spec": {**Object(obj).spec, **fields}})


def _restart(asked: Asked) -> Impact:
    spec = Object(asked.obj).spec
    template = spec.get("template")
    pods = Object(template if isinstance(template, dict) else {})
    return _with_spec(asked.obj, template=pods.with_annotation(RESTARTED, rfc3339(asked.now)).raw)


def _scale(asked: Asked) -> Impact:
    said = asked.parameters.get("replicas", "")
    if not said.isascii() or not said.isdecimal() or int(said) > _MOST_REPLICAS:
        raise InvalidInput(
            f"{said!r} is no number of replicas",
            why=f"it is a whole number, at most {_MOST_REPLICAS}",
            hint="Say how many with the parameter replicas.",
        )
    return _with_spec(asked.obj, replicas=int(said))


def _set(**fields: object) -> Change:
    return lambda asked: _with_spec(asked.obj, **fields)


def _noted(name: str) -> Change:
    return lambda asked: Impact("patch", Object(asked.obj).with_annotation(name, rfc3339(asked.now)).raw)


def _create_job(asked: Asked) -> Impact:
    """What the schedule would make, now, and owned as if the schedule had made it."""
    cron = Object(asked.obj)
    template = cron.spec.get("jobTemplate")
    job = Object(template if isinstance(template, dict) else {})
    suffix = f"-{asked.now:%Y%m%d%H%M%S}"
    metadata = {
        "name": cron.name[: _LONGEST_NAME - len(suffix)] + suffix,
        "namespace": cron.namespace,
        "annotations": {**job.annotations, **_BY_HAND},
        "labels": dict(job.labels),
        "ownerReferences": [controller_reference(asked.obj)],
    }
    return Impact("create", {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": job.spec})


_ENDINGS: Final = frozenset({"Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"})


def _over(job: JsonObject) -> bool:
    return any(each.type in _ENDINGS and each.status == "True" for each in Object(job).conditions)


def _toggle_auto_sync(asked: Asked) -> Impact:
    spec = Object(asked.obj).spec
    policy = spec.get("syncPolicy")
    policy = policy if isinstance(policy, dict) else {}
    automated = policy.get("automated")
    automated = automated if isinstance(automated, dict) else {}
    on = "automated" in policy and automated.get("enabled") is not False
    return _with_spec(asked.obj, syncPolicy={**policy, "automated": {**automated, "enabled": not on}})


def _unless(said: Callable[[JsonObject], bool], offer: Offer) -> Callable[[JsonObject], Offer | None]:
    return lambda obj: None if said(obj) else offer


_RESTART: Final = Action(_always(Offer("restart", icon=_REDO)), _restart)
_SCALE: Final = Action(_always(Offer("scale", parameters=("replicas",), icon=_PLUS + "-circle")), _scale)


def _suspending(over: Callable[[JsonObject], bool] = lambda _: False) -> tuple[Action, Action]:
    return (
        Action(
            _unless(lambda obj: over(obj) or _flag(obj, "suspend"), Offer("suspend", icon=_PAUSE)), _set(suspend=True)
        ),
        Action(
            _unless(lambda obj: over(obj) or not _flag(obj, "suspend"), Offer("resume", icon=_PLAY)),
            _set(suspend=False),
        ),
    )


def _pausing() -> tuple[Action, Action]:
    return (
        Action(lambda obj: Offer("pause", _flag(obj, "paused"), icon=_PAUSE + "-circle"), _set(paused=True)),
        Action(lambda obj: Offer("resume", not _flag(obj, "paused"), icon=_PLAY + "-circle"), _set(paused=False)),
    )


_RECONCILED: Final = (Action(_always(Offer("reconcile", icon=_REDO)), _noted(_RECONCILE)), *_suspending())
_FLUX: Final = {
    "helm.toolkit.fluxcd.io": ("HelmRelease",),
    "kustomize.toolkit.fluxcd.io": ("Kustomization",),
    "source.toolkit.fluxcd.io": ("Bucket", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository"),
    "infra.contrib.fluxcd.io": ("Terraform",),
}

BUILT_IN: Final[Mapping[GroupKind, tuple[Action, ...]]] = {
    GroupKind("apps", "Deployment"): (_RESTART, *_pausing(), _SCALE),
    GroupKind("apps", "StatefulSet"): (_RESTART, _SCALE),
    GroupKind("apps", "DaemonSet"): (_RESTART,),
    GroupKind("batch", "CronJob"): (
        Action(_always(Offer("create-job", icon=_PLUS, title="Create Job")), _create_job),
        *_suspending(),
    ),
    GroupKind("batch", "Job"): (
        *_suspending(_over),
        Action(_unless(_over, Offer("terminate", icon=_STOP)), _set(activeDeadlineSeconds=1)),
    ),
    GroupKind("argoproj.io", "Application"): (
        Action(_always(Offer("toggle-auto-sync", icon="fa fa-fw fa-sync-alt")), _toggle_auto_sync),
    ),
    GroupKind("external-secrets.io", "ExternalSecret"): (
        Action(_always(Offer("refresh", icon=_REDO)), _noted(FORCED)),
    ),
    **{GroupKind(group, kind): _RECONCILED for group, kinds in _FLUX.items() for kind in kinds},
}


def built_in(obj: JsonObject) -> dict[str, tuple[Offer, Change]]:
    """What *obj* offers by itself, by name."""
    found: dict[str, tuple[Offer, Change]] = {}
    for action in BUILT_IN.get(GroupVersionKind.of(obj).group_kind, ()):
        offer = action.offer(obj)
        if offer is not None:
            found[offer.name] = (offer, action.change)
    return found
