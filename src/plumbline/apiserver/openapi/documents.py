"""Everything under `/openapi`, for one set of resources."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from email.utils import format_datetime
from functools import cached_property, partial
from typing import Final

from plumbline.apiserver.discovery.accept import clauses_of
from plumbline.apiserver.discovery.reply import (
    EMPTY,
    JSON,
    NOT_ACCEPTABLE,
    DiscoveryReply,
    Headers,
    not_modified,
)
from plumbline.apiserver.openapi.pages import Page
from plumbline.apiserver.openapi.published import Published
from plumbline.apiserver.openapi.roots import root_operations
from plumbline.apiserver.openapi.v2 import swagger_document
from plumbline.apiserver.openapi.v3 import root_document, version_document
from plumbline.base.clock import Clock
from plumbline.base.json import decode, encode
from plumbline.kube.names import GroupVersion

V2: Final = "/openapi/v2"
V3: Final = "/openapi/v3"
_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_ALSO_CALLED: Final = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
_SWAGGER: Final = "swagger"
_SWAGGER_PROTOBUF: Final = "swagger-protobuf"
_UNLISTED: Final = frozenset({_SWAGGER, _SWAGGER_PROTOBUF})
"""Pages that have their own URL."""

_YEAR: Final = timedelta(days=365)


class Documents:
    """*previous* lends the documents of group-versions in which nothing changed."""

    def __init__(self, published: Iterable[Published], *, clock: Clock, previous: "Documents | None" = None) -> None:
        self._clock = clock
        source = tuple(published)
        known: Mapping[str, Page] = previous.pages if previous else {}
        self.pages: Mapping[str, Page] = {path: _kept(known.get(path), page) for path, page in _pages(source).items()}

    def answer(
        self, path: str, *, wanted_hash: str = "", accept: str = "", if_none_match: str = ""
    ) -> DiscoveryReply | None:
        """None means that *path* is none of ours. *wanted_hash* is the query parameter `hash`."""
        if path == V3:
            headers = (("ETag", self._index.etag),)
            if _matches(if_none_match, self._index.etag):
                return not_modified(headers)
            return DiscoveryReply(200, self._index.content, headers=headers)
        if path == V2:
            return self._answer_v2(accept, if_none_match)
        if path.startswith(f"{V3}/"):
            return self._answer_v3(path.removeprefix(f"{V3}/"), wanted_hash, accept, if_none_match)
        return None

    def _answer_v3(self, path: str, wanted_hash: str, accept: str, if_none_match: str) -> DiscoveryReply:
        varied = ("Vary", "Accept")
        page = self.pages.get(path)
        if page is None or path in _UNLISTED:
            return DiscoveryReply(404, EMPTY, content_type="")
        if not any(clause.takes(JSON) for clause in clauses_of(accept)):
            return DiscoveryReply(NOT_ACCEPTABLE, EMPTY, content_type="", headers=(varied,))
        headers: Headers = (varied, ("ETag", page.etag))
        if wanted_hash and wanted_hash != page.digest:
            return DiscoveryReply(301, EMPTY, headers=(*headers, ("Location", _located(path, page))))
        if wanted_hash:
            headers = (*headers, ("Cache-Control", "public, immutable"), ("Expires", self._in_a_year()))
        if _matches(if_none_match, page.etag):
            return not_modified(headers)
        return DiscoveryReply(200, page.content, headers=headers)

    def _answer_v2(self, accept: str, if_none_match: str) -> DiscoveryReply:
        headers: Headers = (("Vary", "Accept"),)
        for clause in clauses_of(accept):
            plain = clause.takes(JSON)
            if not plain and not clause.takes(_PROTOBUF) and not clause.takes(_ALSO_CALLED):
                continue
            etag = self.pages[_SWAGGER].etag
            headers = (*headers, ("ETag", etag))
            if _matches(if_none_match, etag):
                return not_modified(headers)
            content = self.pages[_SWAGGER if plain else _SWAGGER_PROTOBUF].content
            return DiscoveryReply(200, content, content_type=JSON if plain else _PROTOBUF, headers=headers)
        return DiscoveryReply(NOT_ACCEPTABLE, EMPTY, content_type="", headers=headers)

    @cached_property
    def _index(self) -> Page:
        listed = sorted(self.pages.keys() - _UNLISTED)
        paths = {path: {"serverRelativeURL": _located(path, self.pages[path])} for path in listed}
        encoded = encode({"paths": paths})
        return Page(None, lambda: encoded)

    def _in_a_year(self) -> str:
        return format_datetime(self._clock.now() + _YEAR, usegmt=True)


def _pages(published: tuple[Published, ...]) -> dict[str, Page]:
    versions: dict[GroupVersion, list[Published]] = {}
    for each in published:
        versions.setdefault(GroupVersion(*each.resource.kind[:2]), []).append(each)
    pages = {_path(name): _version_page(name, tuple(found)) for name, found in versions.items()}
    groups = dict.fromkeys(each.resource.kind.group for each in published if not each.resource.custom)
    for path, operation in root_operations(group for group in groups if group):
        pages[path] = Page(operation, partial(root_document, operation))
    swagger = Page(published, partial(swagger_document, published))
    return {**pages, _SWAGGER: swagger, _SWAGGER_PROTOBUF: Page(published, partial(_protobuf, swagger))}


def _protobuf(swagger: Page) -> bytes:
    from plumbline.apiserver.protobuf import openapi_v2  # noqa: PLC0415 - few clients ask for this form

    return openapi_v2(decode(swagger.content.plain))


def _version_page(name: GroupVersion, published: tuple[Published, ...]) -> Page:
    return Page(published, partial(version_document, name, published))


def _path(version: GroupVersion) -> str:
    return f"apis/{version}" if version.group else f"api/{version}"


def _kept(known: Page | None, page: Page) -> Page:
    return known if known and known.source == page.source else page


def _located(path: str, page: Page) -> str:
    return f"{V3}/{path}?hash={page.digest}"


def _matches(if_none_match: str, etag: str) -> bool:
    return any(each.strip().removeprefix("W/") in {etag, "*"} for each in if_none_match.split(","))
