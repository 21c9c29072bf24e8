"""AppProjects of one installation, written: read, edited, checked, and written again if somebody else came between."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Final

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.connecting import Where
from plumbline.cli.projecting.checking import check
from plumbline.cli.projecting.values import Edit
from plumbline.delivery.asking.operations import project_of
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Client, Selection, Target, Writing

DEFAULT: Final = "default"
_AS_PERSON: Final = Writing(field_manager="plumb")
_ATTEMPTS: Final = 5


async def found(client: Client, namespace: str, name: str) -> JsonObject:
    try:
        project: JsonObject = decode(await client.get(Target(APP_PROJECT.resource, namespace, name)))
    except NotFound as gone:
        page = await client.list(Target(APP_PROJECT.resource, namespace), Selection(metadata_only=True))
        names = [str(decode(bytes(each))["metadata"]["name"]) for each in page.items]
        close = get_close_matches(name, names, 1)
        hint = f"Did you mean {close[0]}?" if close else "See which there are with: plumb proj list."
        raise NotFound(f"there is no project {name}", hint=hint) from gone
    return project


async def shown(where: Where, name: str) -> JsonObject:
    async with where.connected() as client:
        return await found(client, where.namespace, name)


async def edited(where: Where, name: str, edit: Edit) -> bool:
    """Have the spec be what *edit* makes of it; whether that was anything new. Raises InvalidInput, Conflict."""
    async with where.connected() as client:
        for _ in range(_ATTEMPTS):
            project = await found(client, where.namespace, name)
            spec = edit(project.get("spec") or {})
            if spec is None or spec == project.get("spec"):
                return False
            if await _written(client, {**project, "spec": spec}):
                return True
    raise Conflict(f"the project {name} is not changed", why="somebody else keeps writing it")


async def rewritten(where: Where, name: str, edit: Callable[[JsonObject], JsonObject]) -> None:
    """The same, for edits of more than the spec."""
    async with where.connected() as client:
        for _ in range(_ATTEMPTS):
            if await _written(client, edit(await found(client, where.namespace, name))):
                return
    raise Conflict(f"the project {name} is not changed", why="somebody else keeps writing it")


async def _written(client: Client, project: JsonObject) -> bool:
    check(project)
    metadata = project["metadata"]
    target = Target(APP_PROJECT.resource, str(metadata.get("namespace") or ""), str(metadata["name"]))
    try:
        await client.update(target, encode(project), _AS_PERSON)
    except Conflict:
        return False
    return True


async def created(where: Where, project: JsonObject, *, upsert: bool) -> None:
    """Make it. One that is there with another spec is replaced only with *upsert*."""
    check(project)
    name = str(project["metadata"]["name"])
    async with where.connected() as client:
        try:
            await client.create(Target(APP_PROJECT.resource, where.namespace), encode(project), _AS_PERSON)
        except AlreadyExists as there:
            live = await found(client, where.namespace, name)
            if live.get("spec") == project["spec"]:
                return
            if not upsert:
                raise AlreadyExists(
                    f"the project {name} is there already",
                    why="its spec is another",
                    hint="Use --upsert to replace it.",
                ) from there
            await _written(client, {**live, "spec": project["spec"]})


async def deleted(where: Where, name: str) -> None:
    """Raises InvalidInput where applications still are of it."""
    if name == DEFAULT:
        raise InvalidInput("the project default cannot be deleted", why="applications without a project are of it")
    async with where.connected() as client:
        await found(client, where.namespace, name)
        page = await client.list(Target(APPLICATION.resource, ""))
        users = [app for app in map(decode, page.items) if project_of(app) == name]
        if users:
            why = f"{len(users)} applications are of it, such as {users[0]['metadata']['name']}"
            raise InvalidInput(f"the project {name} is not deleted", why=why, hint="Delete or move them first.")
        await client.delete(Target(APP_PROJECT.resource, where.namespace, name))
