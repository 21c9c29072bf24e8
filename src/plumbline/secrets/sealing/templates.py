"""What `spec.template.data` adds to a Secret: Go templates, which see what was opened.

Errors of Go's templates quote values. None of that leaves this module: complaints say which template and where, and
what a template that cannot be read says about its own text, which is in Git for all to see.
"""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Final, NamedTuple

from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.json import Json
from plumbline.base.limits import KIB, MIB
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import CHANGING, Bounds, Function, Surroundings, Template, Value, sprig
from plumbline.gotemplate.values import StringMap
from plumbline.secrets.sealing.shape import MOST_ITEMS, MOST_OPENED_BYTES, listed, shown

_MOST_TEMPLATE_BYTES: Final = 1 * MIB
_ALL_STEPS: Final = 400_000
"""Of all templates of one SealedSecret: about a second of work at the very most."""
_MOST_STEPS: Final = 100_000
_LONGEST_COMPLAINT: Final = 300
_MOST_COMPLAINTS: Final = 10
_HINT: Final = "The values are left out on purpose; correct the template at that line and column."


def check_templates(templates: Mapping[str, Json]) -> None:
    """Raises InvalidInput for values that are neither text nor null, LimitExceeded for too much of them."""
    wrong = [key for key, text in templates.items() if not (text is None or isinstance(text, str))]
    if wrong:
        raise InvalidInput(f"spec.template.data has values that are not texts: {listed(wrong)}")
    if len(templates) > MOST_ITEMS:
        raise LimitExceeded(f"spec.template.data has more than {MOST_ITEMS:,} items")
    if sum(len(key) + len(text or "") for key, text in templates.items()) > _MOST_TEMPLATE_BYTES:
        raise LimitExceeded(f"spec.template.data is larger than {_MOST_TEMPLATE_BYTES // MIB} MiB")


class Contents(NamedTuple):
    """What the Secret holds."""

    values: dict[str, Plaintext]
    changing: frozenset[str] = frozenset()
    """Keys whose templates asked for the time or for chance: made again, they would hold something else."""


def with_templates(
    opened: Mapping[str, Plaintext], templates: Mapping[str, str | None], surroundings: Surroundings
) -> Contents:
    """The contents of the Secret: what was opened, without what is null there, and what the templates make of it.

    Templates see each other's texts as well, and what was opened wins where both have the same key. Raises
    EvaluationFailed with the complaints about all of them, in one line.
    """
    if not templates:
        return Contents(dict(opened))
    texts = {key: text for key, text in templates.items() if text is not None}
    values = StringMap({**texts, **{key: _text(value) for key, value in opened.items()}})
    asked: set[str] = set()
    functions = _watched(sprig(surroundings), asked.add)
    changing: set[str] = set()
    results = {key: value for key, value in opened.items() if key in texts or key not in templates}
    room = MOST_OPENED_BYTES - sum(len(value.reveal()) for value in results.values())
    steps = min(_MOST_STEPS, _ALL_STEPS // max(len(texts), 1))
    complaints: dict[str, None] = {}
    for key in sorted(texts):
        asked.clear()
        printed, complaint = _printed(key, texts[key], values, functions, Bounds(steps, max(room, 0)))
        if complaint:
            complaints[complaint] = None
        elif key not in opened:
            results[key] = printed
            changing |= {key} if asked else set()
            room -= len(printed.reveal())
    if complaints:
        raise EvaluationFailed("the template cannot be rendered", why=_joined(list(complaints)), hint=_HINT)
    if room < 0:
        raise LimitExceeded(f"a Secret holds no more than {MOST_OPENED_BYTES // KIB:,} KiB")
    return Contents(results, frozenset(changing))


def _watched(functions: Mapping[str, Function], called: Callable[[str], None]) -> Mapping[str, Function]:
    """The same functions; *called* is told of those that say something else each time."""

    def told(name: str, function: Function) -> Function:
        @wraps(function.call)  # with the marks that it carries
        def call(*arguments: Value) -> Value:
            called(name)
            return function.call(*arguments)

        variadic = (f"...{function.variadic}",) if function.variadic else ()
        return Function(function.name, call, (*function.params, *variadic))

    return {name: told(name, each) if name in CHANGING else each for name, each in functions.items()}


def _printed(
    key: str, text: str, values: StringMap, functions: Mapping[str, Function], bounds: Bounds
) -> tuple[Plaintext, str]:
    """What the template prints, or a complaint that tells no value."""
    try:
        template = Template(key, text, functions)
    except (BadExpression, LimitExceeded) as fault:
        return Plaintext(b""), _one_line(str(fault))
    try:
        return Plaintext(template.execute(values, bounds).encode(errors="surrogateescape")), ""
    except LimitExceeded:
        return Plaintext(b""), f"template: {shown(key)}: it takes too many steps or makes too much"
    except PlumblineError as fault:
        return Plaintext(b""), f"template: {shown(key)}{_position(key, str(fault))}: it fails there"
    except Exception:  # noqa: BLE001 - whatever goes wrong with values in hand may quote them
        return Plaintext(b""), f"template: {shown(key)}: it fails"


def _position(key: str, said: str) -> str:
    found = re.match(rf"template: {re.escape(key)}(:\d+:\d+): ", said)
    return found[1] if found else ""


def _one_line(said: str) -> str:
    text = " ".join(said.split())
    return text if len(text) <= _LONGEST_COMPLAINT else f"{text[:_LONGEST_COMPLAINT]}…"


def _joined(complaints: list[str]) -> str:
    more = len(complaints) - _MOST_COMPLAINTS
    return "; ".join(complaints[:_MOST_COMPLAINTS]) + (f"; and {more} more" if more > 0 else "")


def _text(value: Plaintext) -> str:
    return value.reveal().decode(errors="surrogateescape")
