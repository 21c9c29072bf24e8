"""Plans in Secrets and ConfigMaps, as Flux's Terraform controller keeps them, so that each can read the other's.

Ours say more in annotations of our own, which it does not look at: the digest, the state and the source.
"""

import binascii
import gzip
import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from plumbline.base.errors import Corrupted, LimitExceeded, NotFound
from plumbline.base.json import JsonObject
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.kube.object import Object
from plumbline.terraform.plans.digest import PlanDigest

CHUNK_BYTES: Final = 1_048_576
LARGEST_BYTES: Final = 256 * MIB
"""Of a plan, inflated: zeros compress a thousandfold."""
MOST_CHUNKS: Final = 256

GROUP: Final = "infra.contrib.fluxcd.io"
NAME_LABEL: Final = f"{GROUP}/plan-name"
WORKSPACE_LABEL: Final = f"{GROUP}/plan-workspace"
FULL_NAME: Final = f"{GROUP}/plan-full-name"
FULL_WORKSPACE: Final = f"{GROUP}/plan-full-workspace"
CHUNK: Final = f"{GROUP}/plan-chunk"
HASH: Final = f"{GROUP}/plan-hash"
SAVED: Final = "savedPlan"
ENCODING: Final = "encoding"
KEY: Final = "tfplan"
JSON_SUFFIX: Final = ".json"

DIGEST: Final = "plumbline.dev/plan-digest"
FILE: Final = "plumbline.dev/plan-file"
SERIAL: Final = "plumbline.dev/state-serial"
LINEAGE: Final = "plumbline.dev/state-lineage"
REVISION: Final = "plumbline.dev/source-revision"
CHUNKS: Final = "plumbline.dev/plan-chunks"

_LABEL: Final = 63
_LABEL_HASH_BYTES: Final = 8
_GZIP: Final = 31
_TWO_BITS, _GOES_ON = 0xC0, 0x80
"""A byte of UTF-8 that is not the first of its character begins with these two bits."""
_WAY_OUT: Final = "Delete the plan's Secrets; a new plan is made. Nothing of this one was applied."


class PlanPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The Terraform object that a plan is for."""

    namespace: str
    name: str
    uid: str
    workspace: str = "default"


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on a plan's Secrets; empty where another program wrote them."""

    plan_id: str
    digest: str = ""
    file: str = ""
    serial: int = 0
    lineage: str = ""
    revision: str = ""


def marks(plan_id: str, digest: PlanDigest, *, serial: int, lineage: str, revision: str) -> Marks:
    return Marks(
        plan_id=plan_id, digest=digest.content, file=digest.file, serial=serial, lineage=lineage, revision=revision
    )


def selector(place: PlanPlace, suffix: str = "") -> dict[str, str]:
    """Labels by which all pieces of a plan are found."""
    return {NAME_LABEL: label(f"{place.name}{suffix}"), WORKSPACE_LABEL: label(place.workspace)}


def legacy_name(place: PlanPlace, suffix: str = "") -> str:
    """Where versions before labels kept it."""
    return f"tfplan-{place.workspace}-{place.name}{suffix}"


def plan_secrets(
    place: PlanPlace, plan: Plaintext, marks: Marks, *, suffix: str = "", extra: Mapping[str, str] | None = None
) -> list[JsonObject]:
    """Secrets that hold *plan*; *suffix* is `.json` for its JSON. *extra* annotations stand on the first."""
    content = plan.reveal()
    packed = gzip.compress(content, mtime=0)
    pieces = [packed[at : at + CHUNK_BYTES] for at in range(0, len(packed), CHUNK_BYTES)]
    if len(pieces) > MOST_CHUNKS or len(content) > LARGEST_BYTES:
        raise LimitExceeded("The plan is too large to be kept", why=f"it has {len(content):,} bytes")
    hashes = [_sha256(content)] if len(pieces) == 1 else [_sha256(piece) for piece in pieces]
    stored: list[JsonObject] = []
    for metadata, piece in zip(_metadata(place, marks, suffix, hashes), pieces, strict=True):
        annotations = {ENCODING: "gzip", **metadata["annotations"], **((extra or {}) if not stored else {})}
        stored.append(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {**metadata, "annotations": annotations},
                "type": "Opaque",
                "data": {KEY: b64encode(piece).decode()},
            }
        )
    return stored


def plan_config_maps(place: PlanPlace, text: str, marks: Marks) -> list[JsonObject]:
    """ConfigMaps that hold a plan for people. Anybody may read them: *text* is masked already."""
    pieces = list(_text_pieces(text)) or [""]
    hashes = [_sha256(piece.encode()) for piece in pieces]
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {KEY: piece}}
        for metadata, piece in zip(_metadata(place, marks, "", hashes), pieces, strict=True)
    ]


def opened(secrets: Sequence[JsonObject], plan_id: str = "") -> Plaintext:
    """The plan in *secrets*, whole and as it was saved; *plan_id* is which one it has to be, where that matters.

    Raises NotFound where there are none, else Corrupted, LimitExceeded.
    """
    if not secrets:
        raise NotFound("There is no stored plan", why="no Secret holds one", hint="A new plan is made by itself.")
    if len(secrets) > MOST_CHUNKS:
        raise LimitExceeded("The stored plan is too large", why=f"it has more than {MOST_CHUNKS} pieces")
    found = marks_on(secrets)
    if plan_id and found.plan_id != plan_id:
        raise _damaged(f"it is {found.plan_id[:100]!a} and not {plan_id!a}")
    pieces = _ordered(secrets)
    content = _inflated(b"".join(map(_piece, pieces)))
    _check_hashes(pieces, content)
    if found.file and _sha256(content) != found.file:
        raise _damaged("its bytes are not those that were saved")
    return Plaintext(content)


