"""Objects and lists as the caller asked to see them."""

from collections.abc import Callable
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.requests.listing import Page
from plumbline.apiserver.requests.negotiation import Extent, negotiated, refuse_form, wants_indentation
from plumbline.apiserver.requests.views import View
from plumbline.apiserver.storage.encoding import encoded
from plumbline.apiserver.tables import (
    Include,
    partial_metadata,
    partial_metadata_list_bytes,
    row_table_bytes,
    table_bytes,
)
from plumbline.base.clock import Clock
from plumbline.base.documents import dump_yaml
from plumbline.base.json import JsonObject, decode, encode

_YAML: Final = "application/yaml"
_TABLE, _PARTIAL, _PARTIAL_LIST = "Table", "PartialObjectMetadata", "PartialObjectMetadataList"

Render = Callable[[bytes], bytes]
"""An object in the form that a client asked for."""


class Replies:
    """To one call about objects of one model. Made first: what the caller cannot be given is refused before anything."""

    def __init__(self, call: Call, model: Model, clock: Clock, extent: Extent = "object") -> None:
        self._call = call
        self._model = model
        self._clock = clock
        self._wanted = negotiated(call, model, extent)
        self._include: Include = _included(call) if self._wanted.form == _TABLE else "Metadata"

    def object(self, obj: JsonObject, status: int = 200) -> Answer:
        return self.one(encoded(obj), status)

    def one(self, body: bytes, status: int = 200) -> Answer:
        refuse_form(self._wanted, self._model, lists=False)
        return self.as_is(self._rendered(body), status)

    async def page(self, page: Page) -> Answer:
        refuse_form(self._wanted, self._model, lists=True)
        view = View(self._model)
        await view.prepare(page.entries)
        return self.as_is(self._rendered_list(page, view))

    def as_is(self, body: bytes, status: int = 200) -> Answer:
        """JSON as it stands, unless the caller reads YAML or by eye."""
        if self._wanted.yaml:
            return Answer(status, dump_yaml(decode(body)).encode(), content_type=_YAML)
        if self._wanted.indented or wants_indentation(self._call):
            return Answer(status, msgspec.json.format(body, indent=2))
        return Answer(status, body + b"\n")

    def watch_rendering(self) -> Render:
        """For one watch: its first table alone names the columns."""
        if self._wanted.form != _TABLE:
            return self._rendered
        firsts = iter((True,))
        return lambda body: self._row(body, first=next(firsts, False))

    def _rendered(self, body: bytes) -> bytes:
        form = self._wanted.form
        if not form:
            return body
        if form != _PARTIAL:
            return self._row(body)
        return partial_metadata(body, self._wanted.version, kind=self._model.resource.kind)

    def _row(self, body: bytes, *, first: bool = True) -> bytes:
        printed, now = self._model.printed, self._clock.now()
        version = self._wanted.version
        return row_table_bytes(printed, body, now=now, first=first, include=self._include, version=version)

    def _rendered_list(self, page: Page, view: View) -> bytes:
        version = self._wanted.version
        if not self._wanted.form:
            return _list_body(self._model, view, page)
        bodies = [view.whole(entry) for entry in page.entries]
        if self._wanted.form == _PARTIAL_LIST:
            kind = self._model.resource.kind
            return partial_metadata_list_bytes(bodies, page.metadata, version, kind=kind)
        return table_bytes(
            self._model.printed,
            bodies,
            list_metadata=page.metadata,
            now=self._clock.now(),
            include=self._include,
            version=version,
        )


def _list_body(model: Model, view: View, page: Page) -> bytes:
    kind = model.resource.kind
    # Lists of documents say that there is no more, where typed ones say nothing.
    metadata = {"continue": "", **page.metadata} if model.resource.custom else page.metadata
    head = encode({"kind": model.resource.list_kind, "apiVersion": kind.api_version, "metadata": metadata})
    return b'%b,"items":[%b]}' % (head[:-1], b",".join(map(view.item, page.entries)))


def _included(call: Call) -> Include:
    asked = call.parameter("includeObject")
    if asked in ("", "Metadata"):
        return "Metadata"
    if asked == "None":
        return "None"
    if asked == "Object":
        return "Object"
    wrong = invalid("includeObject", asked, "must be 'Metadata', 'Object', 'None', or empty")
    raise statuses.bad_request(f"Unable to convert to Table as requested: {wrong}")
