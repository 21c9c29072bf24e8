"""What was read, as External reports it. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import Difference, Managed, Observed, State
from plumbline.providers.aws import models
from plumbline.providers.aws.compare import same
from plumbline.providers.aws.engine.scene import UNFINISHED_TAG, default_tags, tag_map
from plumbline.providers.aws.fields import Field, Known
from plumbline.providers.aws.names import camel
from plumbline.providers.aws.shapes import from_answer, text
from plumbline.providers.aws.table import Table

UNFINISHED: Final = Difference("creation", "finished", "begun")
"""It exists, and what else belongs to its creation may not have been done."""


def observation(known: Known, managed: Managed, found: JsonObject, name: str) -> Observed:
    """Everything but what needs secrets: those are added where they are read."""
    table = known.table
    values = field_values(known, found)
    state, message = state_of(table, found)
    changing = changing_of(table, found)
    settled = state in {"Available", "Unavailable"}
    tags = _tags(table, found)
    unfinished = (UNFINISHED,) if tags.pop(UNFINISHED_TAG, None) else ()
    differing = (*unfinished, *_differences(known, managed, values), *_tag_differences(table, managed, tags))
    return Observed(
        exists=True,
        external_name=name,
        at_provider=_at_provider(table, managed, found, {**values, **_reported_tags(table, managed, tags)}, name),
        differences=differing if settled else (),
        late={
            field: values[field] for field in table.late.split() if values.get(field) and field not in managed.wanted
        },
        connection=connection(table.connection, found),
        state=state,
        changing=changing,
        message=message,
        holds=holds(table, found),
        protected=next((why for at, why in table.protected.items() if models.pick(at, found)), ""),
        after_s=None if settled and not changing else table.wait_s,
    )


def field_values(known: Known, found: JsonObject) -> JsonObject:
    names = known.table.names
    values: JsonObject = {}
    for field in known.fields.values():
        if not field.read:
            continue
        codec = known.table.codecs.get(field.name)
        value = codec.found(found) if codec else _value(known.table, field, models.pick(field.found, found), names)
        if value is not None:
            values[field.name] = value
    return values


def _value(table: Table, field: Field, value: Json, names: Mapping[str, str]) -> Json:
    if table.same.get(field.name) == "document" and isinstance(value, dict | list):
        return encode_sorted(value).decode()  # botocore reads policies of some services; the field is text all the same
    if field.shape is not None or not isinstance(value, str):
        return from_answer(value, field.shape, names, field.name)
    if field.name in table.switches.split():
        return value.lower() == "true"
    if field.name in table.numbers.split() and value.lstrip("-").isdigit():
        return int(value)
    return value


def _differences(known: Known, managed: Managed, values: JsonObject) -> tuple[Difference, ...]:
    table, result = known.table, []
    for name, wanted in managed.wanted.items():
        field = known.fields.get(name)
        if field is None or not field.read or wanted is None:
            continue
        found = values.get(name)
        if not same(wanted, found, table.same.get(name)) and not _grown(table, managed, name, found):
            result.append(Difference(name, wanted, found, field.fixed))
    return tuple(result)


def _grown(table: Table, managed: Managed, name: str, found: Json) -> bool:
    return bool(managed.wanted.get(table.grows.get(name, "")) and found and float(found) > float(managed.wanted[name]))


def _tags(table: Table, found: JsonObject) -> dict[str, str]:
    return {} if table.tags is None else tag_map(models.pick(table.tags.found, found), table.tags.form)


def wanted_tags(managed: Managed) -> dict[str, str]:
    said = managed.at_creation.get("tags") or {}
    return {**{str(key): text(value) for key, value in said.items()}, **default_tags(managed)}


def _tag_differences(table: Table, managed: Managed, tags: dict[str, str]) -> tuple[Difference, ...]:
    wanted = wanted_tags(managed)
    return () if table.tags is None or tags == wanted else (Difference("tags", wanted, tags),)


def _reported_tags(table: Table, managed: Managed, tags: dict[str, str]) -> JsonObject:
    if table.tags is None:
        return {}
    ours = default_tags(managed)
    return {"tags": {key: value for key, value in tags.items() if key not in ours}, "tagsAll": tags}


def _at_provider(table: Table, managed: Managed, found: JsonObject, values: JsonObject, name: str) -> JsonObject:
    result = dict(values)
    if table.regional:
        result["region"] = managed.at_creation.get("region")
    if table.arn or table.arn_form:
        result["arn"] = found["_"]["arn"] or None
    result["id"] = name
    if table.key.field:
        result.setdefault(table.key.field, managed.at_creation.get(table.key.field))
    result |= {field: plain(models.pick(at, found)) for field, at in table.extra.items()}
    return {field: value for field, value in result.items() if value is not None}


def plain(value: Json) -> Json:
    """An answer's value as JSON, with names as manifests spell them."""
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, dict):
        return {camel(key): plain(item) for key, item in value.items() if item is not None}
    return [plain(item) for item in value] if isinstance(value, list) else value


def changing_of(table: Table, found: JsonObject) -> bool:
    states = table.states
    return states is not None and str(models.pick(states.at, found)) in states.changing.split()


def state_of(table: Table, found: JsonObject) -> tuple[State, str]:
    if table.states is None:
        return "Available", ""
    status = models.pick(table.states.at, found)
    if status is None:
        return "Available", ""
    state = table.states.of(str(status))
    why = models.pick(table.states.why, found) if table.states.why else None
    member = table.states.at.rpartition(".")[2]
    return state, "" if state == "Available" else f"{member} is {status}" + (f": {why}" if why else "")


def connection(keys: Mapping[str, str], found: JsonObject) -> dict[str, Plaintext]:
    values = {key: models.pick(at, found) for key, at in keys.items()}
    return {key: Plaintext(text(value)) for key, value in values.items() if value is not None and value != ""}


def holds(table: Table, found: JsonObject) -> str:
    if table.empty and models.pick(table.empty, found):
        return ""
    more = models.pick(table.size, found) if table.size else None
    return f"{table.holds}, {more}" if table.holds and more else table.holds
