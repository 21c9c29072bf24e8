"""Every sensitive value of a plan, so that it can be taken out of whatever is shown of the plan.

Terraform marks attributes, not values: what is sensitive in one place is plain in the next if it got there through a
file, a provider or an older version. So values that are sensitive anywhere are masked everywhere, in the forms that they
travel in, and what only looks like a credential is masked as well.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from plumbline.base.json import Json, decode
from plumbline.base.redaction import KnownSecrets, names_secret, redact_text
from plumbline.terraform.plans.decoded import Raw, RawChange, RawPlan, StateModule
from plumbline.terraform.plans.wording import HIDDEN, SENSITIVE

LONGEST_SHOWN: Final = 16 * 1024
_MOST: Final = 5_000
_TRUE: Final = b"true"
_AS_GO_WRITES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
_LEAST_BY_NAME: Final = 8


class Masks:
    """The sensitive values of one plan. Where there are too many to look for, no value is shown at all."""

    def __init__(self, most: int = _MOST) -> None:
        self._known = KnownSecrets(capacity=2 * most)
        self._seen: set[str] = set()
        self._most = most

    @property
    def is_full(self) -> bool:
        return len(self._seen) > self._most

    def add(self, value: Json) -> None:
        """A sensitive value; what is shorter than six characters would mask ordinary words."""
        if value is None or isinstance(value, bool):
            return
        text = value if isinstance(value, str) else str(value)
        # Nothing longer is shown, so it can only show as one of its lines.
        text = text[:LONGEST_SHOWN].strip()
        if len(text) < KnownSecrets.SHORTEST or text in self._seen or self.is_full:
            return
        self._seen.add(text)
        self._known.add(text)
        written = text.translate(_AS_GO_WRITES)
        if written != text:
            self._known.add(written)
        for inner in _credentials_inside(text):
            self.add(inner)

    def mask(self, text: str) -> str:
        """*text* without sensitive values. Text that is longer than `LONGEST_SHOWN` must not be given."""
        return HIDDEN if self.is_full else redact_text(self._known.mask(text))


def masks_of(plan: RawPlan) -> Masks:
    masks = Masks()
    for value in _sensitive(plan):
        masks.add(value)
    return masks


def marks_any(mask: Json) -> bool:
    """Whether anything below is sensitive, or unknown, where that is what the mask says."""
    if mask is True or not mask:
        return mask is True
    waiting = [mask]
    while waiting:
        at = waiting.pop()
        if at is True:
            return True
        waiting += at.values() if isinstance(at, dict) else at if isinstance(at, list) else ()
    return False


def below(mask: Json, step: str | int) -> Json:
    """The mask of one part. Where mask and value do not have the same shape, all is as sensitive as any of it."""
    if not mask:
        return False
    if isinstance(mask, dict) and isinstance(step, str):
        return mask.get(step, False)
    if isinstance(mask, list) and isinstance(step, int):
        return mask[step] if step < len(mask) else False
    return marks_any(mask)


def masked(value: Json, mask: Json, name: str = "", levels: int = 40) -> Json:
    """*value* with words of ours in the place of what is marked, or called like a secret."""
    if value is None:
        return None
    if mask is True or (name and names_secret(name) and not isinstance(value, bool)):
        return SENSITIVE
    if isinstance(value, dict | list) and not levels:
        return HIDDEN
    if isinstance(value, dict):
        return {key: masked(each, below(mask, key), key, levels - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [masked(each, below(mask, at), name, levels - 1) for at, each in enumerate(value)]
    return SENSITIVE if marks_any(mask) else value


def opened(raw: Raw) -> Json:
    """One value of a plan."""
    return decode(raw)


def _sensitive(plan: RawPlan) -> Iterator[Json]:
    root = plan.configuration.root_module if plan.configuration else None
    declared = (root.variables if root else None) or {}
    for name, variable in (plan.variables or {}).items():
        value = opened(variable.value)
        if name in declared and declared[name].sensitive:
            yield from _leaves(value, mask=True)
        yield from _by_name({name: value})
    state = plan.prior_state.values if plan.prior_state else None
    if state and state.root_module:
        yield from _of_state(state.root_module)
    for name, output in ((state.outputs if state else None) or {}).items():
        value = opened(output.value)
        yield from _leaves(value, mask=output.sensitive)
        yield from _by_name({name: value})
    for change in _changes(plan):
        yield from _of_change(change)


def _changes(plan: RawPlan) -> Iterator[RawChange]:
    yield from (each.change for each in plan.resource_changes or ())
    yield from (each.change for each in plan.resource_drift or ())
    yield from (each.resource_change.change for each in plan.deferred_changes or ())
    yield from (plan.output_changes or {}).values()


def _of_change(change: RawChange) -> Iterator[Json]:
    for raw, mask in ((change.before, change.before_sensitive), (change.after, change.after_sensitive)):
        value = opened(raw)
        if _TRUE in bytes(mask):
            yield from _leaves(value, opened(mask))
        yield from _by_name(value)


def _of_state(module: StateModule) -> Iterator[Json]:
    waiting = [module]
    while waiting:
        at = waiting.pop()
        waiting += at.child_modules or ()
        for resource in at.resources or ():
            if _TRUE in bytes(resource.sensitive_values):
                yield from _leaves(opened(resource.values), opened(resource.sensitive_values))


def _leaves(value: Json, mask: Json) -> Iterator[Json]:
    """Every scalar that the mask marks. Not recursive: there is no limit to how deep values are here."""
    waiting: list[tuple[Any, Any]] = [(value, mask)]
    while waiting:
        at, marks = waiting.pop()
        if not marks:
            continue
        if isinstance(at, dict):
            waiting += ((each, marks is True or below(marks, key)) for key, each in at.items())
        elif isinstance(at, list):
            waiting += ((each, marks is True or below(marks, index)) for index, each in enumerate(at))
        elif marks_any(marks):
            yield at


def _by_name(value: Json) -> Iterator[Json]:
    """Texts under names of secrets, unless they are ordinary words: those would be masked everywhere."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, at = waiting.pop()
        if isinstance(at, dict):
            waiting += [item for item in at.items() if not isinstance(item[1], str) or names_secret(item[0])]
        elif isinstance(at, list):
            waiting += [(name, each) for each in at]
        elif isinstance(at, str) and len(at) >= _LEAST_BY_NAME and not at.isalpha() and name and names_secret(name):
            yield at


def _credentials_inside(text: str) -> Iterator[Json]:
    """A secret may be a JSON document, of which only some parts are."""
    if text.startswith("{"):
        try:
            value = decode(text)
        except (msgspec.DecodeError, RecursionError):
            return
        yield from _by_name(value)
