"""The same objects for who asks once, and follows nothing."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError
from plumbline.base.json import decode
from plumbline.delivery.valuesfrom.contents import holder_of
from plumbline.delivery.valuesfrom.references import Place, Reference
from plumbline.kernel.cache import Cached, Key, Relevance, cached
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource

RESOURCES: Final = {
    "configmap": GroupVersionResource("", "v1", "configmaps"),
    "secret": GroupVersionResource("", "v1", "secrets"),
    "terraform": TERRAFORM.resource,
}
_RELEVANCE: Final = Relevance(status=False)
_MOST: Final = 500


class Reading:
    """Reads each object when it is asked for, with the rights of *client*."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def found(self, user: Key, place: Place, reference: Reference) -> Cached | None:
        del user, reference
        try:
            raw = await self._client.get(Target(RESOURCES[place.kind], place.namespace, place.name))
        except NotFound:
            return None
        return cached(raw, _RELEVANCE)

    async def maker(self, place: Place) -> str:
        return await maker_of(self._client, place)

    def keep(self, user: Key, uses: Mapping[Place, frozenset[Reference]]) -> None:
        del user, uses


async def maker_of(client: Client, place: Place) -> str:
    """The Terraform object that says it writes its outputs to *place*. Asked only where something is missing."""
    try:
        page = await client.list(Target(RESOURCES["terraform"], place.namespace), Selection(limit=_MOST))
    except PlumblineError:
        return ""  # no such kind here, or not ours to see: then nobody can be named
    for raw in page.items:
        obj = decode(raw)
        name = str(obj["metadata"]["name"])
        try:
            if holder_of(obj, Place("terraform", place.namespace, name)) == place:
                return f"Terraform {place.namespace}/{name}"
        except InvalidInput:
            continue
    return ""
