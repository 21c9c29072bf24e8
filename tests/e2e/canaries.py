"""Values that nobody can guess, every form in which they could get out, and every place that they could get to."""

import base64
import hashlib
import secrets
import sqlite3
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

from plumbline.base.json import JsonObject, encode
from plumbline.cli.running import holder

from .installation import Installation

_TELLING: Final = 12
"""So many characters of the core are no accident."""
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_GZIP: Final = b"\x1f\x8b"
_SQLITE: Final = b"SQLite format 3\0"
EXEMPT: Final = {
    "control-plane.db": "what the API server stores: Secrets are in it, as they are in an etcd",
    "control-plane.db-wal": "part of the same",
    "control-plane.db-shm": "part of the same",
    "git": "repositories that people push to, with what they have pushed",
    "mirrors": "copies of such repositories",
}
"""Of the data folder, by the beginning of the path: what holds values by its nature, and nothing else."""


class Canary:
    """*way* says how it comes into the installation. Around its core there are characters that every encoding changes."""

    def __init__(self, way: str, text: str = "") -> None:
        self.way = way
        self.core = text or secrets.token_hex(16)
        self.text = text or f'c"{self.core}/+é\\'
        self.forms: Mapping[str, bytes] = dict(_forms(self.core, self.text))

    def found_in(self, content: bytes, lowered: bytes) -> list[str]:
        return [name for name, form in self.forms.items() if form in (lowered if name in _ANY_CASE else content)]


_ANY_CASE: Final = frozenset({"hex", "md5", "sha1", "sha224", "sha256", "sha512", "sha3_224", "sha3_256"})


def _forms(core: str, text: str) -> Iterator[tuple[str, bytes]]:
    raw = text.encode()
    yield "raw", raw
    yield "part", core[:_TELLING].encode()
    yield "end", core[-_TELLING:].encode()
    yield "url", quote(text, safe="").encode()
    yield "form", quote_plus(text).encode()
    yield "json", encode(text).strip(b'"')
    yield "ascii json", text.encode("ascii", "backslashreplace")
    yield "hex", core.encode().hex().encode()
    for name in sorted(_ANY_CASE - {"hex"}):
        yield name, hashlib.new(name, raw).hexdigest().encode()
    once = base64.b64encode(raw)
    for depth, inner in (("base64", core.encode()), ("base64 twice", once)):
        for offset in range(3):
            shown = _inside_base64(inner, offset)
            yield f"{depth} at {offset}", shown
            yield f"{depth} for URLs at {offset}", shown.translate(bytes.maketrans(b"+/", b"-_"))


def _inside_base64(inner: bytes, offset: int) -> bytes:
    """What is to be seen of *inner* wherever it lies in something larger that is encoded as a whole."""
    shown = base64.b64encode(bytes(offset) + inner)
    return shown[(0, 2, 3)[offset] : len(shown) - (4 if (offset + len(inner)) % 3 else 0)]


class Sink(NamedTuple):
    where: str
    content: bytes


class Leak(NamedTuple):
    way: str
    where: str
    forms: tuple[str, ...]


def leaks(canaries: list[Canary], sinks: list[Sink]) -> list[Leak]:
    """What has the same content in several places is named by the last of them."""
    contents = {sink.content: sink.where for sink in sinks}
    return [leak for content, where in contents.items() for leak in _leaks_in(canaries, content, where)]


def _leaks_in(canaries: list[Canary], content: bytes, where: str) -> Iterator[Leak]:
    lowered = content.lower()
    for canary in canaries:
        if forms := canary.found_in(content, lowered):
            yield Leak(canary.way, where, tuple(forms))


def sinks_of(installation: Installation, *folders: Path) -> list[Sink]:
    """Everything that can be read of an installation by those who may not read Secrets; *folders* besides its own."""
    return [
        *_processes(installation),
        *_metrics(installation),
        *_objects(installation),
        *files_in(installation.folder, EXEMPT),
        *(sink for folder in folders for sink in files_in(folder)),
    ]


def _objects(installation: Installation) -> Iterator[Sink]:
    """All objects of all kinds; of Secrets everything but what is in them."""
    groups = [each["groupVersion"] for group in installation.live("/apis")["groups"] for each in group["versions"]]
    for root in ("/api/v1", *(f"/apis/{each}" for each in groups)):
        for resource in installation.live(root)["resources"]:
            if "list" not in resource["verbs"] or "/" in resource["name"]:
                continue
            for obj in installation.live(f"{root}/{resource['name']}")["items"]:
                shown = obj if (root, resource["name"]) != ("/api/v1", "secrets") else _outside(obj)
                name = f"{obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"
                yield Sink(f"{root}/{resource['name']} {name}", encode(shown))


def _outside(secret: JsonObject) -> JsonObject:
    """Without its values, and without what `kubectl apply` and Argo CD note of them in the Secret itself: the whole manifest,
    where it comes from Git as it is. Whoever reads that annotation may read the values, so that there is nothing to hide."""
    metadata = secret["metadata"]
    annotations = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != _APPLIED}
    return {**secret, "metadata": {**metadata, "annotations": annotations}, "data": None}


def _metrics(installation: Installation) -> Iterator[Sink]:
    with urllib.request.urlopen(f"{installation.web}/metrics", timeout=30) as answer:  # noqa: S310 - on loopback
        yield Sink("/metrics", answer.read())
    yield Sink("/metrics of the API", str(installation.get("/metrics").body).encode())


def _processes(installation: Installation) -> Iterator[Sink]:
    pid = holder(installation.folder)
    for name in ("cmdline", "environ"):
        with suppress(OSError):
            yield Sink(f"{name} of the process", Path(f"/proc/{pid}/{name}").read_bytes())


def files_in(folder: Path, exempt: Mapping[str, str] | None = None) -> Iterator[Sink]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or any(name == each or name.startswith(f"{each}/") for each in exempt or {}):
            continue
        content = path.read_bytes()
        yield Sink(f"{folder.name}/{name}", content)
        yield from (Sink(f"{folder.name}/{name}: {part}", inner) for part, inner in _unpacked(path, content))


def _unpacked(path: Path, content: bytes) -> Iterator[tuple[str, bytes]]:
    """What a search through the bytes of a file would not see."""
    if content.startswith(_GZIP):
        whole = zlib.decompressobj(wbits=31).decompress(content)
        yield "unpacked", whole
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist())
    if content.startswith(_SQLITE):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - its own tables
            yield (
                table,
                b"\n".join(value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row),
            )
        connection.close()
