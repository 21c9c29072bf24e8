"""What an object is made of, as it says itself, and how each part of it is. Pure."""

from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.parts import APPLICATION, below, condition
from plumbline.kube.health import assess
from plumbline.kube.names import GroupKind, GroupVersionKind

FINE, WAITING, WRONG = range(3)
_POD: Final = GroupVersionKind("", "v1", "Pod")
_REPLICA_SET: Final = GroupVersionKind("apps", "v1", "ReplicaSet")
_JOB: Final = GroupVersionKind("batch", "v1", "Job")
OWNING: Final[dict[GroupKind, GroupVersionKind]] = {
    GroupKind("apps", "Deployment"): _REPLICA_SET,
    GroupKind("apps", "ReplicaSet"): _POD,
    GroupKind("apps", "StatefulSet"): _POD,
    GroupKind("apps", "DaemonSet"): _POD,
    GroupKind("batch", "CronJob"): _JOB,
    GroupKind("batch", "Job"): _POD,
}
"""What workloads own, so that nothing else has to be listed for them."""
_LEVELS: Final = {"Healthy": FINE, "Suspended": FINE, "Progressing": WAITING}
_CROPPED: Final = 64


class Unlisted(NamedTuple):
    """A kind whose objects could not be listed: what is of it is not seen."""

    kind: str
    why: str


class Node(NamedTuple):
    obj: JsonObject
    children: tuple["Node", ...] = ()
    error: str = ""
    """Why it could not be read."""
    missing: bool = False
    """It is not there (yet)."""
    forbidden: bool = False
    """It may not be read."""
    unlisted: tuple[Unlisted, ...] = ()
    """Of these there may be some beneath it, which nobody sees."""

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind.of(self.obj)

    @property
    def metadata(self) -> JsonObject:
        return below(self.obj, "metadata")

    @property
    def name(self) -> str:
        return str(self.metadata.get("name") or "")

    @property
    def namespace(self) -> str:
        return str(self.metadata.get("namespace") or "")

    @property
    def external(self) -> str:
        """What the cloud calls it."""
        return str(below(self.metadata, "annotations").get(marks.EXTERNAL_NAME) or "")

    def __str__(self) -> str:
        return f"{self.gvk.kind}/{self.name}"


class State(NamedTuple):
    level: int
    synced: str
    ready: str
    reason: str
    message: str = ""
    since: str = ""

    def status(self, *, wide: bool) -> str:
        """The last column: the end of a long message tells more than its beginning."""
        said = self.message if wide or len(self.message) <= _CROPPED else "..." + self.message[-_CROPPED:]
        return f"{self.reason}: {said}" if said else self.reason


def state_of(node: Node) -> State:
    """How it is, in the columns that `crossplane trace` has."""
    ready, synced = condition(node.obj, "Ready"), condition(node.obj, "Synced")
    shown = str(synced.get("status") or "-"), str(ready.get("status") or "-")
    if node.metadata.get("deletionTimestamp"):
        return State(WAITING, *shown, "Deleting", since=str(node.metadata["deletionTimestamp"]))
    if node.error:
        return State(WAITING if node.missing else WRONG, *shown, "Error", node.error)
    if node.gvk.group_kind == APPLICATION:
        return _delivery(node.obj)
    if not (synced or (ready and "forProvider" in below(node.obj, "spec"))):
        return _health(node.obj, shown)
    if shown == ("True", "True"):
        return State(FINE, *shown, str(ready.get("reason") or ""), since=_since(ready))
    if shown[0] != "True" and (synced.get("reason") or synced.get("message")):
        paused = synced.get("reason") == "ReconcilePaused"
        return _said(WAITING if paused else WRONG, shown, synced)
    return _said(WAITING, shown, ready)


def _said(level: int, shown: tuple[str, str], said: JsonObject) -> State:
    return State(level, *shown, str(said.get("reason") or ""), str(said.get("message") or ""), _since(said))


def _since(said: JsonObject) -> str:
    return str(said.get("lastTransitionTime") or "")


def _health(obj: JsonObject, shown: tuple[str, str]) -> State:
    health = assess(obj)
    if health is None:
        return State(FINE, *shown, "")
    failing = condition(obj, "Ready") or condition(obj, "Available")
    level = _LEVELS.get(health.status, WRONG)
    return State(level, *shown, str(health.status), health.message, _since(failing))


def _delivery(app: JsonObject) -> State:
    """An Application: synced as its last comparison says, ready as healthy as its objects are."""
    status = below(app, "status")
    health, sync = below(status, "health"), below(status, "sync").get("status")
    well = str(health.get("status") or "")
    shown = ("True" if sync == "Synced" else "False" if sync else "-", "True" if well == "Healthy" else "False")
    operation = below(status, "operationState")
    phase = operation.get("phase")
    listed = status.get("conditions")
    faults = [each for each in listed if isinstance(each, dict) and "Error" in str(each.get("type"))] if listed else []
    if faults:
        return _said(WRONG, shown, {**faults[0], "reason": faults[0]["type"]})
    if phase in {"Failed", "Error", "Running"}:
        said = {"reason": f"Operation{phase}", "message": operation.get("message")}
        since = operation.get("finishedAt") or operation.get("startedAt")
        return _said(WAITING if phase == "Running" else WRONG, shown, {**said, "lastTransitionTime": since})
    if sync != "Synced":
        return State(WAITING, *shown, str(sync or "Unknown"))
    return State(_LEVELS.get(well, WRONG), *shown, well, str(health.get("message") or ""))
