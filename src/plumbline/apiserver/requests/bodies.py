"""Request bodies: from bytes in one of three formats to an object that its model has read."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.decoding import deleting
from plumbline.apiserver.decoding.bodies import JSON, PROTOBUF, YAML, Body, Wanted, decoded, refused
from plumbline.apiserver.decoding.documents import document
from plumbline.apiserver.decoding.outcome import Misfit, Refusal
from plumbline.apiserver.decoding.types import body_type
from plumbline.apiserver.decoding.warnings import warnings_of
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.errors import LimitExceeded, RequestRefused, SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

ACCEPTED: Final = (JSON, YAML, PROTOBUF)
ACCEPTED_OF_CUSTOM: Final = (JSON, YAML)

_WORD: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PARAMETER: Final = rf'\s*;\s*({_WORD})\s*=\s*({_WORD}|"(?:[^"\\]|\\.)*")'
_media_type: Final = re.compile(rf"\s*({_WORD}/{_WORD})\s*((?:{_PARAMETER})*)\s*;?\s*").fullmatch
_parameters: Final = re.compile(_PARAMETER).findall

T = TypeVar("T")


class Strictness(NamedTuple):
    """What becomes of complaints about a body, and of which kind it is."""

    call: Call
    kind: GroupVersionKind
    directive: str
    """Ignore, Warn or Strict."""

    @property
    def complains(self) -> bool:
        return self.directive != "Ignore"

    def heed(self, body: Body) -> None:
        if not body.complaints:
            return
        if self.directive == "Strict":
            why = Refusal(f"strict decoding error: {', '.join(body.complaints)}")
            raise statuses.bad_request(refused(Misfit(why, body.kind), self.kind, self.call.body))
        self.call.warnings.extend(warnings_of(body.complaints))


def read_object(call: Call, model: Model, strictness: str) -> JsonObject:
    """The body as *model* holds it; what it does not know is refused, warned of or ignored."""
    wanted, type_ = Strictness(call, model.resource.kind, strictness), model.structure
    if type_ is None:
        return _read_document(wanted, model)
    media = media_type(call, ACCEPTED)
    body = _decoded(wanted, lambda: decoded(call.body, media, Wanted(wanted.kind, type_, wanted.complains)))
    wanted.heed(body)
    _refuse_version(body, wanted.kind)
    return model.read(body.value)


def read_kind(call: Call, kind: GroupVersionKind, strictness: str, *, also: Collection[str] = ()) -> JsonObject:
    """The body as the built-in *kind*, for requests whose bodies are not what they are about.

    It may say an apiVersion of *also* instead, and is then what it says.
    """
    type_ = body_type(kind)
    if type_ is None:
        raise statuses.not_served()
    wanted, media = Strictness(call, kind, strictness), media_type(call, ACCEPTED)
    body = _decoded(wanted, lambda: decoded(call.body, media, Wanted(kind, type_, wanted.complains)))
    wanted.heed(body)
    if body.kind.api_version not in also:
        _refuse_version(body, kind)
    return body.value


def read_delete_options(call: Call) -> JsonObject:
    media = media_type(call, ACCEPTED)
    try:
        return deleting.delete_options(call.body, media)
    except Refusal as bad:
        raise statuses.bad_request(str(bad)) from None
    except LimitExceeded as beyond:
        raise too_much(beyond) from None


def media_type(call: Call, accepted: Sequence[str] = ACCEPTED) -> str:
    """In which of the *accepted* formats the body is; the first where nothing is said."""
    said = call.headers.get("content-type", "")
    found = _bare(said) if said else accepted[0]
    if found not in accepted:
        # The real server names all of them to everybody, and breaks off where it cannot read one that it named.
        raise statuses.unsupported_media_type(accepted if found in ACCEPTED else ACCEPTED)
    return found


def too_much(beyond: LimitExceeded) -> RequestRefused:
    return statuses.failure(413, "RequestEntityTooLarge", f"{beyond.what}: {beyond.why}")


def _read_document(wanted: Strictness, model: Model) -> JsonObject:
    call = wanted.call
    media = media_type(call, ACCEPTED_OF_CUSTOM)
    body = _decoded(wanted, lambda: document(call.body, media, strict=wanted.complains))
    if body.kind.group_kind != wanted.kind.group_kind:
        return _other_kind(wanted, body)
    value, unknown = _decoded(wanted, lambda: _known(body, model))
    if wanted.complains:
        wanted.heed(body._replace(complaints=(*body.complaints, *unknown)))
    _refuse_version(body, wanted.kind)
    return value


def _other_kind(wanted: Strictness, body: Body) -> JsonObject:
    """No schema is asked about it, and an update is first asked which version it is of."""
    wanted.heed(body)
    _refuse_version(body, wanted.kind)
    if wanted.call.method != "PUT" or metadata_of(body.value).get("resourceVersion"):
        refuse_other_kind(body, wanted.kind)
    return body.value


def refuse_other_kind(body: Body, kind: GroupVersionKind) -> None:
    """Documents may say anything; that they are of another kind is found by validation."""
    names = (("apiVersion", body.kind.api_version, kind.api_version), ("kind", body.kind.kind, kind.kind))
    wrong = [invalid(field, found, f"must be {expected}") for field, found, expected in names if found != expected]
    if wrong:
        name = metadata_of(body.value).get("name") or ""
        raise statuses.invalid(body.kind.group_kind, name, wrong)


def _known(body: Body, model: Model) -> tuple[JsonObject, Sequence[str]]:
    try:
        return model.read_strictly(body.value)
    except SchemaViolation as bad:
        raise Misfit(Refusal(bad.what), body.kind) from None


def _decoded(wanted: Strictness, decode: Callable[[], T]) -> T:
    try:
        return decode()
    except Refusal as bad:
        raise statuses.bad_request(refused(bad, wanted.kind, wanted.call.body)) from None
    except LimitExceeded as beyond:
        raise too_much(beyond) from None


def _refuse_version(body: Body, kind: GroupVersionKind) -> None:
    found = body.kind.api_version
    if found != kind.api_version:
        why = f"the API version in the data ({found}) does not match the expected API version ({kind.api_version})"
        raise statuses.bad_request(why)


@lru_cache(maxsize=64)
def _bare(said: str) -> str:
    """The media type without its parameters; empty where it is malformed, as are two different values of one."""
    found = _media_type(said)
    if found is None:
        return ""
    values: dict[str, str] = {}
    for name, value in _parameters(found[2]):
        if values.setdefault(name.lower(), value) != value:
            return ""
    return found[1].lower()
