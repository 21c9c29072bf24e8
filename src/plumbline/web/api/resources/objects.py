"""One live object of an application: shown, changed, deleted."""

from typing import Final, Literal

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import JsonObject, decode, encode
from plumbline.delivery.compare.masking import masked
from plumbline.web.api.answers import Captured, answered, body_of
from plumbline.web.api.applications.linking import variables
from plumbline.web.api.parameters import switch
from plumbline.web.api.resources.asking import Asked, Place, Reception
from plumbline.web.api.resources.belonging import Belonging, Wanted
from plumbline.web.api.resources.writing import Hand
from plumbline.web.requests import Request, Response

_PATCHES: Final[dict[str, Literal["merge", "json", "strategic"]]] = {
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
    "application/strategic-merge-patch+json": "strategic",
}
_LONGEST_PATCH: Final = 1 << 20


class Objects:
    def __init__(self, reception: Reception) -> None:
        self._reception = reception

    async def shown(self, request: Request, captured: Captured) -> Response:
        asked = await self._reception.asked(request, captured)
        place = await self._reception.place(asked)
        owned = await self.belonging(asked, place).owned(Wanted.of(asked.query))
        return answered({"manifest": self.text(owned.obj)})

    async def linked(self, request: Request, captured: Captured) -> Response:
        """Links that the settings put beside it. What people may not see of it, no address tells."""
        asked = await self._reception.asked(request, captured)
        place = await self._reception.place(asked)
        owned = await self.belonging(asked, place).owned(Wanted.of(asked.query))
        parts = self._reception.parts
        known: JsonObject = {**variables(parts.desk, asked.found), "resource": decode(self.text(owned.obj))}
        return answered(parts.links.of(parts.desk.installation.settings.display.links.resource, known))

    async def patched(self, request: Request, captured: Captured) -> Response:
        await self._reception.greet(request)
        wanted = Wanted.of(dict(request.query))
        asked = await self._reception.asked_finely(request, captured, "update", wanted.ref)
        kind, patch = _PATCHES.get(asked.query.get("patchType", "")), await body_of(request)
        if kind is None or not isinstance(patch, str):
            raise InvalidInput(
                "the patch cannot be read",
                why="the body is a text, and patchType one of " + ", ".join(_PATCHES),
                hint="Send the patch as a JSON string.",
            )
        if len(patch) > _LONGEST_PATCH:
            raise LimitExceeded("the patch cannot be read", why=f"it has more than {_LONGEST_PATCH} characters")
        place = await self._reception.place(asked)
        owned = await self.belonging(asked, place).owned(wanted, marked=True)
        reply = await self.hand(asked, place).patch(owned, patch.encode(), kind)
        return answered({"manifest": self.text(decode(reply))})

    async def deleted(self, request: Request, captured: Captured) -> Response:
        await self._reception.greet(request)
        wanted = Wanted.of(dict(request.query))
        asked = await self._reception.asked_finely(request, captured, "delete", wanted.ref)
        force, orphan = (switch(request, name, default=False) for name in ("force", "orphan"))
        place = await self._reception.place(asked)
        owned = await self.belonging(asked, place).owned(wanted, marked=True)
        propagation = "Orphan" if orphan else "Background" if force else "Foreground"
        await self.hand(asked, place).delete(owned, propagation, at_once=force and not orphan)
        return answered({})

    def belonging(self, asked: Asked, place: Place) -> Belonging:
        return Belonging(place, asked.app, self._reception.parts.desk.installation.settings.tracking)

    def hand(self, asked: Asked, place: Place) -> Hand:
        parts = self._reception.parts
        return Hand(parts.gate, parts.desk.pen.herald, asked.found, place)

    def text(self, obj: JsonObject) -> str:
        """For people to see."""
        sensitive = self._reception.parts.desk.installation.settings.display.masked_annotations
        return encode(masked(None, obj, sensitive)[1]).decode()
