"""The requests that create or change a resource. Pure."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from plumbline.base.json import Json, JsonObject, encode
from plumbline.managed.external import Difference
from plumbline.providers.aws import models
from plumbline.providers.aws.engine.scene import tag_form
from plumbline.providers.aws.fields import Known, covers, place
from plumbline.providers.aws.names import shape_at
from plumbline.providers.aws.shapes import text, to_request
from plumbline.providers.aws.table import Call, Table, Update


class Request(msgspec.Struct, frozen=True):
    """`params` are beside those that the table gives, which may have `$` words."""

    call: Call
    params: JsonObject
    words: Mapping[str, Json] = {}


def creation(known: Known, call: Call, wanted: JsonObject, tags: Mapping[str, str]) -> Request:
    table = known.table
    request = models.request(table.service, call.operation)
    params: JsonObject = {}
    for name, value in wanted.items():
        field = known.fields.get(name)
        if field is None or value is None:
            continue
        if name in table.codecs:
            _put_all(params, table.codecs[name].request(value, wanted), request)
        elif shape := shape_at(request, field.member):
            _put(params, field.member, to_request(value, shape, table.names, name))
        elif table.within and value is not False:
            # A switch that is off is not said: attributes of FIFO queues are refused elsewhere, even as `false`.
            _put(params, f"{table.within}.{field.member}", _text(value))
    if table.tags is not None and table.tags.member in request.members:
        params[table.tags.member] = _creation_tags(table, tags)
    return Request(call, params)


def _put_all(params: JsonObject, said: JsonObject, request: models.Shape) -> None:
    for member, value in said.items():
        if shape_at(request, member) is not None:
            _put(params, member, value)


def _put(params: JsonObject, path: str, value: Json) -> None:
    *above, last = path.split(".")
    for member in above:
        params = params.setdefault(member, {})
    params[last] = [*params[last], *value] if isinstance(params.get(last), list) else value


def _creation_tags(table: Table, tags: Mapping[str, str]) -> Json:
    if table.tags is None:
        return []
    said = tag_form(tags, table.tags.form)
    return [{"ResourceType": table.tags.resource_type, "Tags": said}] if table.tags.resource_type else said


def updates(known: Known, wanted: JsonObject, differences: tuple[Difference, ...]) -> Iterator[Request]:
    """The calls that make the differences go away, in the order of the table; tags and secrets are not among them."""
    table = known.table
    left = {
        difference.path: difference
        for difference in differences
        if not difference.replaces and difference.path in known.fields
    }
    for update in table.updates:
        own = {name: left.pop(name) for name in list(left) if covers(table, update, name)}
        if own:
            yield from _update(known, update, wanted, own)


def _update(known: Known, update: Update, wanted: JsonObject, own: dict[str, Difference]) -> Iterator[Request]:
    switch = wanted.get(update.fields.split()[0]) if update.off else None
    if update.off and not switch:
        yield Request(Call(update.off, update.params), {})
        return
    call = Call(update.operation, update.params)
    if update.form == "each":
        for name, difference in own.items():
            member = update.names.get(name) or known.fields[name].member
            yield Request(call, {}, {"field": member, "value": _text(difference.wanted)})
        return
    names = (
        own
        if update.form == "changed"
        else [name for name in wanted if name in known.fields and covers(known.table, update, name)]
    )
    params = _fields(known, update, wanted, names)
    if update.build is not None:
        params |= update.build(own, wanted)
    yield Request(call, params)


def _fields(known: Known, update: Update, wanted: JsonObject, names: Iterable[str]) -> JsonObject:
    table = known.table
    request = models.request(table.service, update.operation)
    params: JsonObject = {}
    for name in names:
        value = wanted.get(name)
        if value is None or name in update.built.split():
            continue
        member = place(table, update, name)
        if name in table.codecs:
            _put_all(params, table.codecs[name].request(value, wanted), request)
        elif member:
            _put(params, member, to_request(value, shape_at(request, member), table.names, name))
        elif update.within:
            _put(params, f"{update.within}.{known.fields[name].member}", _text(value))
    return params


def _text(value: Json) -> str:
    return encode(value).decode() if isinstance(value, (dict, list)) else text(value)
