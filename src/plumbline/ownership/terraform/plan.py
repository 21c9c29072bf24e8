"""A plan in JSON: what Terraform will have once it is applied. Values in it may be secrets; only names are kept."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from plumbline.base.errors import BadDocument
from plumbline.ownership.external import Described, Partial
from plumbline.ownership.terraform.resources import terraform_resource
from plumbline.ownership.values import Claim, Owner, Source

_GIVEN_UP: Final = (["delete"], ["forget"])


class _Importing(msgspec.Struct, frozen=True):
    id: str = ""


class _Change(msgspec.Struct, frozen=True):
    actions: list[str]
    before: Any = None
    after: Any = None
    after_unknown: Any = None
    importing: _Importing | None = None


class _ResourceChange(msgspec.Struct, frozen=True):
    address: str
    type: str
    change: _Change
    mode: str = "managed"
    deposed: str = ""


class _ProviderConfig(msgspec.Struct, frozen=True):
    name: str = ""
    alias: str = ""
    expressions: dict[str, Any] | None = None


class _Configuration(msgspec.Struct, frozen=True):
    provider_config: dict[str, _ProviderConfig] | None = None


class _Plan(msgspec.Struct, frozen=True):
    format_version: str
    resource_changes: list[_ResourceChange] | None = None
    configuration: _Configuration | None = None


_decoder: Final = msgspec.json.Decoder(_Plan)


def plan_claims(text: bytes, owner: Owner, source: Source, cluster: str = "") -> list[Claim]:
    """What *owner* has after the plan: all but what it destroys or forgets. Raises BadDocument."""
    try:
        plan = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadDocument(
            f"{source.place} is no Terraform plan in JSON", why="it does not have the form of one"
        ) from None
    return list(_claims(plan, owner, source, cluster))


def _claims(plan: _Plan, owner: Owner, source: Source, cluster: str) -> Iterator[Claim]:
    regions = _regions(plan)
    for each in plan.resource_changes or ():
        if each.mode != "managed" or each.deposed or each.change.actions in _GIVEN_UP:
            continue
        described = Described(
            each.type, each.address, _known(each.change), _id(each.change), regions.get(_family(each.type), "")
        )
        said = msgspec.structs.replace(source, said=f"{each.address} in its plan")
        yield Claim(terraform_resource(described, cluster), owner, said)


def _known(change: _Change) -> dict[str, Any]:
    """What it will be, with `Partial` for what only applying will tell; an id it keeps is the one it has."""
    after = dict(change.after) if isinstance(change.after, Mapping) else {}
    if isinstance(change.after_unknown, Mapping):
        after |= {
            name: Partial() for name, unknown in change.after_unknown.items() if unknown is True and name != "arn"
        }
    return after


def _id(change: _Change) -> str:
    if change.importing:
        return change.importing.id
    for state in (change.after, change.before):
        found = state.get("id") if isinstance(state, Mapping) else None
        if isinstance(found, str):
            return found
    return ""


def _regions(plan: _Plan) -> dict[str, str]:
    """The region of each provider that has one configuration; of several nobody says here which resource has which."""
    found: dict[str, list[str]] = {}
    configured = plan.configuration.provider_config if plan.configuration else None
    for each in (configured or {}).values():
        region = (each.expressions or {}).get("region")
        value = region.get("constant_value") if isinstance(region, Mapping) else None
        found.setdefault(each.name, []).append(value if isinstance(value, str) else "")
    return {name: regions[0] for name, regions in found.items() if len(regions) == 1}


def _family(type_: str) -> str:
    return type_.partition("_")[0]
