"""Creating and deleting pods on behalf of an owner, who is told about it in events."""

from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

NOT_FOUND: Final = 404
INVALID: Final = 422


class PodControl:
    def __init__(self, cluster: Cluster, component: str) -> None:
        self._cluster = cluster
        self._component = component

    async def create(self, owner: Object, pod: JsonObject) -> RequestRefused | None:
        """The refusal, if there was one. A namespace that is going away takes no pods, and that is no failure."""
        try:
            created = await self._cluster.create(pod)
        except RequestRefused as refused:
            if namespace_is_going(refused):
                return None
            await self._tell(owner, "FailedCreate", f"Error creating: {refused.what}", warning=True)
            return refused
        await self._tell(owner, "SuccessfulCreate", f"Created pod: {created['metadata']['name']}")
        return None

    async def delete(self, owner: Object, pod: Pod) -> RequestRefused | None:
        try:
            await self._cluster.delete(pod.reference)
        except RequestRefused as refused:
            await self._tell(owner, "FailedDelete", f"Error deleting: {refused.what}", warning=True)
            return refused
        await self._tell(owner, "SuccessfulDelete", f"Deleted pod: {pod.name}")
        return None

    async def _tell(self, owner: Object, reason: str, message: str, *, warning: bool = False) -> None:
        await self._cluster.record(owner.raw, reason, message, warning=warning, component=self._component)


def namespace_is_going(refused: RequestRefused) -> bool:
    causes = (refused.status.get("details") or {}).get("causes") or ()
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)
