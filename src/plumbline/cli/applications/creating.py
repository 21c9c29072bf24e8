"""Applications from flags and files, made or brought to what they say."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from plumbline.base.errors import AlreadyExists, InvalidInput
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.applications.editing.fields import labels
from plumbline.cli.applications.editing.specs import edited
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import AS_PERSON, UNCHECKED, Applications
from plumbline.cli.applications.validating import refuse_invalid
from plumbline.cli.inputs import Given, objects_in
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Writing

_SAID: Final = frozenset({"name", "namespace", "labels", "annotations", "finalizers"})
"""What people say about an object. The rest is the server's: files often come from `kubectl get`."""


class Meta(NamedTuple):
    """What is said about the object itself."""

    labels: Sequence[str] = ()
    annotations: Sequence[str] = ()
    finalizer: str = ""


def from_flags(name: str, given: Mapping[str, Any], meta: Meta) -> JsonObject:
    namespace, _, bare = name.rpartition("/")
    metadata = {"name": bare} | ({"namespace": namespace} if namespace else {})
    return _finished({**_head(), "metadata": metadata, "spec": edited({}, given)}, meta)


def _head() -> JsonObject:
    return {"apiVersion": APPLICATION.gvk.api_version, "kind": APPLICATION.kind}


class Called(NamedTuple):
    """How an application in a file is called by who makes it, where anybody says so."""

    expected: str = ""
    """The name that the file must have, too."""
    instead: str = ""
    """The name that counts, whatever the file has."""


def from_file(path: Path, called: Called, given: Mapping[str, Any], meta: Meta) -> list[JsonObject]:
    """All Applications in a file, with what the flags say in each that has one source."""
    found: list[JsonObject] = []
    for each in objects_in((path,), named=False, supposed=APPLICATION.gvk):
        if each.obj.get("kind") != APPLICATION.kind:
            raise InvalidInput(
                f"{each.source}, line {each.line}, holds no Application", why=f"it is a {each.obj.get('kind')}"
            )
        spec = each.obj.get("spec") or {}
        changed = spec if spec.get("sources") else edited(spec, given)
        found.append(_finished({**_head(), "metadata": _named(each, called), "spec": changed}, meta))
    return found


def _named(given: Given, called: Called) -> JsonObject:
    """The metadata that people say, with the name that counts."""
    metadata = given.obj.get("metadata")
    said = {part: value for part, value in metadata.items() if part in _SAID} if isinstance(metadata, dict) else {}
    name = said.get("name") or ""
    if called.expected and called.expected != name:
        why = f"its name is {name}" if name else "it has no name"
        raise InvalidInput(f"{given.source} holds no application {called.expected}", why=why)
    if not (name or called.instead):
        raise InvalidInput(
            f"{given.source}, line {given.line}, holds no named object",
            why="this Application has no metadata.name",
            hint="Give it one, or name it with --name.",
        )
    return {**said, "name": called.instead or name}


def _finished(app: JsonObject, meta: Meta) -> JsonObject:
    metadata = dict(app["metadata"])
    if meta.labels:
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels(meta.labels)}
    if meta.annotations:
        said = {key: value for key, _, value in (each.partition("=") for each in meta.annotations)}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **said}
    if meta.finalizer:
        kept = [each for each in metadata.get("finalizers") or [] if each != meta.finalizer]
        metadata["finalizers"] = [*kept, meta.finalizer]
    spec = app.get("spec") or {}
    project = {"project": spec.get("project") or "default"}
    return {**app, "metadata": metadata, "spec": {"destination": {}, **spec, **project}}


async def created(apps: Applications, app: JsonObject, *, upsert: bool, validate: bool) -> tuple[AppName, str]:
    """What became of it: created, unchanged or updated. Raises AlreadyExists where it is another and may not change."""
    name = apps.named(str(app["metadata"]["name"]), str(app["metadata"].get("namespace") or ""))
    wanted = {**app, "metadata": {**app["metadata"], "namespace": name.namespace}}
    await refuse_invalid(apps, wanted, rules=validate)
    writing = AS_PERSON if validate else UNCHECKED
    try:
        await apps.client.create(name.target.collection, encode(wanted), writing)
    except AlreadyExists:
        return name, await _brought(apps, name, wanted, upsert=upsert, writing=writing)
    return name, "created"


async def _brought(apps: Applications, name: AppName, wanted: JsonObject, *, upsert: bool, writing: Writing) -> str:
    live = await apps.get(name)
    parts = ("labels", "annotations", "finalizers")
    same = live.get("spec") == wanted["spec"] and all(
        (live["metadata"].get(part) or None) == (wanted["metadata"].get(part) or None) for part in parts
    )
    if same:
        return "unchanged"
    if not upsert:
        raise AlreadyExists(
            f"there is an application {name} already",
            why="existing application spec is different, use upsert flag to force update",
            hint="Use --upsert to change it.",
        )
    metadata = {**live["metadata"]}
    for part in ("labels", "annotations"):
        metadata[part] = {**(metadata.get(part) or {}), **(wanted["metadata"].get(part) or {})}
    if wanted["metadata"].get("finalizers"):
        metadata["finalizers"] = wanted["metadata"]["finalizers"]
    body = {**live, "metadata": metadata, "spec": wanted["spec"]}
    updated = decode(await apps.client.update(name.target, encode(body), writing))
    unchanged = updated["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"]
    return "unchanged" if unchanged else "updated"
