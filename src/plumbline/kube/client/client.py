"""The verbs of a Kubernetes API. Objects go in and come out as bytes; what nobody looks at is never decoded."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import msgspec

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.kube.client import impersonation, listing, watching
from plumbline.kube.client.bodies import Page, head, page
from plumbline.kube.client.calls import Caller, OnWarning
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.discovery import Discovery
from plumbline.kube.client.following import Followed, Follower
from plumbline.kube.client.parts import Impersonation
from plumbline.kube.client.retries import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH
from plumbline.kube.client.sources import credentials_of
from plumbline.kube.client.targets import JSON, METADATA, TABLE, Selection, Target, Writing, encode_query, write_query
from plumbline.kube.client.transport import Guard, Headers, Request, Response, Transport
from plumbline.kube.client.watching import WatchEvent

ALL = Selection()
PLAIN = Writing()
_PATCHES = {"apply": APPLY_PATCH, "json": JSON_PATCH, "merge": MERGE_PATCH, "strategic": STRATEGIC_PATCH}
_READ = (("Accept", JSON),)
_READ_METADATA = (("Accept", METADATA),)
_READ_TABLE = (("Accept", TABLE),)
_WRITE: Mapping[str, Headers] = {
    kind: (("Accept", JSON), ("Content-Type", kind)) for kind in (JSON, *_PATCHES.values())
}
_LOG_STREAM_S = 24 * 3600.0


class Client:
    """One server as one identity. Copies made by `impersonating` and `within` are cheap and share the connections."""

    def __init__(
        self,
        transport: Transport,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        impersonate: Impersonation | None = None,
        on_warning: OnWarning | None = None,
    ) -> None:
        """*on_warning* gets the text of every warning that the server attaches to an answer."""
        headers = impersonation.headers(impersonate)
        self._caller = Caller(transport, clock or SystemClock(), ids or Ids(), headers=headers, on_warning=on_warning)
        self.discovery = Discovery(self._caller)

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        connection: Connection,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        on_warning: OnWarning | None = None,
        in_flight: int = 64,
    ) -> AsyncGenerator["Client", None]:
        """A client for *connection*, with at most *in_flight* requests under way besides its watches."""
        from plumbline.kube.client.http import HttpTransport  # noqa: PLC0415 - loaded when it is needed

        clock = clock or SystemClock()
        transport = HttpTransport(connection, credentials_of(connection, clock), in_flight=in_flight)
        try:
            yield cls(transport, clock=clock, ids=ids, impersonate=connection.impersonate, on_warning=on_warning)
        finally:
            await transport.close()

    def impersonating(
        self,
        user: str,
        *,
        groups: tuple[str, ...] = (),
        uid: str = "",
        extra: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Client":
        """The same server, asked as somebody else: needs the permission to impersonate them."""
        who = Impersonation(user, groups, uid, extra or {})
        return self._with(self._caller.changed(headers=impersonation.headers(who)))

    def within(self, deadline_s: float) -> "Client":
        """The same, where every call has *deadline_s* in all, repetitions included."""
        return self._with(self._caller.changed(deadline_s=deadline_s))

    def guarded(self, guard: Guard) -> "Client":
        """The same, where *guard* is asked last thing before a write leaves, and keeps it from leaving by raising."""
        return self._with(self._caller.changed(guard=guard))

    def _with(self, caller: Caller) -> "Client":
        made = object.__new__(Client)
        made._caller = caller
        made.discovery = self.discovery
        return made

    async def get(self, target: Target, *, resource_version: str = "", metadata_only: bool = False) -> bytes:
        """One object; with a *resource_version*, perhaps from the server's cache but not older than that."""
        query = encode_query({"resourceVersion": resource_version})
        headers = _READ_METADATA if metadata_only else _READ
        return await self._object(Request("GET", target.path, query, headers))

    async def list(self, target: Target, selection: Selection = ALL) -> Page:
        """The whole collection as one snapshot, however many pages it takes."""
        return await listing.everything(self._caller, target, selection)

    def pages(self, target: Target, selection: Selection = ALL) -> AsyncGenerator[Page, None]:
        """The collection page by page, holding no more than one."""
        return listing.pages(self._caller, target, selection)

    async def table(self, target: Target, selection: Selection = ALL, *, include: str = "None") -> bytes:
        """A page of the collection as the server would print it; *include* is None, Metadata or Object per row."""
        asked = listing.list_request(target, selection)
        query = f"{asked.query}&includeObject={include}"
        return await self._object(msgspec.structs.replace(asked, query=query, headers=_READ_TABLE))

    def watch(
        self, target: Target, selection: Selection = ALL, *, initial: bool = False
    ) -> AsyncGenerator[WatchEvent, None]:
        """Events after `selection.resource_version` over one connection, until the server ends it.

        *initial* asks for the present state first; servers that cannot do that raise InvalidInput.
        """
        return watching.watch(self._caller, watching.watch_request(target, selection, initial=initial))

    def follow(self, target: Target, selection: Selection = ALL) -> AsyncGenerator[Followed, None]:
        """State and changes for ever; `following` says what comes when. Close it (`aclosing`) when done."""
        return Follower(self._caller, target, selection).run()

    async def create(self, target: Target, body: bytes, writing: Writing = PLAIN) -> bytes:
        """Add an object to the collection, or post to a subresource (eviction, token, binding)."""
        return await self._object(Request("POST", target.path, write_query(writing), _WRITE[JSON], body))

    async def update(self, target: Target, body: bytes, writing: Writing = PLAIN) -> bytes:
        """Replace the object. Conflict where *body* has a resourceVersion that is no longer the latest."""
        return await self._object(Request("PUT", target.path, write_query(writing), _WRITE[JSON], body))

    async def patch(self, target: Target, body: bytes, kind: str, writing: Writing = PLAIN) -> bytes:
        """Change the object by a *kind* of patch: apply, json, merge or strategic."""
        form = _PATCHES[kind]
        query = write_query(writing, apply=form is APPLY_PATCH)
        return await self._object(Request("PATCH", target.path, query, _WRITE[form], body))

    async def apply(self, target: Target, body: bytes, writing: Writing) -> bytes:
        """Make the fields in *body* so, as `writing.field_manager`. Raises FieldConflict with who holds what instead."""
        query = write_query(writing, apply=True)
        return await self._object(Request("PATCH", target.path, query, _WRITE[APPLY_PATCH], body))

    async def delete(
        self,
        target: Target,
        *,
        uid: str = "",
        resource_version: str = "",
        propagation: str = "Background",
        grace_period_s: int | None = None,
        dry_run: bool = False,
    ) -> bytes:
        """Ask for deletion; Conflict where the object is not the one that *uid* and *resource_version* mean.

        What comes back is the object where it lingers for its finalizers, else a Status.
        """
        pins = {key: value for key, value in (("uid", uid), ("resourceVersion", resource_version)) if value}
        options = _delete_options(propagation, dry_run=dry_run)
        if grace_period_s is not None:
            options["gracePeriodSeconds"] = grace_period_s
        body = encode(options | {"preconditions": pins} if pins else options)
        return await self._object(Request("DELETE", target.path, "", _WRITE[JSON], body))

    async def delete_collection(
        self, target: Target, selection: Selection, *, propagation: str = "Background", dry_run: bool = False
    ) -> Page:
        """Ask for deletion of all that *selection* selects, and return them."""
        query = encode_query(selection.query)
        asked = listing.list_request(target, selection)
        body = encode(_delete_options(propagation, dry_run=dry_run))
        request = msgspec.structs.replace(asked, method="DELETE", query=query, headers=_WRITE[JSON], body=body)
        response = await self._caller.call(request)
        return page(response.body, f"DELETE {request.path}")

    async def logs(
        self, pod: Target, parameters: Mapping[str, str] | None = None, *, lifetime_s: float = _LOG_STREAM_S
    ) -> AsyncGenerator[bytes, None]:
        """What containers printed, in pieces; *parameters* as PodLogOptions has them (container, follow, tailLines)."""
        target = pod._replace(subresource="log")
        query = encode_query(dict(parameters or {}))
        # Whatever the logs are, they are text: asking for JSON would be refused where the server is strict.
        request = Request("GET", target.path, query, (("Accept", "*/*"),), stream_s=lifetime_s)
        answer = await self._caller.call(request)
        stream = answer.stream
        if stream is None:  # a server in the same process, which had all of it at hand
            if answer.body:
                yield answer.body
            return
        try:
            async for piece in stream:
                yield piece
        finally:
            await stream.close()

    async def send(self, request: Request) -> Response:
        """Anything else, with the same care about repetition, errors and deadlines."""
        return await self._caller.call(request)

    async def _object(self, request: Request) -> bytes:
        body = (await self._caller.call(request)).body
        head(body, f"{request.method} {request.path}")
        return body


def _delete_options(propagation: str, *, dry_run: bool) -> dict[str, object]:
    """All options together: a server that gets a body ignores the query, and with it a `dryRun` that stood there."""
    options: dict[str, object] = {"kind": "DeleteOptions", "apiVersion": "v1"}
    if propagation:
        options["propagationPolicy"] = propagation
    if dry_run:
        options["dryRun"] = ["All"]
    return options
