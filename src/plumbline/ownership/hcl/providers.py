"""Where a provider's configuration puts things: the region and the account of resources that do not say themselves."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from plumbline.ownership.hcl.blocks import Block
from plumbline.ownership.hcl.expressions import Reference
from plumbline.ownership.hcl.scope import Scope


class Place(NamedTuple):
    region: str = ""
    account: str = ""


class Places:
    """Configurations by name: `aws`, `aws.west`."""

    def __init__(self, by_name: Mapping[str, Place] | None = None) -> None:
        self._by_name = dict(by_name or {})

    def with_blocks(self, blocks: Iterable[Block], scope: Scope) -> "Places":
        found = {name: place for block in blocks for name, place in _configured(block, scope)}
        return Places(self._by_name | found)

    def handed_to(self, call: Block) -> "Places":
        """Those that a called module sees: the default ones, and what the call passes under other names."""
        passed = {name: place for name, place in self._by_name.items() if "." not in name}
        attribute = call.body.attributes.get("providers")
        given = attribute.expression if attribute else None
        if isinstance(given, dict):
            for name, reference in given.items():
                if isinstance(reference, Reference):
                    passed[name] = self._by_name.get(".".join(reference.steps), Place())
        return Places(passed)

    def of(self, block: Block, type_: str) -> Place:
        attribute = block.body.attributes.get("provider")
        chosen = attribute.expression if attribute else None
        name = ".".join(chosen.steps) if isinstance(chosen, Reference) else type_.partition("_")[0]
        return self._by_name.get(name, Place())


def _configured(block: Block, scope: Scope) -> list[tuple[str, Place]]:
    if not block.labels:
        return []
    alias = scope.attribute(block, "alias")
    name = f"{block.labels[0]}.{alias}" if isinstance(alias, str) else block.labels[0]
    region = scope.attribute(block, "region")
    accounts = scope.attribute(block, "allowed_account_ids")
    account = accounts[0] if isinstance(accounts, list) and len(accounts) == 1 else _first(block, scope)
    return [(name, Place(_text(region), _text(account)))]


def _first(block: Block, scope: Scope) -> Any:
    return scope.attribute(block, "project") or scope.attribute(block, "subscription_id")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
