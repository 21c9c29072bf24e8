"""Questions to a cluster about who owns what."""

from pathlib import Path

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.kube.client import Client, Connection
from plumbline.kube.names import Ref
from plumbline.ownership import ClusterObject, Link, Resource
from plumbline.ownership.external import parse
from plumbline.ownership.gathering import Gathered, climb, gather

_NAMED = 2
_IN_NAMESPACE = 3


async def gathered(kubeconfig: Path | None, context: str) -> Gathered:
    async with Client.connect(Connection.load(kubeconfig, context=context)) as client:
        return await gather(client)


async def explained(
    text: str, namespace: str, kubeconfig: Path | None, context: str
) -> tuple[Gathered, tuple[Link, ...]]:
    """The chain of what *text* names. Raises NotFound where there is no such thing as far as anybody knows."""
    connection = Connection.load(kubeconfig, context=context)
    async with Client.connect(connection) as client:
        resource = parse(text) or await _object(client, text, namespace or connection.namespace)
        known = await gather(client)
        if isinstance(resource, ClusterObject):
            await climb(client, known, resource)
    links = known.ledger.chain(resource)
    if not any(link.claims or link.parent for link in links):
        hint = "Check the spelling; what nobody claims and nothing in the cluster stands for is not known."
        raise NotFound(f"Nothing is known about {resource}", hint=hint)
    return known, links


async def _object(client: Client, text: str, namespace: str) -> Resource:
    """The object that people mean by KIND/NAME or KIND/NAMESPACE/NAME."""
    parts = text.split("/")
    if len(parts) not in {_NAMED, _IN_NAMESPACE} or not all(parts):
        hint = "Write KIND/NAME (deployment/web), an ARN, or TYPE/ID (aws_db_instance/orders)."
        raise InvalidInput(f"{text!r} names nothing", hint=hint)
    resource = await client.discovery.resource(parts[0])
    place = parts[1] if len(parts) == _IN_NAMESPACE else namespace
    return ClusterObject(Ref(resource.group, resource.kind, place if resource.namespaced else "", parts[-1]))
