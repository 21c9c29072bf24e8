"""What stands in for a cloud: the object that says how a provider is reached carries the sentence."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.composition.parts import below
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind

SIMULATED: Final = "plumbline.dev/simulated"
_USUAL: Final = "ProviderConfig"
_USUAL_IN_NAMESPACES: Final = "ClusterProviderConfig"
_MOST: Final = 32
"""Configs that one tree is asked about."""

Config: TypeAlias = tuple[GroupKind, str, str]
"""Its kind, namespace and name."""


class Simulations(NamedTuple):
    told: Mapping[Config, str] = {}

    def of(self, managed: JsonObject) -> str:
        """What is said of the cloud that an object is in. Empty where it is real, or nobody says."""
        config = _config(managed)
        return self.told.get(config, "") if config is not None else ""


def said_by(metadata: JsonObject) -> str:
    """What an object says of itself."""
    found: Json = below(metadata, "annotations").get(SIMULATED)
    return found if isinstance(found, str) else ""


async def simulations(client: Client, objects: Iterable[JsonObject]) -> Simulations:
    """Of the clouds that *objects* are in. Configs that cannot be read say nothing."""
    configs = list(dict.fromkeys(found for each in objects if (found := _config(each)) is not None))[:_MOST]
    async with task_group() as group:
        asked = {each: group.create_task(_said(client, each)) for each in configs}
    return Simulations({each: task.result() for each, task in asked.items()})


async def _said(client: Client, config: Config) -> str:
    kind, namespace, name = config
    try:
        resource = await client.discovery.resource(kind)
        return said_by(below(decode(await client.get(resource.target(namespace, name))), "metadata"))
    except PlumblineError:
        return ""


def _config(obj: JsonObject) -> Config | None:
    """Kinds of `rds.aws.upbound.io` are reached by what `aws.upbound.io` has."""
    spec, namespace = below(obj, "spec"), str(below(obj, "metadata").get("namespace") or "")
    ref = below(spec, "providerConfigRef")
    group = str(obj.get("apiVersion") or "").partition("/")[0]
    if "forProvider" not in spec or not ref.get("name"):
        return None
    kind = str(ref.get("kind") or (_USUAL_IN_NAMESPACES if namespace else _USUAL))
    return GroupKind(group.partition(".")[2], kind), namespace, str(ref["name"])
