"""What people name on a command line, asked of a cluster: KIND, KIND NAME…, KIND/NAME…, KIND,KIND."""

from difflib import get_close_matches
from typing import NamedTuple

from plumbline.base.errors import InvalidInput, NotFound, UnknownKind
from plumbline.base.json import JsonObject, decode
from plumbline.kube.client import Client, Selection
from plumbline.kube.client.catalog import Resource

_HINT = "Write KIND, KIND NAME or KIND/NAME, such as deployment/web."


class Wanted(NamedTuple):
    resource: Resource
    name: str = ""
    """Empty for all of the kind."""


async def wanted(client: Client, words: tuple[str, ...]) -> list[Wanted]:
    """Raises InvalidInput, UnknownKind with kinds that are written alike."""
    first, *rest = words
    slashed = [word for word in words if "/" in word]
    if slashed:
        if len(slashed) != len(words):
            raise InvalidInput("there are names with a kind and names without one", hint=_HINT)
        pairs = [word.partition("/") for word in words]
        if not all(kind and name and "/" not in name for kind, _, name in pairs):
            raise InvalidInput(f"{slashed[0]!r} does not name an object", hint=_HINT)
        return [Wanted(await resource(client, kind), name) for kind, _, name in pairs]
    kinds = [await resource(client, kind) for kind in first.split(",") if kind]
    if not kinds:
        raise InvalidInput("no kind is named", hint=_HINT)
    return [Wanted(kind, name) for kind in kinds for name in rest or ("",)]


async def resource(client: Client, kind: str) -> Resource:
    try:
        return await client.discovery.resource(kind)
    except UnknownKind as unknown:
        catalog = await client.discovery.catalog()
        known = {name for each in catalog.resources for name in (each.name, each.singular, *each.short_names) if name}
        close = get_close_matches(kind.lower().partition(".")[0], sorted(known), 3)
        hint = f"Did you mean {', '.join(close)}?" if close else "See which there are with: kubectl api-resources."
        raise UnknownKind(unknown.what, why=unknown.why, hint=hint) from unknown


async def found(client: Client, wanted: Wanted, namespace: str) -> JsonObject:
    """One object by name. Raises NotFound, with names that are written alike."""
    try:
        obj: JsonObject = decode(await client.get(wanted.resource.target(namespace, wanted.name)))
    except NotFound as gone:
        raise await missing(client, wanted, namespace) from gone
    return obj


async def missing(client: Client, wanted: Wanted, namespace: str) -> NotFound:
    kind = wanted.resource.singular or wanted.resource.kind.lower()
    place, everywhere = (f" in namespace {namespace}", " -A") if wanted.resource.namespaced else ("", "")
    page = await client.list(wanted.resource.target(namespace), Selection(metadata_only=True))
    names = [str(decode(bytes(each))["metadata"]["name"]) for each in page.items]
    close = get_close_matches(wanted.name, names, 3)
    hint = f"Did you mean {', '.join(close)}?" if close else f"See which there are with: plumb get {kind}{everywhere}."
    return NotFound(f"there is no {kind} {wanted.name}{place}", hint=hint)
