"""A pod as its kubelet sees it: who it is, and which containers it has in which roles."""

from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from typing import Final

import msgspec

from plumbline.apiserver.nodes.moments import instant
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject

FINISHED: Final = frozenset({"Succeeded", "Failed"})


class Role(Enum):
    INIT = "init"
    SIDECAR = "sidecar"
    MAIN = "main"
    EPHEMERAL = "ephemeral"


_FIELDS: Final = {
    Role.INIT: "initContainers",
    Role.SIDECAR: "initContainers",
    Role.MAIN: "containers",
    Role.EPHEMERAL: "ephemeralContainers",
}


class Container(msgspec.Struct, frozen=True):
    name: str
    role: Role
    spec: JsonObject

    @property
    def image(self) -> str:
        return str(self.spec.get("image") or "")

    @property
    def field(self) -> str:
        return f"spec.{_FIELDS[self.role]}{{{self.name}}}"


class PodView:
    """Reads only; the object is shared."""

    def __init__(self, obj: JsonObject) -> None:
        self.obj = obj
        self.metadata = metadata_of(obj)
        self.spec: JsonObject = obj.get("spec") or {}
        self.status: JsonObject = obj.get("status") or {}
        self.name = str(self.metadata.get("name") or "")
        self.namespace = str(self.metadata.get("namespace") or "")
        self.uid = str(self.metadata.get("uid") or "")

    @property
    def node(self) -> str:
        return str(self.spec.get("nodeName") or "")

    @property
    def full_name(self) -> str:
        """As the kubelet's messages name it."""
        return f"{self.name}_{self.namespace}({self.uid})"

    @property
    def finished(self) -> bool:
        return self.status.get("phase") in FINISHED

    @property
    def deleted(self) -> bool:
        return bool(self.metadata.get("deletionTimestamp"))

    @property
    def grace_s(self) -> int:
        """What is left for stopping, of a pod that is being deleted."""
        return int(self.metadata.get("deletionGracePeriodSeconds") or 0)

    @property
    def restart_policy(self) -> str:
        return str(self.spec.get("restartPolicy") or "Always")

    @property
    def host_network(self) -> bool:
        return bool(self.spec.get("hostNetwork"))

    @property
    def generation(self) -> int:
        return int(self.metadata.get("generation") or 0)

    @property
    def annotations(self) -> JsonObject:
        return self.metadata.get("annotations") or {}

    def deadline_s(self, now_s: float) -> float | None:
        """The moment after which it must not run; one that nobody has seen before begins *now_s*."""
        allowed_s = self.spec.get("activeDeadlineSeconds")
        started_s = instant(self.status.get("startTime"))
        return None if allowed_s is None else (now_s if started_s is None else started_s) + float(allowed_s)

    @cached_property
    def init(self) -> Sequence[Container]:
        """Init containers and sidecars, in their order."""
        return [
            Container(str(each["name"]), Role.SIDECAR if each.get("restartPolicy") == "Always" else Role.INIT, each)
            for each in self.spec.get("initContainers") or ()
        ]

    @cached_property
    def main(self) -> Sequence[Container]:
        return [Container(str(each["name"]), Role.MAIN, each) for each in self.spec.get("containers") or ()]

    @cached_property
    def ephemeral(self) -> Sequence[Container]:
        return [
            Container(str(each["name"]), Role.EPHEMERAL, each) for each in self.spec.get("ephemeralContainers") or ()
        ]

    @property
    def containers(self) -> Sequence[Container]:
        return [*self.init, *self.main, *self.ephemeral]

    def restarts(self, container: Container, exit_code: int) -> bool:
        """Whether it is started again after ending with *exit_code*."""
        if container.role is Role.EPHEMERAL:
            return False
        if container.role is Role.INIT and not exit_code:
            return False
        own = container.spec.get("restartPolicy")
        if own and any(_rule_matches(rule, exit_code) for rule in container.spec.get("restartPolicyRules") or ()):
            return True
        policy = own or self.restart_policy
        return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _rule_matches(rule: JsonObject, exit_code: int) -> bool:
    wanted = rule.get("exitCodes") or {}
    among = exit_code in (wanted.get("values") or ())
    return among if wanted.get("operator") == "In" else wanted.get("operator") == "NotIn" and not among
