"""Managed resources: which thing outside a Crossplane object stands for."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.object import Object
from plumbline.ownership.external import Described, Partial, Scope, Value, camel, resource, rule_of_kind, type_of_kind
from plumbline.ownership.values import Claim, ClusterObject, External, Owner, Source, Unnamed

EXTERNAL_NAME: Final = "crossplane.io/external-name"
_WRITES: Final = frozenset({"*", "Create", "Update", "Delete"})
OBJECT_GROUPS: Final = frozenset({"kubernetes.crossplane.io", "kubernetes.m.crossplane.io"})


def learn_managed(obj: JsonObject, cluster: str = "", local_configs: frozenset[str] = frozenset()) -> list[Claim]:
    """What the object claims outside: nothing where it is no managed resource, or only observes.

    *local_configs* are the names of those ProviderConfigs of provider-kubernetes that lead to the same cluster.
    """
    view = Object(obj)
    kind = view.group_kind
    type_ = type_of_kind(kind)
    is_object = kind.kind == "Object" and kind.group in OBJECT_GROUPS
    if not (type_ or is_object) or not writes(view.spec):
        return []
    found = _inner(view, cluster, local_configs) if is_object else named_by(naming_of(view))
    if found is None:
        return []
    owner = Owner.of("crossplane", view.ref, cluster)
    source = Source(object=ClusterObject(view.ref, cluster), said=_said(naming_path(view)))
    return [Claim(found, owner, source, since=view.creation_timestamp)]


def writes(spec: JsonObject) -> bool:
    """Whether its policies let it change anything; without any it may do everything."""
    policies = spec.get("managementPolicies")
    return not isinstance(policies, list) or any(isinstance(each, str) and each in _WRITES for each in policies)


class Naming(NamedTuple):
    """The fields of a managed resource that say which thing it stands for; each may be known in part."""

    kind: GroupKind
    address: str
    name: Value = ""
    external_name: Value = ""
    written: Mapping[str, Value] = {}
    """What `forProvider` says, over what `initProvider` does."""
    config: str = "ProviderConfig/default"
    arn: Value = ""


def naming_of(view: Object) -> Naming:
    config = _mapping(view.spec, "providerConfigRef")
    return Naming(
        view.group_kind,
        f"{view.kind}/{view.name or view.generate_name}",
        view.name,
        view.annotations.get(EXTERNAL_NAME, ""),
        {**_mapping(view.spec, "initProvider"), **_mapping(view.spec, "forProvider")},
        f"{config.get('kind') or 'ProviderConfig'}/{config.get('name') or 'default'}",
        _mapping(view.status, "atProvider").get("arn"),
    )


def named_by(naming: Naming) -> External | Unnamed:
    """The thing that a managed resource stands for, by what it says itself and what was reported about it."""
    rule = rule_of_kind(naming.kind)
    attributes: dict[str, Any] = {"arn": naming.arn}
    for name in (*(rule.names if rule else ("name",)), "region", "location", "project"):
        attributes[name] = _value(naming.written, camel(name))
    if rule and rule.external_name and (own := naming.external_name or naming.name):
        attributes[rule.names[-1]] = own
    server = naming.config if rule and rule.scope is Scope.SERVER else ""
    type_ = type_of_kind(naming.kind)
    return resource(Described(type_, naming.address, attributes, naming.external_name, account=server))


def naming_path(view: Object) -> tuple[str, ...]:
    """The field that says which thing it is, whether it is there or should be."""
    if view.group_kind.group in OBJECT_GROUPS:
        return ("spec", "forProvider", "manifest")
    rule = rule_of_kind(view.group_kind)
    field = camel(rule.names[0]) if rule and rule.names and not rule.external_name else ""
    named_outside = EXTERNAL_NAME in view.annotations
    if field and (field in _mapping(view.spec, "forProvider") or not named_outside):
        return ("spec", "forProvider", field)
    return ("metadata", "annotations", EXTERNAL_NAME) if named_outside else ("metadata", "name")


def is_local_config(obj: JsonObject) -> bool:
    """Whether it is a ProviderConfig of provider-kubernetes that leads to the cluster it is in."""
    view = Object(obj)
    of_provider = view.kind in {"ProviderConfig", "ClusterProviderConfig"} and view.group_kind.group in OBJECT_GROUPS
    return of_provider and _mapping(view.spec, "credentials").get("source") == "InjectedIdentity"


def _said(path: tuple[str, ...]) -> str:
    return f"annotation {path[-1]}" if path[1] == "annotations" else ".".join(path)


def _value(written: Mapping[str, Value], field: str) -> Value:
    value = written.get(field)
    if isinstance(value, str | Partial) and value:
        return value
    # Filled in from another object, whose name may be anything.
    return Partial() if f"{field}Ref" in written or f"{field}Selector" in written else None


def _inner(view: Object, cluster: str, local_configs: frozenset[str]) -> ClusterObject | None:
    manifest = _mapping(_mapping(view.spec, "forProvider"), "manifest")
    ref = Ref.of(manifest)
    if not ref.kind or not ref.name:
        return None
    config = str(_mapping(view.spec, "providerConfigRef").get("name") or "default")
    return ClusterObject(ref, cluster if config in local_configs else f"ProviderConfig/{config}")


def _mapping(parent: Mapping[str, Json], field: str) -> JsonObject:
    value = parent.get(field)
    return value if isinstance(value, dict) else {}
