"""A small language for health rules, so that a kind's rule is data and not a program.

A rule is a tuple of steps; the first step with an answer gives it, and no answer at all means no opinion. Most kinds
need no more than conditions, one field, and a last word:

    (
        Stale("Waiting for the spec to be observed"),
        by_condition(on("Ready", "False", degraded("{message}")), on("Ready", "True", healthy("{message}"))),
        progressing("Waiting for certificate"),
    )

Matches are written as text: `"True"` is that value, `"Failed|Error"` either, `"!True"` anything else, absence
included, and `"!"` anything at all. Messages are templates, as `messages` has them.

Steps are functions of the object. A kind whose rule does not fit the language has a plain function instead.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.kube.health.messages import Path, render
from plumbline.kube.health.reading import at, conditions, objects, printed, text
from plumbline.kube.health.status import Health, Status

Step: TypeAlias = Callable[[JsonObject], Health | None]
Rule: TypeAlias = tuple[Step, ...]

_NOTHING: Final[JsonObject] = {}


def evaluate(rule: Rule, obj: JsonObject) -> Health | None:
    for step in rule:
        health = step(obj)
        if health is not None:
            return health
    return None


class Match(msgspec.Struct, frozen=True):
    values: frozenset[str]
    negated: bool = False

    def __call__(self, value: Json) -> bool:
        return (printed(value) in self.values) is not self.negated


class Verdict(msgspec.Struct, frozen=True):
    """An answer whose message is still a template. As a step it is the last word."""

    status: Status
    message: str = ""

    def __call__(self, obj: JsonObject) -> Health:
        return self.about(obj, _NOTHING)

    def about(self, obj: JsonObject, condition: JsonObject) -> Health:
        return Health(self.status, render(self.message, obj, condition))


class Case(msgspec.Struct, frozen=True):
    """One way in which a condition decides."""

    where: tuple[tuple[str, Match], ...]
    then: Verdict
    final: bool = True
    """Whether it ends the search; otherwise it stands only if nothing later in the list says more."""

    def __call__(self, condition: JsonObject) -> bool:
        return all(match(condition.get(name)) for name, match in self.where)


class Conditions(msgspec.Struct, frozen=True):
    """Each condition in turn, in the order of the object; within it, each case in the order of the rule."""

    cases: tuple[Case, ...]
    path: Path

    def __call__(self, obj: JsonObject) -> Health | None:
        noted: Health | None = None
        for condition in objects(obj, *self.path):
            case = next((case for case in self.cases if case(condition)), None)
            if case is None:
                continue
            noted = case.then.about(obj, condition)
            if case.final:
                break
        return noted


class Field(msgspec.Struct, frozen=True):
    """What one field of the object says. Values are compared as printed: `true`, `3`, `Running`."""

    path: Path
    values: Mapping[str, Verdict]
    otherwise: Verdict | None
    absent: Verdict | None

    def __call__(self, obj: JsonObject) -> Health | None:
        value = at(obj, *self.path)
        verdict = self.absent if value is None else self.values.get(printed(value), self.otherwise)
        return verdict(obj) if verdict else None


class AllTrue(msgspec.Struct, frozen=True):
    """An answer when every one of these conditions is True."""

    kinds: frozenset[str]
    then: Verdict

    def __call__(self, obj: JsonObject) -> Health | None:
        true = {text(condition, "type") for condition in conditions(obj) if condition.get("status") == "True"}
        return self.then(obj) if self.kinds <= true else None


class Stale(msgspec.Struct, frozen=True):
    """Progressing while the controller has not seen the present spec."""

    message: str
    path: Path = ("status", "observedGeneration")
    required: bool = False
    """Whether a controller that reports no generation at all counts as late."""

    def __call__(self, obj: JsonObject) -> Health | None:
        observed, generation = at(obj, *self.path), at(obj, "metadata", "generation")
        late = self.required if observed is None or generation is None else observed != generation
        return Health(Status.PROGRESSING, self.message) if late else None


def match(pattern: str) -> Match:
    negated = pattern.startswith("!")
    return Match(frozenset(pattern.removeprefix("!").split("|")), negated)


def on(kind: str, status: str, then: Verdict, **fields: str) -> Case:
    """A case that decides. An empty *kind* or *status* matches any."""
    wanted = {"type": kind, "status": status, **fields}
    return Case(tuple((name, match(pattern)) for name, pattern in wanted.items() if pattern), then)


def note(kind: str, status: str, then: Verdict, **fields: str) -> Case:
    """A case that is remembered while the search goes on."""
    return msgspec.structs.replace(on(kind, status, then, **fields), final=False)


def conditions_at(path: str, *cases: Case) -> Conditions:
    return Conditions(cases, tuple(path.split(".")))


def by_condition(*cases: Case) -> Conditions:
    return Conditions(cases, ("status", "conditions"))


def by_field(
    path: str | Path,
    values: Mapping[str, Verdict],
    *,
    otherwise: Verdict | None = None,
    absent: Verdict | None = None,
) -> Field:
    """A step on one field. A key may name several values: `A|B`."""
    named = {name: then for names, then in values.items() for name in names.split("|")}
    return Field(tuple(path.split(".")) if isinstance(path, str) else path, named, otherwise, absent)


def having(path: str, then: Verdict) -> Field:
    """*then* where anything at all lies under *path*."""
    return by_field(path, {}, otherwise=then)


def lacking(path: str, then: Verdict) -> Field:
    """*then* where nothing lies under *path*."""
    return by_field(path, {}, absent=then)


def all_true(*kinds: str, then: Verdict) -> AllTrue:
    return AllTrue(frozenset(kinds), then)


def healthy(message: str = "") -> Verdict:
    return Verdict(Status.HEALTHY, message)


def suspended(message: str = "") -> Verdict:
    return Verdict(Status.SUSPENDED, message)


def progressing(message: str = "") -> Verdict:
    return Verdict(Status.PROGRESSING, message)


def missing(message: str = "") -> Verdict:
    return Verdict(Status.MISSING, message)


def degraded(message: str = "") -> Verdict:
    return Verdict(Status.DEGRADED, message)


def unknown(message: str = "") -> Verdict:
    return Verdict(Status.UNKNOWN, message)
