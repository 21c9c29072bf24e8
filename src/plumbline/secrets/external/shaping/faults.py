"""Why a template failed, told without what it was given.

Go's words quote what they stumble over, and that may be a value: `fail .password` is one, a date that cannot be read
another. So they are passed on only where they can be of nothing but the template, and a template that is a secret
itself is not quoted either.
"""

import re
from typing import Final, NamedTuple

from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, LimitExceeded
from plumbline.secrets.external.shaping.functions import Told

_PLACE: Final = re.compile(r"template: \S*?:(\d+)(?::(\d+))?: ")
_EXECUTING: Final = re.compile(r'executing "[^"]*" at <(.*?)>: (.*)\Z', re.DOTALL)
_CALL: Final = re.compile(r"error calling (\w+): (.*)\Z", re.DOTALL)
_UNKNOWN: Final = re.compile(r'function "(\w+)" not defined\Z')
_TELLING: Final = "It tells about where the process runs, and is left out for that."
_REACHING: Final = "It reads Secrets of any namespace, and is left out for that; name the Secret in templateFrom."
_ABSENT: Final = {
    **dict.fromkeys(("env", "expandenv", "getHostByName"), _TELLING),
    "getSecretKey": _REACHING,
}
_HARMLESS: Final = re.compile(
    r'map has no entry for key "[^"]*"\Z'
    r"|can't evaluate field \w+ in type [\w\[\]{} .]+\Z"
    r"|wrong number of args for \w+: want (at least )?\d+ got \d+\Z"
    r"|wrong type for value; expected [\w\[\]{} .]+; got [\w\[\]{} .]+\Z"
    r"|invalid value; expected [\w\[\]{} .]+\Z"
    r"|nil data; no entry for key "
    r"|exceeded maximum template depth"
    r"|undefined variable: "
)


class Origin(NamedTuple):
    """Where a template is written."""

    place: str
    """Such as `template.data[config]`."""
    text: str
    secret: bool = False
    """Nobody may see it who may see the error."""

    def __repr__(self) -> str:
        return f"<{self.place}>"


def told(fault: BadExpression | EvaluationFailed | LimitExceeded, origin: Origin) -> InvalidInput:
    """*fault* as people may see it: the place, line and column, and as much of the reason as is harmless."""
    if isinstance(fault, LimitExceeded):
        return LimitExceeded(f"The template at {origin.place} is too costly", why=fault.what)
    if isinstance(fault, BadExpression):
        unknown = _UNKNOWN.search(fault.what)
        return InvalidInput(
            f"unable to parse template at {origin.place}",
            why=_where(fault) + _unread(fault, origin),
            hint=_ABSENT.get(unknown[1], "") if unknown else "",
        )
    return InvalidInput(f"unable to execute template at {origin.place}", why=_where(fault) + _failed(fault, origin))


def _where(fault: BadExpression | EvaluationFailed) -> str:
    found = _PLACE.match(fault.what)
    if found is None:
        return ""
    return f"line {found[1]}, column {found[2]}: " if found[2] else f"line {found[1]}: "


def _unread(fault: BadExpression, origin: Origin) -> str:
    """Nothing was given to it yet, so its words are about the template alone."""
    return "it cannot be read" if origin.secret else _PLACE.sub("", fault.what, count=1)


def _failed(fault: EvaluationFailed, origin: Origin) -> str:
    found = _EXECUTING.search(fault.what)
    reason = found[2] if found else ""
    shown = f"<{found[1]}>: " if found and not origin.secret else ""
    call = _CALL.match(reason)
    if call is not None:
        cause = fault.__cause__
        harmless = isinstance(cause, Told) or (not origin.secret and len(call[2]) > 1 and call[2] in origin.text)
        return f"{shown}error calling {call[1]}" + (f": {call[2]}" if harmless else "")
    if not origin.secret and _HARMLESS.match(reason):
        return shown + reason
    return f"{shown}it failed, in words that might tell a value" if shown else "it failed"
