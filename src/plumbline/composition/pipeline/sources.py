"""Where a pipeline gets what it runs with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Function, Resource, SchemaSelector, Selector
from plumbline.composition.pipeline.values import Credential


async def _nothing(_: Selector) -> Sequence[Resource]:
    return ()


async def _no_schema(_: SchemaSelector) -> JsonObject:
    return {}


async def _no_secret(credential: Credential) -> Mapping[str, Plaintext]:
    where = f"{credential.secret_namespace}/{credential.secret_name}"
    raise NotFound(f"the Secret {where} was not read", why="this pipeline has no access to Secrets")


class Sources(NamedTuple):
    """Each raises from the error tree where it cannot answer; what is not there is an empty answer, but for Secrets."""

    functions: Callable[[str], Function]
    fetch: Callable[[Selector], Awaitable[Sequence[Resource]]] = _nothing
    """In the order of namespace and name; without a namespace and with labels, those of all namespaces."""
    schema: Callable[[SchemaSelector], Awaitable[JsonObject]] = _no_schema
    """The OpenAPI schema of a kind."""
    secret: Callable[[Credential], Awaitable[Mapping[str, Plaintext]]] = _no_secret
