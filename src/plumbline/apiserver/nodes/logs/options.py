"""The query of a request for logs, read and checked as the API server does."""

import re
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid
from plumbline.apiserver.nodes.moments import instant
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind

_KIND: Final = GroupKind("", "PodLogOptions")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")


class LogOptions(msgspec.Struct, frozen=True):
    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since_s: float | None = None
    """The moment before which lines are left out."""
    tail: int | None = None
    limit_bytes: int | None = None


def log_options(call: Call, name: str, now_s: float) -> LogOptions:
    """Raises RequestRefused where the query makes no sense."""
    tail, limit, seconds = (_integer(call, field) for field in ("tailLines", "limitBytes", "sinceSeconds"))
    since_s = _moment(call)
    errors = _errors(call, tail, limit, seconds, since_s)
    if errors:
        raise statuses.invalid(_KIND, name, errors)
    return LogOptions(
        container=call.parameter("container"),
        follow=_flag(call, "follow"),
        previous=_flag(call, "previous"),
        timestamps=_flag(call, "timestamps"),
        since_s=now_s - seconds if seconds is not None else since_s,
        tail=tail,
        limit_bytes=limit,
    )


def _errors(
    call: Call, tail: int | None, limit: int | None, seconds: int | None, since_s: float | None
) -> list[FieldError]:
    errors = []
    if tail is not None and tail < 0:
        errors.append(invalid("tailLines", tail, "must be greater than or equal to 0"))
    if limit is not None and limit < 1:
        errors.append(invalid("limitBytes", limit, "must be greater than 0"))
    if seconds is not None and since_s is not None:
        errors.append(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
    elif seconds is not None and seconds < 1:
        errors.append(invalid("sinceSeconds", seconds, "must be greater than 0"))
    if "stream" in call.parameters:
        errors.append(forbidden("stream", "may not be specified"))
    return errors


def _flag(call: Call, field: str) -> bool:
    """Anything but a no is a yes."""
    return field in call.parameters and call.parameter(field).lower() not in ("false", "0")


def _integer(call: Call, field: str) -> int | None:
    text = call.parameter(field)
    if not text:
        return None
    if not _INTEGER.fullmatch(text):
        raise statuses.bad_request(f"strconv.ParseInt: parsing {quoted(text)}: invalid syntax")
    return int(text)


def _moment(call: Call) -> float | None:
    text = call.parameter("sinceTime")
    if not text:
        return None
    since_s = instant(text)
    if since_s is None:
        layout = '"2006-01-02T15:04:05Z07:00"'
        raise statuses.bad_request(f'parsing time {quoted(text)} as {layout}: cannot parse {quoted(text)} as "2006"')
    return since_s
