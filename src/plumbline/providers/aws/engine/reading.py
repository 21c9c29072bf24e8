"""What AWS has of one resource, in as few calls as it takes."""

import re

from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject
from plumbline.providers.aws import faults, models
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Read


async def names_of(scene: Scene) -> list[str]:
    """External names that it may have: recorded, known beforehand, or found by key, tags or fields."""
    return [await _translated(scene)] if scene.name else await found_names(scene)


async def found_names(scene: Scene) -> list[str]:
    table = scene.table
    if table.find is None:
        return [scene.key] if scene.key else []
    found = await ask(scene, table.find)
    names = [str(name).removeprefix(table.prefix) for name in (found if isinstance(found, list) else [found]) if name]
    if not names and table.search is not None and scene.pending:
        return await table.search(scene)
    return names


async def _translated(scene: Scene) -> str:
    foreign = scene.table.foreign
    if foreign is None or not re.fullmatch(foreign[0], scene.name):
        return scene.name
    said = scene.wanted.get(scene.table.key.field)
    return str(said or await ask(scene, foreign[1]) or "")


async def read(scene: Scene) -> JsonObject | None:
    """What the reads of the table find; None where there is no such resource."""
    table, wanted = scene.table, scene.managed.wanted
    first, *others = table.reads
    found = await ask(scene, first)
    if found is None:
        return None
    scene.found = {first.into: found} if first.into else found
    for other in others:
        if (other.deleting and not scene.deleting) or (
            other.when and not any(name in wanted for name in other.when.split())
        ):
            continue
        await _add(scene, other)
    if table.tags is not None and table.tags.read is not None:
        await _add(scene, table.tags.read)
    seen = scene.found if table.seen is None else table.seen(scene.found, scene)
    if seen is None or _gone(scene, seen):
        return None
    scene.found = seen
    scene.found = {**seen, "_": {"name": scene.name, "arn": await scene.arn(), "region": scene.account.region}}
    return scene.found


def _gone(scene: Scene, found: JsonObject) -> bool:
    states, gone = scene.table.states, scene.table.gone
    if states is not None and states.absent and str(models.pick(states.at, found)) in states.absent.split():
        return True
    return scene.deleting and gone is not None and gone(found)


async def _add(scene: Scene, question: Read) -> None:
    found = await ask(scene, question)
    if found is None:
        return
    scene.found = {**scene.found, question.into: found} if question.into else {**scene.found, **found}


async def ask(scene: Scene, question: Read) -> Json:
    """The answer at the place that *question* names; None where there is nothing."""
    params = await scene.params(question.params)
    service = question.service or scene.table.service
    try:
        if question.match:
            answer = await scene.account.pages(service, question.operation, params)
        else:
            answer = await scene.account.call(service, question.operation, params)
    except PlumblineError as error:
        code = faults.code_of(error)
        if code in question.none.split():
            return {}
        if faults.absent(code):
            return None
        raise
    found = models.pick(question.at, answer)
    if not question.match:
        return found
    match = await scene.params(question.match)
    met = (item for item in found or [] if all(models.pick(at, item) == value for at, value in match.items()))
    return next((models.pick(question.pick, item) for item in met), None)
