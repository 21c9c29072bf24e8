"""Collections, page by page or at once, as bytes per object."""

from collections.abc import AsyncGenerator

import msgspec

from plumbline.base.errors import Expired
from plumbline.kube.client.bodies import Page, page
from plumbline.kube.client.calls import Caller
from plumbline.kube.client.targets import JSON, METADATA_LIST, Selection, Target, encode_query
from plumbline.kube.client.transport import Request

DEADLINE_S = 60.0
LIST_BYTES = 512 << 20
"""A whole collection in one answer: 100,000 objects of 5 kB."""

_OBJECTS = (("Accept", JSON),)
_METADATA = (("Accept", METADATA_LIST),)


async def pages(caller: Caller, target: Target, selection: Selection) -> AsyncGenerator[Page, None]:
    """One page after the other.

    All belong to one snapshot unless the server forgot it while they were read (it keeps about five minutes): then it
    goes on with newer objects after the last one read, and says so in `consistent`.
    """
    token, consistent = "", True
    while True:
        try:
            got = await fetch(caller, target, selection, token)
        except Expired as gone:
            if not (token and gone.continue_token):
                raise
            token, consistent = gone.continue_token, False
            continue
        yield got if consistent else msgspec.structs.replace(got, consistent=False)
        token = got.continue_token
        if not token:
            return


async def everything(caller: Caller, target: Target, selection: Selection) -> Page:
    """The whole collection in one snapshot: where the server forgets it half way, it is read again in one go."""
    items: list[bytes] = []
    token = ""
    while True:
        try:
            got = await fetch(caller, target, selection, token)
        except Expired:
            if not token:
                raise
            return await fetch(caller, target, msgspec.structs.replace(selection, limit=0), "")
        items += got.items
        token = got.continue_token
        if not token:
            return Page(items, got.resource_version)


async def fetch(caller: Caller, target: Target, selection: Selection, token: str) -> Page:
    request = list_request(target, selection, token)
    response = await caller.call(request)
    return page(response.body, f"GET {request.path}")


def list_request(target: Target, selection: Selection, token: str = "") -> Request:
    query = selection.query
    if selection.limit:
        query["limit"] = str(selection.limit)
    if token:
        query["continue"] = token
    elif selection.resource_version:
        query["resourceVersion"] = selection.resource_version
        if selection.resource_version != "0":
            query["resourceVersionMatch"] = "Exact" if selection.exact else "NotOlderThan"
    headers = _METADATA if selection.metadata_only else _OBJECTS
    return Request(
        "GET",
        target.collection.path,
        encode_query(query),
        headers,
        deadline_s=DEADLINE_S,
        reply_limit_bytes=LIST_BYTES,
    )
