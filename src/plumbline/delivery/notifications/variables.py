"""What conditions and templates can speak of."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final
from urllib.parse import quote_plus, urlsplit, urlunsplit

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.notifications.configuration import Configuration
from plumbline.delivery.notifications.subscriptions import Destination
from plumbline.gotemplate.layouts import read
from plumbline.gotemplate.moments import (
    HOUR,
    MICROSECOND,
    MILLISECOND,
    MINUTE,
    NANOSECOND,
    RFC3339,
    SECOND,
    Duration,
    Time,
)
from plumbline.gotemplate.values import Failed, Raw, StringMap, Value, function

_LAYOUTS: Final[Mapping[str, str]] = {
    "Layout": "01/02 03:04:05PM '06 -0700",
    "ANSIC": "Mon Jan _2 15:04:05 2006",
    "UnixDate": "Mon Jan _2 15:04:05 MST 2006",
    "RubyDate": "Mon Jan 02 15:04:05 -0700 2006",
    "RFC822": "02 Jan 06 15:04 MST",
    "RFC822Z": "02 Jan 06 15:04 -0700",
    "RFC850": "Monday, 02-Jan-06 15:04:05 MST",
    "RFC1123": "Mon, 02 Jan 2006 15:04:05 MST",
    "RFC1123Z": "Mon, 02 Jan 2006 15:04:05 -0700",
    "RFC3339": RFC3339,
    "RFC3339Nano": "2006-01-02T15:04:05.999999999Z07:00",
    "Kitchen": "3:04PM",
    "Stamp": "Jan _2 15:04:05",
    "StampMilli": "Jan _2 15:04:05.000",
    "StampMicro": "Jan _2 15:04:05.000000",
    "StampNano": "Jan _2 15:04:05.000000000",
}
_UNITS: Final[Mapping[str, int]] = {
    "Nanosecond": NANOSECOND, "Microsecond": MICROSECOND, "Millisecond": MILLISECOND, "Second": SECOND, "Minute": MINUTE,
    "Hour": HOUR,
}  # fmt: skip
_scp: Final = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!//)(.*)").fullmatch
_OF_NAME: Final = 2

_TEXTS: Final[Mapping[str, Value]] = {
    "ReplaceAll": function("string string string", lambda text, old, new: text.replace(old, new)),
    "ToUpper": function("string", str.upper),
    "ToLower": function("string", str.lower),
}


def _https(url: str) -> str:
    found = _scp(url)
    if found is not None and "://" not in url:
        return f"https://{found[1]}/{found[2].lstrip('/')}"
    try:
        parts = urlsplit(url)
    except ValueError:
        raise Failed("the address of the repository cannot be read") from None
    return urlunsplit(("https", parts.netloc.rpartition("@")[2], parts.path, parts.query, parts.fragment))


def _full_name(url: str) -> str:
    """The first two names of the path: `owner/repository`."""
    path = urlsplit(_https(url)).path.removesuffix(".git")
    names = [each for each in path.split("/") if each]
    return "/".join(names[:_OF_NAME]) if len(names) >= _OF_NAME else path


def _unsupported(name: str) -> Callable[..., Value]:
    def call(*_: Value) -> Value:
        raise Failed(f"repo.{name} is not supported")

    return call


_REPOSITORY: Final[Mapping[str, Value]] = {
    "RepoURLToHTTPS": function("string", _https),
    "FullNameByRepoURL": function("string", _full_name),
    "QueryEscape": function("string", quote_plus),
    "GetCommitMetadata": function("string", _unsupported("GetCommitMetadata")),
    "GetAppDetails": function("", _unsupported("GetAppDetails")),
}


def variables(
    app: JsonObject, project: JsonObject | None, configuration: Configuration, now: Callable[[], datetime]
) -> dict[str, Value]:
    """What conditions see. Maps of others are never written: templates get their own, see `for_template`."""
    return {
        "app": app,
        "appProject": project or {},
        "context": StringMap({"notificationType": "", **configuration.context}),
        "time": {
            "Parse": function("string", lambda text: read(RFC3339, text)),
            "Now": function("", lambda: Time.of(now())),
            **{name: Duration(length) for name, length in _UNITS.items()},
            **_LAYOUTS,
        },
        "strings": dict(_TEXTS),
        "repo": dict(_REPOSITORY),
        "secrets": _opened(configuration.secrets),
    }


def for_template(seen: Mapping[str, Value], destination: Destination) -> dict[str, Value]:
    context = StringMap({**seen["context"], "notificationType": destination.service})
    own = {"context": context, "serviceType": destination.service, "recipient": destination.recipient}
    return {**seen, **own}


def _opened(secrets: Mapping[str, Plaintext]) -> dict[str, Value]:
    """Templates may use them, as upstream's may: who writes templates can read the Secret."""
    return {key: Raw(value.reveal()) for key, value in secrets.items()}
