"""What people can do with one object of an application, and having it done."""

from typing import Final

import msgspec

from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject, encode
from plumbline.delivery.actions import Asked as Action
from plumbline.delivery.actions import Impact, offered, outcome
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.kube.object import Object
from plumbline.web.api.answers import Captured, answered, body_of, object_of
from plumbline.web.api.resources.asking import Asked, Place, Reception
from plumbline.web.api.resources.belonging import Owned, Wanted
from plumbline.web.api.resources.objects import Objects
from plumbline.web.api.writing import AS_SERVER
from plumbline.web.requests import Request, Response

_PARTS: Final = ("namespace", "resourceName", "version", "group", "kind", "appNamespace", "project")
_LONGEST: Final = 256
_MOST_PARAMETERS: Final = 32
_DRY: Final = msgspec.structs.replace(AS_SERVER, dry_run=True)


class Actions:
    def __init__(self, reception: Reception, objects: Objects) -> None:
        self._reception = reception
        self._objects = objects

    async def listed(self, request: Request, captured: Captured) -> Response:
        asked = await self._reception.asked(request, captured)
        place = await self._reception.place(asked)
        owned = await self._owned(asked, place, Wanted.of(asked.query), marked=False)
        settings = self._reception.parts.desk.installation.settings.customizations.actions
        found = await offered(self._reception.parts.lua, owned.obj, settings)
        return answered({"actions": [each.as_json() for each in found]} if found else {})

    async def run(self, request: Request, captured: Captured) -> Response:
        """The older way: the body is the action's name, and the rest is in the query."""
        await self._reception.greet(request)
        body = await body_of(request)
        return await self._run(request, captured, dict(request.query), body, {})

    async def run_with_parameters(self, request: Request, captured: Captured) -> Response:
        await self._reception.greet(request)
        body = await object_of(request)
        named = {name: str(body[name]) for name in _PARTS if body.get(name)}
        return await self._run(request, captured, named, body.get("action"), _parameters(body))

    async def _run(
        self, request: Request, captured: Captured, named: dict[str, str], action: Json, parameters: dict[str, str]
    ) -> Response:
        if not isinstance(action, str) or not action or len(action) > _LONGEST or "/" in action:
            raise InvalidInput("no action is named", hint="List the actions of the object to see which there are.")
        wanted = Wanted.of(named)
        right = f"action/{wanted.ref.group}/{wanted.ref.kind}/{action}"
        asked = await self._reception.asked(request, captured, right, named)
        place = await self._reception.place(asked)
        owned = await self._owned(asked, place, wanted, marked=True)
        parts = self._reception.parts
        said = Action(owned.obj, parameters, parts.desk.clock.now())
        impacts = await outcome(parts.lua, said, parts.desk.installation.settings.customizations.actions, action)
        targets = [await self._checked(place, owned, each) for each in impacts]
        hand = self._objects.hand(asked, place)
        for impact, target in zip(impacts, targets, strict=True):
            await hand.act(owned, target, impact, action)
        hand.ran(owned, action)
        return answered({})

    async def _owned(self, asked: Asked, place: Place, wanted: Wanted, *, marked: bool) -> Owned:
        """An object of the application, or the application itself."""
        named = asked.found.named
        itself = GroupKind(wanted.ref.group, wanted.ref.kind) == APPLICATION.group_kind
        if itself and wanted.ref.name == named.name and wanted.ref.namespace in {"", named.namespace}:
            resource = await self._reception.parts.desk.client.discovery.resource(APPLICATION.gvk)
            return Owned({**asked.app}, resource, named.target)
        return await self._objects.belonging(asked, place).owned(wanted, marked=marked)

    async def _checked(self, place: Place, owned: Owned, impact: Impact) -> Target:
        """Where the outcome goes. Nothing is done before all of it is known to be permitted and to be taken."""
        gvk, obj = GroupVersionKind.of(impact.obj), Object(impact.obj)
        ref = Ref.of(impact.obj)
        if impact.operation == "patch":
            if ref != Ref.of(owned.obj) or obj.uid != Object(owned.obj).uid:
                raise Forbidden(
                    f"{ref} is not changed", why="the action may change the object that it is run on, no other"
                )
            return owned.target
        catalog = await place.client.discovery.catalog()
        resource = catalog.by_kind(gvk)
        if resource is None:
            raise NotFound(f"{ref} is not made", why=f"the cluster has no kind {gvk}")
        placed = ref if resource.namespaced else ref._replace(namespace="")
        if not place.permitted(placed) or resource.namespaced is not bool(placed.namespace):
            raise Forbidden(f"application is not permitted to manage {ref}")
        target = resource.target(placed.namespace, placed.name)
        await place.client.create(target.collection, encode(impact.obj), _DRY)
        return target


def _parameters(body: JsonObject) -> dict[str, str]:
    listed = body.get("resourceActionParameters")
    found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if len(found) > _MOST_PARAMETERS:
        raise InvalidInput("the action is not run", why=f"it is given more than {_MOST_PARAMETERS} parameters")
    return {str(each.get("name") or "")[:_LONGEST]: str(each.get("value") or "")[:_LONGEST] for each in found}
