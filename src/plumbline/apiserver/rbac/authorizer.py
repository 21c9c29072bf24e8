"""The decision whether somebody may do something, from roles and bindings that are fed in as they change."""

from typing import Final, NamedTuple

from plumbline.access.identity import Identity
from plumbline.apiserver.rbac.attributes import Attributes, Decision
from plumbline.apiserver.rbac.index import Grant, Index, RoleRef
from plumbline.apiserver.rbac.rules import Rule
from plumbline.apiserver.statuses import aggregated
from plumbline.base.json import JsonObject, decode

# Paths, users and groups come from outside; a cache that is full starts anew instead of growing.
_VERDICTS: Final = 8192
_LONGEST: Final = 1024
"""Characters of what is asked about: whoever makes up more than any name has is not remembered."""

_MASTER: Final = Decision(allowed=True)


class HeldRules(NamedTuple):
    """`lost` are the roles that bindings name and that do not exist: with them there may be more."""

    rules: tuple[Rule, ...]
    lost: tuple[RoleRef, ...] = ()

    def fault(self, resource: str = "") -> str:
        """What is said about the lost ones; nothing where there are none."""
        return aggregated(ref.missing(resource) for ref in self.lost) if self.lost else ""


class _Verdict(NamedTuple):
    """What holds for some names, and for all others."""

    by_name: dict[str, Decision]
    otherwise: Decision


class Authorizer:
    """Feed it every role and binding; `decide` then reads no JSON and remembers its answers until a rule changes."""

    def __init__(self) -> None:
        self._index = Index()
        self._verdicts: dict[tuple[object, ...], _Verdict] = {}

    def observe(self, obj: JsonObject | bytes) -> None:
        """Take in a role or binding as it is now; other kinds are ignored."""
        if self._index.observe(decode(obj) if isinstance(obj, bytes) else obj):
            self._verdicts.clear()

    def forget(self, kind: str, namespace: str, name: str) -> None:
        if self._index.forget(kind, namespace, name):
            self._verdicts.clear()

    def decide(self, attributes: Attributes) -> Decision:
        identity, verb, group, _, resource, subresource, namespace, name, path = attributes
        key = (identity.name, identity.groups, verb, group, resource, subresource, namespace, path)
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = self._verdict(attributes)
            if sum(map(len, (verb, group, resource, subresource, namespace, path or ""))) > _LONGEST:
                return verdict.by_name.get(name, verdict.otherwise)
            if len(self._verdicts) >= _VERDICTS:
                self._verdicts.clear()
            self._verdicts[key] = verdict
        by_name, otherwise = verdict
        return by_name.get(name, otherwise) if by_name else otherwise

    def rules_for(self, identity: Identity, namespace: str) -> HeldRules:
        """All that *identity* holds in *namespace*, or with an empty one in the whole cluster."""
        grants = list(self._index.grants(identity, namespace))
        return HeldRules(
            tuple(rule for grant in grants for rule in grant.rules),
            tuple(grant.lost for grant in grants if grant.lost),
        )

    def referenced(self, ref: RoleRef, namespace: str) -> tuple[Rule, ...] | None:
        """The rules of the role that a binding in *namespace* names; None where there is no such role."""
        return self._index.referenced(ref, namespace)

    def _verdict(self, attributes: Attributes) -> _Verdict:
        if attributes.identity.master:
            return _Verdict({}, _MASTER)
        by_name: dict[str, Decision] = {}
        lost: list[RoleRef] = []
        for grant in self._index.grants(attributes.identity, attributes.namespace):
            if grant.lost:
                lost.append(grant.lost)
            elif (decision := _found(grant, attributes, by_name)) is not None:
                return _Verdict(by_name, decision)
        fault = HeldRules((), tuple(lost)).fault()
        return _Verdict(by_name, Decision(allowed=False, reason=f"RBAC: {fault}" if fault else ""))


def _found(grant: Grant, attributes: Attributes, by_name: dict[str, Decision]) -> Decision | None:
    """A decision for all names, once a rule gives one; those for single names are left in *by_name*."""
    _, verb, group, _, resource, subresource, _, _, path = attributes
    allowed = None
    for rule in grant.rules:
        if path is not None:
            if rule.permits_path(verb, path):
                return _allowed(grant)
        elif rule.permits_resource(verb, group, resource, subresource):
            allowed = allowed or _allowed(grant)
            if not rule.names:
                return allowed
            for name in rule.names:
                by_name.setdefault(name, allowed)
    return None


def _allowed(grant: Grant) -> Decision:
    return Decision(allowed=True, reason=f"RBAC: allowed by {grant.source}")
