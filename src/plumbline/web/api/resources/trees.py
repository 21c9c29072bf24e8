"""The tree of an application, and what happened to what is in it."""

from typing import Final

from plumbline.base.errors import Forbidden
from plumbline.base.json import JsonObject, decode
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.parameters import switch
from plumbline.web.api.resources.asking import Reception
from plumbline.web.api.resources.events import event_list
from plumbline.web.api.resources.groves import Groves
from plumbline.web.requests import Request, Response

EVENTS: Final = GroupVersionResource("", "v1", "events")
MOST_EVENTS: Final = 500


class Trees:
    def __init__(self, reception: Reception, groves: Groves) -> None:
        self._reception = reception
        self._groves = groves

    async def tree(self, request: Request, captured: Captured) -> Response:
        asked = await self._reception.asked(request, captured)
        place = await self._reception.place(asked)
        behind = switch(request, "infrastructure", default=False)
        return answered((await self._groves.grove(asked, place, infrastructure=behind)).as_json())

    async def events(self, request: Request, captured: Captured) -> Response:
        """Those of the application itself, or of one object of its tree."""
        asked = await self._reception.asked(request, captured)
        name, uid, namespace = (
            asked.query.get(part, "") for part in ("resourceName", "resourceUID", "resourceNamespace")
        )
        if not name and not uid:
            app = Object(asked.app)
            client = self._reception.parts.desk.client
            return answered(await _listed(client, app.namespace, (app.name, app.uid, app.namespace)))
        place = await self._reception.place(asked)
        grove = await self._groves.grove(asked, place)
        wanted = (uid, name, namespace)
        held = (*grove.nodes, *grove.orphans)
        if not uid or not any((each.get("uid"), each["name"], each.get("namespace", "")) == wanted for each in held):
            raise Forbidden(
                f"{name} not found as part of application {asked.found.named.name}", hint="See its resource-tree."
            )
        return answered(await _listed(place.client, namespace, (name, uid, namespace)))


async def _listed(client: Client, namespace: str, about: tuple[str, str, str]) -> JsonObject:
    name, uid, place = about
    fields = {"involvedObject.name": name, "involvedObject.namespace": place, "involvedObject.uid": uid}
    selector = ",".join(f"{field}={value}" for field, value in fields.items() if value)
    # What happens to what is outside of namespaces is told in one of them.
    target = Target(EVENTS, namespace or "default")
    async for page in client.pages(target, Selection(fields=selector, limit=MOST_EVENTS)):
        return event_list([decode(item) for item in page.items], page.resource_version)
    return event_list([], "")
