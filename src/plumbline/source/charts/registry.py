"""Reading from an OCI registry: tags, manifests and blobs of one repository there, each checked against its digest."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, NotFound, Unauthenticated
from plumbline.base.json import decode
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.source.charts.digests import digest_of, is_digest
from plumbline.source.charts.identity import Pass, challenged, presented
from plumbline.source.charts.tar import PACKED_BYTES
from plumbline.source.charts.values import HELM_CONFIG, HELM_LAYER
from plumbline.source.charts.wire import Ask, Line, Reply, origin
from plumbline.source.repository import Credentials
from plumbline.source.urls import redacted, registry, without_credentials

MANIFEST_BYTES: Final = 4 * MIB
LAYERS: Final = 10
TAGS: Final = 50_000

_SCHEME: Final = re.compile(r"(?i)https?://")
_PAGE: Final = 1000
_PAGES: Final = 200
_NAME: Final = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
_LONGEST_NAME: Final = 255
_TAG: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_NEXT: Final = re.compile(r'<([^>]+)>\s*;[^,]*\brel="?next"?')
_MANIFEST_TYPES: Final = (
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json, "
    "application/vnd.oci.image.index.v1+json"
)
_ARCHIVES: Final = ("tar+gzip", "tar.gzip", "tar")
_ALIASES: Final = {"docker.io": "registry-1.docker.io", "index.docker.io": "registry-1.docker.io"}
_UNAUTHORIZED: Final = 401
_MISSING: Final = 404
_PASSES: Final = 16


class Descriptor(msgspec.Struct, frozen=True, rename="camel"):
    media_type: str = ""
    digest: str = ""
    size: int = -1


class Manifest(msgspec.Struct, frozen=True):
    config: Descriptor = Descriptor()
    layers: tuple[Descriptor, ...] = ()

    @property
    def helm(self) -> bool:
        return self.config.media_type == HELM_CONFIG


def server(url: str, *, plain_http: bool) -> str:
    """Where the registry of an address is, without what is named in it. Raises InvalidInput."""
    parts = urlsplit(without_credentials(registry(_SCHEME.sub("", url))).url)
    host = _ALIASES.get((parts.hostname or "").lower(), parts.netloc)
    return f"{'http' if plain_http else 'https'}://{host}"


class Registry:
    """One repository of a registry. *url* names it whole; InvalidInput where it cannot."""

    def __init__(self, url: str, clock: Clock, *, plain_http: bool = False) -> None:
        self.url = registry(_SCHEME.sub("", url))
        self.name = urlsplit(without_credentials(self.url).url).path.strip("/")
        if not _NAME.fullmatch(self.name) or len(self.name) > _LONGEST_NAME:
            raise InvalidInput(
                f"Cannot read {redacted(self.url)}",
                why=f"{self.name[:_LONGEST_NAME]!r} is not the name of a repository in a registry",
                hint="Such names are in lower case, without dots or dashes at the ends of their parts.",
            )
        self.base = f"{server(url, plain_http=plain_http)}/v2/{self.name}"
        self._clock = clock
        self._passes: list[tuple[Credentials, Pass, float]] = []

    async def tags(self, line: Line) -> tuple[str, ...]:
        """All of them. NotFound where there is no such repository."""
        url = f"{self.base}/tags/list?n={_PAGE}"
        found: list[str] = []
        for _ in range(_PAGES):
            reply = await self._asked(line, Ask(url, MANIFEST_BYTES))
            found += self._listed(line, reply.body)
            if len(found) > TAGS:
                break
            following = _NEXT.search(reply.headers.get("link", ""))
            if following is None:
                return tuple(found)
            url = urljoin(url, following[1])
            if origin(url) != origin(self.base):
                raise GarbledReply(line.what, why="its list of tags goes on at another host")
        raise LimitExceeded(line.what, why=f"it has more than {TAGS:,} tags")

    async def head(self, line: Line, reference: str) -> str | None:
        """The digest of what a tag names now; empty where the registry does not tell, None where there is no such tag."""
        ask = self._manifest(reference)._replace(method="HEAD")
        reply = await self._asked(line, ask)
        if reply.status == _MISSING:
            return None
        digest = reply.headers.get("docker-content-digest", "")
        return digest if is_digest(digest) else ""

    async def manifest(self, line: Line, reference: str) -> tuple[str, bytes] | None:
        """What a tag or digest names: its digest, and its bytes, which have that digest."""
        reply = await self._asked(line, self._manifest(reference))
        if reply.status == _MISSING:
            return None
        named = reference if is_digest(reference) else reply.headers.get("docker-content-digest", "")
        digest = digest_of(reply.body, named if is_digest(named) else "sha256:")
        if is_digest(named) and named != digest:
            raise GarbledReply(line.what, why=f"the manifest that it gives is not {named}")
        return digest, reply.body

    async def blob(self, line: Line, layer: Descriptor) -> bytes:
        """The bytes of a layer, which have its size and its digest."""
        if not is_digest(layer.digest) or not 0 <= layer.size <= PACKED_BYTES:
            raise LimitExceeded(line.what, why=f"its layer claims to have {layer.size:,} bytes, or has no digest")
        reply = await self._asked(line, Ask(f"{self.base}/blobs/{layer.digest}", layer.size))
        if reply.status == _MISSING:
            raise NotFound(line.what, why="the registry does not have its content")
        if len(reply.body) != layer.size or digest_of(reply.body, layer.digest) != layer.digest:
            raise GarbledReply(line.what, why=f"the content that it gives is not {layer.digest}")
        return reply.body

    def _manifest(self, reference: str) -> Ask:
        return Ask(f"{self.base}/manifests/{reference}", MANIFEST_BYTES, headers={"Accept": _MANIFEST_TYPES})

    async def _asked(self, line: Line, ask: Ask) -> Reply:
        """Ask as the one that the registry accepted last; on its challenge once more."""
        credentials = line.repository.credentials
        missing = frozenset() if ask.url.startswith(f"{self.base}/tags/") else frozenset({_MISSING})
        ask = ask._replace(fine=frozenset({200, _UNAUTHORIZED}) | missing, authorization=self._held(credentials))
        reply = await line.ask(ask)
        if reply.status != _UNAUTHORIZED:
            return reply
        self._passes = [each for each in self._passes if each[0] != credentials]
        scope = f"repository:{self.name}:pull"
        given = await challenged(line, reply.headers.get("www-authenticate", ""), scope, self.url)
        if given is not None:
            reply = await line.ask(ask._replace(authorization=given.header))
        if given is None or reply.status == _UNAUTHORIZED:
            hint = "Check the credentials in the Secret of this repository."
            raise Unauthenticated(line.what, why="the registry does not accept our credentials", hint=hint)
        until_s = self._clock.monotonic() + given.life_s
        self._passes = [*self._passes, (credentials, given, until_s)][-_PASSES:]
        return reply

    def _held(self, credentials: Credentials) -> Plaintext | None:
        now_s = self._clock.monotonic()
        self._passes = [each for each in self._passes if each[2] > now_s]
        held = next((each.header for known, each, _ in self._passes if known == credentials), None)
        return held or (presented(credentials, self.url) if credentials.bearer_token else None)

    def _listed(self, line: Line, body: bytes) -> list[str]:
        try:
            return [tag for tag in decode(body, type=_Tags).tags or () if is_tag(tag)]
        except msgspec.DecodeError as garbled:
            raise GarbledReply(line.what, why="its list of tags cannot be read") from garbled


class _Tags(msgspec.Struct):
    tags: list[str] | None = None


def is_tag(text: str) -> bool:
    return _TAG.fullmatch(text) is not None


def content_layer(body: bytes, what: str, allowed: frozenset[str]) -> tuple[Manifest, Descriptor]:
    """The one layer of a manifest that holds what it is about: signatures and provenance beside it are passed over."""
    try:
        manifest = decode(body, type=Manifest)
    except msgspec.DecodeError as garbled:
        raise InvalidInput(what, why="its manifest cannot be read") from garbled
    if len(manifest.layers) > LAYERS:
        raise LimitExceeded(what, why=f"it has more than {LAYERS} layers")
    found = [each for each in manifest.layers if _holds_content(each, helm=manifest.helm)]
    if len(found) != 1:
        hint = "Push a chart with `helm push`, or one folder of manifests as one layer."
        raise InvalidInput(what, why=f"it has {len(found)} layers with content, and one is wanted", hint=hint)
    if found[0].media_type not in allowed:
        raise InvalidInput(
            what,
            why=f"its layer is of the type {found[0].media_type[:_LONGEST_NAME]}",
            hint="Add the type to reposerver.oci.layer.media.types, or push it as another.",
        )
    return manifest, found[0]


def _holds_content(layer: Descriptor, *, helm: bool) -> bool:
    return layer.media_type == HELM_LAYER if helm else layer.media_type.endswith(_ARCHIVES)
