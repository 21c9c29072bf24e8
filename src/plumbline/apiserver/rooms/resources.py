"""Objects of every resource that is served."""

from plumbline.access.identity import Identity
from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.requests.dispatch import Dispatch
from plumbline.apiserver.requests.routes import Route


class ResourcesRoom:
    def __init__(self, registry: Registry, dispatch: Dispatch) -> None:
        self._registry = registry
        self._dispatch = dispatch

    async def answer(self, route: Route, call: Call, identity: Identity) -> Answer | None:
        if not route.is_resource:
            self._refuse_unknown_version(route)
            return None
        model = self._registry.find(route.group, route.version, route.resource)
        if model is None:
            if self._registry.serves_group(route.group):
                raise statuses.not_served()
            return None
        return await self._dispatch.carry_out(model, route, call, identity)

    def _refuse_unknown_version(self, route: Route) -> None:
        """A version that a served group does not have is refused in words; any other path is left to others."""
        match route.path.strip("/").split("/"):
            case ["api", _]:
                raise statuses.not_served()
            case ["apis", group, _] if self._registry.serves_group(group):
                raise statuses.not_served()
