"""Terraform objects of a cluster, read and written through the Kubernetes API as whoever the kubeconfig names."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kinds.flux.terraform import TERRAFORM, TerraformSpec, TerraformStatus
from plumbline.kinds.read import Read, read
from plumbline.kinds.terraform import PLAN_APPROVAL
from plumbline.kube.client import Client, Selection, Synced, Target, WatchEvent, Writing
from plumbline.kube.names import GroupVersionResource

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
AS_PERSON: Final = Writing(field_manager="plumb")


class Terraforms:
    """*namespace* is meant where none is named."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    def target(self, name: str) -> Target:
        if not name or "/" in name:
            raise InvalidInput(f"{name!r} is no name of a Terraform object", hint="Name the namespace with -n.")
        return Target(TERRAFORM.resource, self.namespace, name)

    async def get(self, name: str) -> JsonObject:
        try:
            return decode(await self.client.get(self.target(name)))
        except NotFound as gone:
            raise NotFound(
                f"there is no Terraform object {self.namespace}/{name}",
                hint="See which there are with: plumb tf list -A.",
            ) from gone

    async def listed(self, *, everywhere: bool = False, selector: str = "") -> list[JsonObject]:
        """Sorted by namespace and name."""
        target = Target(TERRAFORM.resource, "" if everywhere else self.namespace)
        page = await self.client.list(target, Selection(labels=selector))
        found = [decode(bytes(each)) for each in page.items]
        return sorted(found, key=lambda each: (each["metadata"].get("namespace", ""), each["metadata"]["name"]))

    async def patch(self, name: str, change: JsonObject) -> JsonObject:
        return decode(await self.client.patch(self.target(name), encode(change), "merge", AS_PERSON))

    async def follow(self, name: str) -> AsyncGenerator[JsonObject | None, None]:
        """The object as it is and after every change; None once it is gone."""
        target = self.target(name)
        selection = Selection(fields=f"metadata.name={name}")
        async with aclosing(self.client.follow(target.collection, selection)) as events:
            async for event in events:
                if isinstance(event, Synced):
                    if (target.namespace, name) not in event.present:
                        yield None
                elif isinstance(event, WatchEvent) and event.key == (target.namespace, name):
                    yield None if event.type == "DELETED" else decode(event.raw)

    async def approvals(self, name: str) -> list[JsonObject]:
        """What was said about its plans, as far as this person may read that; the oldest first."""
        try:
            page = await self.client.list(Target(PLAN_APPROVAL.resource, self.namespace))
        except Forbidden:
            return []
        found = [decode(bytes(each)) for each in page.items]
        about = [each for each in found if (each.get("spec") or {}).get("terraform") == name]
        return sorted(about, key=lambda each: str(each["metadata"].get("creationTimestamp", "")))

    async def labelled(self, resource: GroupVersionResource, labels: dict[str, str]) -> list[JsonObject]:
        selector = ",".join(f"{key}={value}" for key, value in labels.items())
        page = await self.client.list(Target(resource, self.namespace), Selection(labels=selector))
        return [decode(bytes(each)) for each in page.items]


def typed(obj: JsonObject) -> Read[TerraformSpec, TerraformStatus]:
    return read(TERRAFORM, obj)


def condition(obj: JsonObject, type_: str) -> dict[str, Any]:
    """What the object says of that aspect; empty where nothing."""
    listed = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in listed if isinstance(each, dict) and each.get("type") == type_), {})
