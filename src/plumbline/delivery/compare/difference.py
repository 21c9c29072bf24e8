"""How one live object differs from what Git asks for: pure, linear, each field with its managers."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.compare.ignored import NO_PATHS, Paths, ignored_fields, without_ignored
from plumbline.delivery.compare.known import known_shape
from plumbline.delivery.compare.migration import owners
from plumbline.delivery.compare.normal import backfilled, normal
from plumbline.delivery.compare.rules import MANAGER, Applying, Rules
from plumbline.kube.apply.fieldset import FieldSet
from plumbline.kube.apply.undeclared import undeclared
from plumbline.kube.diff import ABSENT, Difference, diff
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.kube.schema.shape import Shape

_ANNOTATIONS: Final = ("f:metadata", "f:annotations")


class Found(NamedTuple):
    """What one jq expression means by way of paths, in each of the two objects."""

    desired: Paths = NO_PATHS
    live: Paths = NO_PATHS


Answers = Mapping[str, Found]
"""What jq answered, by expression. One that is not here means nothing."""
NO_ANSWERS: Final[Answers] = {}


def difference(
    desired: JsonObject, live: JsonObject, shape: Shape, rules: Rules, answers: Answers = NO_ANSWERS
) -> tuple[Difference, ...]:
    """What applying *desired* would change in *live*, but for what *rules* ignore; nothing means Synced."""
    applying = rules.applying(Ref.of(desired))
    shape = known_shape(shape, applying.known) if applying.known else shape
    want, have = sides(desired, live, rules, applying)
    ignored = ignoring(want, have, shape, applying, answers)
    if ignored:
        want, have = without_ignored(want, ignored, shape), without_ignored(have, ignored, shape)
    found = diff(want, have, shape, manager=MANAGER, owners=owners(live, shape))
    if applying.managers:
        found = [each for each in found if applying.managers.isdisjoint(each.managers)]
    if found and not rules.validates(Object(desired).annotations):
        found = [each for each in found if not (each.live is ABSENT and undeclared(each.elements, shape))]
    return sealed(found, rules)


def sides(desired: JsonObject, live: JsonObject, rules: Rules, applying: Applying) -> tuple[JsonObject, JsonObject]:
    """Both objects in the form that rules look at."""
    want, have = normal(desired, applying, rules.options), normal(live, applying, rules.options)
    return want, backfilled(have, want, rules.tracking)


def ignoring(want: JsonObject, have: JsonObject, shape: Shape, applying: Applying, answers: Answers) -> FieldSet:
    """The fields that are ignored by name: all that pointers and jq find in either object."""
    fields: FieldSet = {}
    if applying.pointers:
        ignored_fields(want, applying.pointers, shape, fields)
        ignored_fields(have, applying.pointers, shape, fields)
    for expression in applying.expressions:
        found = answers.get(expression)
        if found is not None:
            ignored_fields(want, found.desired, shape, fields)
            ignored_fields(have, found.live, shape, fields)
    return fields


def sealed(found: Iterable[Difference], rules: Rules) -> tuple[Difference, ...]:
    """*found*, without the values of annotations that nobody may read."""
    sensitive = rules.options.sensitive_annotations
    return tuple(_sealed(each, sensitive) for each in found) if sensitive else tuple(found)


def _sealed(each: Difference, sensitive: frozenset[str]) -> Difference:
    """*each* with its values sealed away if it is about an annotation that nobody may read, or all annotations."""
    if each.secret or each.elements[: len(_ANNOTATIONS)] != _ANNOTATIONS[: len(each.elements)]:
        return each
    if len(each.elements) > len(_ANNOTATIONS) and each.elements[2][2:] not in sensitive:
        return each
    return each._replace(
        desired=ABSENT if each.desired is ABSENT else Plaintext(repr(each.desired)),
        live=ABSENT if each.live is ABSENT else Plaintext(repr(each.live)),
        secret=True,
    )
