"""Nobody grants what they do not hold: the check on every write of a role or binding.

Who may `escalate` a role or `bind` one is exempt, and so are changes that only the garbage collector makes.
"""

from typing import Final, NamedTuple

from plumbline.access.identity import Identity
from plumbline.apiserver.rbac.attributes import Attributes
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.rbac.index import GROUP, ROLE_KINDS, RoleRef, role_ref
from plumbline.apiserver.rbac.rules import Rule, breadth, compacted, listed, missing, rules_from
from plumbline.apiserver.statuses import bad_request, forbidden, not_found, plain_failure
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical
from plumbline.kube.gotext import quoted

_RESOURCES: Final = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
_COLLECTED_FIELDS: Final = ("finalizers", "managedFields", "ownerReferences", "selfLink")

# Rules multiply: verbs by groups by resources by names. The largest role of Kubernetes itself makes some 500.
_BREADTH: Final = 20_000


class RoleWrite(NamedTuple):
    """`name` is that of the request's path, which a create does not have; `old` is what an update replaces."""

    identity: Identity
    obj: JsonObject
    namespace: str = ""
    name: str = ""
    old: JsonObject | None = None


def escalation_error(authorizer: Authorizer, write: RoleWrite) -> RequestRefused | None:
    """The refusal that a write of a Role, ClusterRole or binding of them deserves, or None."""
    kind = write.obj.get("kind")
    if kind not in _RESOURCES or write.identity.master or _only_collected(write):
        return None
    if kind in ROLE_KINDS:
        return None if _may_escalate(authorizer, write) else _role_error(authorizer, write)
    ref = role_ref(write.obj)
    return None if _may_bind(authorizer, write, ref) else _binding_error(authorizer, write, ref)


def _role_error(authorizer: Authorizer, write: RoleWrite) -> RequestRefused | None:
    if refusal := _grant_error(authorizer, write, rules_from(write.obj)):
        return refusal
    if _aggregates(write.obj) or _aggregates(write.old):
        # It can gather anything, so it takes everything; but who holds everything may escalate, and never comes here.
        return _refused(write, "must have cluster-admin privileges to use the aggregationRule")
    return None


def _binding_error(authorizer: Authorizer, write: RoleWrite, ref: RoleRef) -> RequestRefused | None:
    if ref.kind not in ROLE_KINDS:
        return plain_failure(500, ref.missing())
    if ref.kind == "Role" and not write.namespace:
        return bad_request("Namespace parameter required.")
    rules = authorizer.referenced(ref, write.namespace)
    if rules is None:
        return not_found(GROUP, _resource(write), ref.name)
    return _grant_error(authorizer, write, rules)


def _grant_error(authorizer: Authorizer, write: RoleWrite, wanted: tuple[Rule, ...]) -> RequestRefused | None:
    if breadth(wanted) > _BREADTH:
        return bad_request(f"the rules stand for more than {_BREADTH} permissions; split the role")
    identity = write.identity
    held = authorizer.rules_for(identity, write.namespace)
    lacking = missing(held.rules, wanted)
    if not lacking:
        return None
    lines = sorted({rule.described() for rule in compacted(lacking)})
    why = (
        f"user {quoted(identity.name)} (groups={listed(identity.groups)})"
        " is attempting to grant RBAC permissions not currently held:\n" + "\n".join(lines)
    )
    if held.lost:
        why += f"; resolution errors: [{held.fault(_resource(write))}]"
    return _refused(write, why)


def _may_escalate(authorizer: Authorizer, write: RoleWrite) -> bool:
    wish = Attributes(
        write.identity,
        "escalate",
        GROUP,
        "*",
        _resource(write),
        namespace=write.namespace,
        name=write.name,
    )
    return authorizer.decide(wish).allowed


def _may_bind(authorizer: Authorizer, write: RoleWrite, ref: RoleRef) -> bool:
    if ref.kind not in ROLE_KINDS:
        return False
    wish = Attributes(
        write.identity,
        "bind",
        ref.group,
        "*",
        _RESOURCES[ref.kind],
        namespace=write.namespace,
        name=ref.name,
    )
    return authorizer.decide(wish).allowed


def _only_collected(write: RoleWrite) -> bool:
    return write.old is not None and identical(_kept(write.obj), _kept(write.old))


def _kept(obj: JsonObject) -> JsonObject:
    """Without what the garbage collector writes, and without what is empty at the top."""
    metadata = obj.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    kept = {field: value for field, value in fields.items() if field not in _COLLECTED_FIELDS and value}
    return {field: value for field, value in obj.items() if value and field != "metadata"} | {"metadata": kept}


def _aggregates(role: JsonObject | None) -> bool:
    rule: Json = (role or {}).get("aggregationRule")
    return isinstance(rule, dict) and bool(rule.get("clusterRoleSelectors"))


def _refused(write: RoleWrite, why: str) -> RequestRefused:
    metadata = write.obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else ""
    return forbidden(GROUP, _resource(write), name if isinstance(name, str) else "", why)


def _resource(write: RoleWrite) -> str:
    return _RESOURCES[write.obj["kind"]]
