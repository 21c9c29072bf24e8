"""From what somebody wrote about a thing to the thing: one value for all who mean the same."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.ownership.external.ids import LONGEST, Known, taken_apart
from plumbline.ownership.external.rules import rule_of_type
from plumbline.ownership.external.shape import Rule, Scope
from plumbline.ownership.values import External, Unnamed

_ASSIGNED_DATABASE: Final = re.compile(r"db-[A-Z0-9]{20,30}")
"""What AWS calls a database instance beside its identifier; Terraform and Crossplane know it as the id."""


class Partial(NamedTuple):
    """A text of which only a part is known from the file: `*` stands for the rest."""

    pattern: str = "*"


Value: TypeAlias = Any
"""A text, a `Partial`, or anything else that an attribute may hold; only the first two name things."""


class Described(NamedTuple):
    """One thing as it is written down or recorded, in Terraform's words."""

    type: str
    address: str
    """What tells it from others in the same file: `aws_db_instance.main`, `Instance/orders`."""
    attributes: Mapping[str, Value] = {}
    id: Value = ""
    """Its id, where one is recorded: in state, in an import, as external name."""
    region: Value = ""
    account: Value = ""


def resource(described: Described) -> External | Unnamed:
    """The thing, or as much as is known of it."""
    if known := _recorded(described):
        return known
    rule = rule_of_type(described.type)
    written = _written(described, rule)
    if isinstance(written, str):
        return named(described.type, written, _place(described, rule), _account(described))
    if written is not None:
        return Unnamed(_canonical(described.type), described.address, _folded(written.pattern, rule))
    if isinstance(described.id, str) and described.id and not _ASSIGNED_DATABASE.fullmatch(described.id):
        return named(described.type, described.id, _place(described, rule), _account(described))
    if isinstance(described.id, Partial):
        return Unnamed(_canonical(described.type), described.address, _folded(described.id.pattern, rule))
    name = described.attributes.get("name")
    if rule is None and isinstance(name, str) and name:
        # Nobody knows whether this type's names are unique: enough for a hint, not for a claim.
        return Unnamed(described.type, described.address, name)
    return Unnamed(_canonical(described.type), described.address, assigned=rule is not None)


def named(type_: str, id_: str, region: str = "", account: str = "") -> External | Unnamed:
    """A thing by its type and id, without what does not tell two of them apart."""
    known = taken_apart(id_)
    if known is not None and _canonical(known.type) == _canonical(type_):
        return _normal(known._replace(region=known.region or region, account=known.account or account))
    return _normal(Known(type_, id_[:LONGEST], region, account))


def parse(text: str) -> External | Unnamed | None:
    """What a person means by *text*: an ARN or the like, or TYPE/ID. None where it is neither."""
    if known := taken_apart(text):
        return _normal(known)
    type_, slash, id_ = text.partition("/")
    if slash and id_ and (rule_of_type(type_) or re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", type_)):
        return named(type_, id_)
    return None


def _recorded(described: Described) -> External | Unnamed | None:
    """By an ARN or the like, which says everything."""
    for text in (described.attributes.get("arn"), described.id):
        known = taken_apart(text) if isinstance(text, str) else None
        if known is not None and _canonical(known.type) == _canonical(described.type):
            return _normal(known._replace(region=known.region or _text(described.region)))
    return None


def _written(described: Described, rule: Rule | None) -> str | Partial | None:
    """The id that its own fields make up: whole, in part, or not at all."""
    if rule is None or not rule.names:
        return None
    parts = [described.attributes.get(name) for name in rule.names]
    if all(isinstance(part, str) and part for part in parts):
        return rule.joint.join(str(part) for part in parts)
    if any(not isinstance(part, str | Partial) or not part for part in parts):
        return None
    return Partial(rule.joint.join(part.pattern if isinstance(part, Partial) else str(part) for part in parts))


def _normal(known: Known) -> External | Unnamed:
    rule = rule_of_type(known.type)
    if rule is None:
        return External(known.type, known.id, known.region, known.account)
    id_ = _folded(known.id, rule)
    if rule.scope is Scope.SERVER:
        # Two servers have the same roles and databases more often than not.
        return External(rule.canonical, id_, "", known.account) if known.account else Unnamed(rule.canonical, id_, id_)
    region = known.region if rule.scope is Scope.REGION else ""
    account = "" if rule.scope is Scope.GLOBAL else known.account
    return External(rule.canonical, id_, region, account)


def _canonical(type_: str) -> str:
    rule = rule_of_type(type_)
    return rule.canonical if rule else type_


def _folded(text: str, rule: Rule | None) -> str:
    return text.lower() if rule and rule.fold else text


def _place(described: Described, rule: Rule | None) -> str:
    own = described.attributes.get(rule.place if rule and rule.place else "region")
    return _text(own) or _text(described.region)


def _account(described: Described) -> str:
    return _text(described.attributes.get("project")) or _text(described.account)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""