def marks_on(secrets: Sequence[JsonObject]) -> Marks:
    """What the pieces say of their plan, all the same. Raises Corrupted."""
    said = {_marks_of(secret.annotations) for secret in map(Object, secrets)}
    if len(said) != 1:
        raise _damaged("its pieces belong to different plans")
    (found,) = said
    if not found.plan_id:
        raise _damaged(f"its Secret has no annotation {SAVED}")
    return found


def label(value: str) -> str:
    """A label cannot be longer than 63; what is, ends in a hash of the whole."""
    if len(value) <= _LABEL:
        return value
    suffix = f"-{hashlib.sha256(value.encode()).digest()[:_LABEL_HASH_BYTES].hex()}"
    return value[: _LABEL - len(suffix)] + suffix


def _metadata(place: PlanPlace, marks: Marks, suffix: str, hashes: Sequence[str]) -> Iterator[JsonObject]:
    name = legacy_name(place, suffix)
    for at, hashed in enumerate(hashes):
        whole = len(hashes) == 1
        annotations = {
            FULL_NAME: f"{place.name}{suffix}",
            FULL_WORKSPACE: place.workspace,
            SAVED: marks.plan_id,
            **({} if whole else {CHUNK: str(at)}),
            HASH: hashed,
            **_ours(marks, len(hashes), with_file=not suffix),
        }
        yield {
            "name": name if whole else f"{name}-{at}",
            "namespace": place.namespace,
            "annotations": annotations,
            "labels": selector(place, suffix),
            "ownerReferences": [
                {"apiVersion": f"{GROUP}/v1alpha2", "kind": "Terraform", "name": place.name, "uid": place.uid}
            ],
        }


def _ours(marks: Marks, chunks: int, *, with_file: bool) -> dict[str, str]:
    if not marks.digest:
        return {}
    return {
        DIGEST: marks.digest,
        **({FILE: marks.file} if with_file and marks.file else {}),
        SERIAL: str(marks.serial),
        LINEAGE: marks.lineage,
        REVISION: marks.revision,
        CHUNKS: str(chunks),
    }


def _marks_of(annotations: Mapping[str, str]) -> Marks:
    serial = annotations.get(SERIAL, "")
    return Marks(
        plan_id=annotations.get(SAVED, ""),
        digest=annotations.get(DIGEST, ""),
        file=annotations.get(FILE, ""),
        serial=int(serial) if serial.isdecimal() and len(serial) < len("1000000000000000000") else 0,
        lineage=annotations.get(LINEAGE, ""),
        revision=annotations.get(REVISION, ""),
    )


def _ordered(secrets: Sequence[JsonObject]) -> list[Object]:
    pieces: dict[int, Object] = {}
    for secret in map(Object, secrets):
        index = secret.annotations.get(CHUNK, "") or "0"
        if not index.isdecimal() or len(index) > len("1000"):
            raise _damaged(f"{secret.name} has no number among its pieces")
        if int(index) in pieces:
            raise _damaged(f"piece {index} is there twice")
        pieces[int(index)] = secret
    expected = {piece.annotations.get(CHUNKS, "") or str(len(pieces)) for piece in pieces.values()}
    if sorted(pieces) != list(range(len(pieces))) or expected != {str(len(pieces))}:
        raise _damaged("a piece of it is missing")
    return [pieces[at] for at in sorted(pieces)]


def _piece(secret: Object) -> bytes:
    if secret.annotations.get(ENCODING, "gzip") != "gzip":
        raise _damaged(f"{secret.name} is not compressed as plans are")
    entries = secret.raw.get("data")
    text = entries.get(KEY) if isinstance(entries, dict) else None
    if not isinstance(text, str):
        raise _damaged(f"{secret.name} has no key {KEY}")
    try:
        return b64decode(text, validate=True)
    except binascii.Error:
        raise _damaged(f"{secret.name} does not hold base64") from None


def _check_hashes(pieces: Sequence[Object], content: bytes) -> None:
    """Upstream hashes the plan where it is in one piece, and the pieces where there are several.

    Its first versions with hashes took the compressed bytes in both cases, and those before had none.
    """
    for piece in pieces:
        said = piece.annotations.get(HASH)
        right = {_sha256(_piece(piece))} | ({_sha256(content)} if len(pieces) == 1 else set())
        if said is not None and said not in right:
            raise _damaged(f"{piece.name} is not what was saved")


def _inflated(packed: bytes) -> bytes:
    stream = zlib.decompressobj(_GZIP)
    try:
        content = stream.decompress(packed, LARGEST_BYTES + 1)
    except zlib.error:
        raise _damaged("it cannot be unpacked") from None
    if len(content) > LARGEST_BYTES:
        raise LimitExceeded("The stored plan is too large", why=f"it has more than {LARGEST_BYTES:,} bytes")
    if not stream.eof or stream.unused_data:
        raise _damaged("its end is missing, or there is something behind it")
    return content


def _text_pieces(text: str) -> Iterator[str]:
    """At most as many bytes as fit, and no character in two pieces."""
    content = text.encode("utf-8", "replace")
    at = 0
    while at < len(content):
        end = min(at + CHUNK_BYTES, len(content))
        while end < len(content) and content[end] & _TWO_BITS == _GOES_ON:
            end -= 1
        yield content[at:end].decode()
        at = end


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _damaged(why: str) -> Corrupted:
    return Corrupted("The stored plan cannot be used", why=why, hint=_WAY_OUT)
