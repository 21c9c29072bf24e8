"""Whether a cluster answers, and whether it knows who asks."""

from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.json import decode
from plumbline.cli.connecting import Where
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Connection, Request, Selection, Target


async def reached(where: Where) -> str:
    """In a sentence. Raises Unreachable, Unauthenticated or Forbidden."""
    connection = Connection.load(where.kubeconfig, context=where.context)
    async with Client.connect(connection) as client:
        version = decode((await client.send(Request("GET", "/version", ""))).body)
        try:
            page = await client.list(Target(APPLICATION.resource, where.namespace), Selection(limit=0))
        except (NotFound, UnknownKind):
            has = "no applications yet"
        else:
            has = f"{len(page.items)} applications in namespace {where.namespace}"
    return f"Kubernetes {version.get('gitVersion', '')} at {connection.server} answers: {has}"
