"""Roles and bindings: rules that say something, subjects that can exist, a roleRef that stays."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid, not_supported, required
from plumbline.apiserver.validation.checks import collected, meta, meta_update, required_name_errors, subdomain_errors
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.names import path_segment, rbac_name
from plumbline.apiserver.validation.selectors import bad_label_selector, label_selector_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.errors import BadSelector
from plumbline.base.json import JsonObject
from plumbline.kube.selectors.labels import LabelSelector

_GROUP: Final = "rbac.authorization.k8s.io"


def _rule_errors(role: JsonObject, *, namespaced: bool) -> Iterator[FieldError]:
    for index, rule in enumerate(mappings(role.get("rules"))):
        field = f"rules[{index}]"
        if not rule.get("verbs"):
            yield required(f"{field}.verbs", "verbs must contain at least one value")
        if urls := texts(rule.get("nonResourceURLs")):
            yield from _url_errors(rule, urls, f"{field}.nonResourceURLs", namespaced=namespaced)
            continue
        if not rule.get("apiGroups"):
            yield required(f"{field}.apiGroups", "resource rules must supply at least one api group")
        if not rule.get("resources"):
            yield required(f"{field}.resources", "resource rules must supply at least one resource")


def _url_errors(rule: JsonObject, urls: list[str], field: str, *, namespaced: bool) -> Iterator[FieldError]:
    if namespaced:
        yield invalid(field, urls, "namespaced rules cannot apply to non-resource URLs")
    if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
        yield invalid(field, urls, "rules cannot apply to both regular resources and non-resource URLs")


@collected
def role_created(role: JsonObject) -> Iterator[FieldError]:
    yield from meta(role, namespaced=True, names=rbac_name)
    yield from _rule_errors(role, namespaced=True)


@collected
def role_updated(role: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from role_created(role)
    yield from meta_update(role, old)


def _cluster_role_errors(role: JsonObject, *, old_values: bool) -> Iterator[FieldError]:
    yield from meta(role, namespaced=False, names=rbac_name)
    yield from _rule_errors(role, namespaced=False)
    if not isinstance(aggregation := role.get("aggregationRule"), dict):
        return
    field, selectors = "aggregationRule.clusterRoleSelectors", mappings(aggregation.get("clusterRoleSelectors"))
    if not selectors:
        yield required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")
    for index, selector in enumerate(selectors):
        yield from label_selector_errors(selector, f"{field}[{index}]", old_values=old_values)
        try:
            LabelSelector.from_object(selector)
        except BadSelector:
            yield invalid(f"{field}[{index}]", None, "invalid label selector.")


@collected
def cluster_role_created(role: JsonObject) -> Iterator[FieldError]:
    yield from _cluster_role_errors(role, old_values=False)


@collected
def cluster_role_updated(role: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    selectors = mappings(mapping(old.get("aggregationRule")).get("clusterRoleSelectors"))
    yield from _cluster_role_errors(role, old_values=any(map(bad_label_selector, selectors)))
    yield from meta_update(role, old)


def _binding_errors(binding: JsonObject, *, namespaced: bool) -> Iterator[FieldError]:
    yield from meta(binding, namespaced=namespaced, names=rbac_name)
    ref = mapping(binding.get("roleRef"))
    if (group := text(ref.get("apiGroup"))) != _GROUP:
        yield not_supported("roleRef.apiGroup", group, (_GROUP,))
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    if (kind := text(ref.get("kind"))) not in kinds:
        yield not_supported("roleRef.kind", kind, kinds)
    yield from required_name_errors("roleRef.name", text(ref.get("name")), path_segment)
    for index, subject in enumerate(mappings(binding.get("subjects"))):
        yield from _subject_errors(subject, f"subjects[{index}]", namespaced=namespaced)


def _subject_errors(subject: JsonObject, field: str, *, namespaced: bool) -> Iterator[FieldError]:
    name, group, kind = (text(subject.get(each)) for each in ("name", "apiGroup", "kind"))
    if not name:
        yield required(f"{field}.name")
    if kind == "ServiceAccount":
        if name:
            yield from subdomain_errors(f"{field}.name", name)
        if group:
            yield not_supported(f"{field}.apiGroup", group, ("",))
        if not namespaced and not subject.get("namespace"):
            yield required(f"{field}.namespace")
    elif kind in {"User", "Group"}:
        if group != _GROUP:
            yield not_supported(f"{field}.apiGroup", group, (_GROUP,))
    else:
        yield not_supported(f"{field}.kind", kind, ("ServiceAccount", "User", "Group"))


def _fixed_ref_errors(binding: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    ref, former = (go_form(each.get("roleRef"), "RoleRef") for each in (binding, old))
    if ref != former:
        yield invalid("roleRef", ref, "cannot change roleRef")


@collected
def role_binding_created(binding: JsonObject) -> Iterator[FieldError]:
    yield from _binding_errors(binding, namespaced=True)


@collected
def role_binding_updated(binding: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _binding_errors(binding, namespaced=True)
    yield from meta_update(binding, old)
    yield from _fixed_ref_errors(binding, old)


@collected
def cluster_role_binding_created(binding: JsonObject) -> Iterator[FieldError]:
    yield from _binding_errors(binding, namespaced=False)


@collected
def cluster_role_binding_updated(binding: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _binding_errors(binding, namespaced=False)
    yield from meta_update(binding, old)
    yield from _fixed_ref_errors(binding, old)


CREATE: Final = {
    "ClusterRole": cluster_role_created,
    "ClusterRoleBinding": cluster_role_binding_created,
    "Role": role_created,
    "RoleBinding": role_binding_created,
}
UPDATE: Final = {
    "ClusterRole": cluster_role_updated,
    "ClusterRoleBinding": cluster_role_binding_updated,
    "Role": role_updated,
    "RoleBinding": role_binding_updated,
}
STATUS_UPDATE: Final[dict[str, object]] = {}
