"""Roles and bindings, arranged so that the rules of one identity are found without looking at those of others."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from plumbline.access.identity import Identity, service_account_name
from plumbline.apiserver.rbac.rules import Rule, rules_from
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

GROUP: Final = "rbac.authorization.k8s.io"
ROLE_KINDS: Final = ("ClusterRole", "Role")
BINDING_KINDS: Final = ("ClusterRoleBinding", "RoleBinding")

Place: TypeAlias = tuple[str, str]
"""Namespace and name; what belongs to the cluster has no namespace."""


class RoleRef(NamedTuple):
    group: str
    kind: str
    name: str

    def missing(self, resource: str = "") -> str:
        """What is said where it leads nowhere; *resource* stands in for its kind, as in the answers to writes."""
        if self.kind not in ROLE_KINDS:
            return f"unsupported role reference kind: {quoted(self.kind)}"
        return f"{resource or self.kind.lower()}.{GROUP} {quoted(self.name)} not found"


class Subject(NamedTuple):
    """`title` is how reasons call it."""

    kind: str
    name: str
    title: str


class Binding(NamedTuple):
    ref: RoleRef
    subjects: tuple[Subject, ...]


class Grant(NamedTuple):
    """Rules that a binding gives; none where its role is `lost`."""

    source: str
    rules: tuple[Rule, ...]
    lost: RoleRef | None = None


class Index:
    def __init__(self) -> None:
        self._roles: dict[Place, tuple[Rule, ...]] = {}
        self._bindings: dict[Place, Binding] = {}
        self._bound: dict[tuple[str, str, str], set[str]] = {}

    def observe(self, obj: JsonObject) -> bool:
        """Take in a role or binding as it is now; True where that can change a decision."""
        kind, place = obj.get("kind"), _place(obj)
        if kind in ROLE_KINDS:
            rules = rules_from(obj)
            if self._roles.get(place) == rules:
                return False
            self._roles[place] = rules
            return True
        if kind not in BINDING_KINDS:
            return False
        binding = _binding(obj, place[0])
        if self._bindings.get(place) == binding:
            return False
        self._unbind(place)
        self._bindings[place] = binding
        for subject in binding.subjects:
            self._bound.setdefault((place[0], subject.kind, subject.name), set()).add(place[1])
        return True

    def forget(self, kind: str, namespace: str, name: str) -> bool:
        """Leave out what was deleted; True where that can change a decision."""
        if kind in ROLE_KINDS:
            return self._roles.pop((namespace, name), None) is not None
        return kind in BINDING_KINDS and self._unbind((namespace, name))

    def grants(self, identity: Identity, namespace: str) -> Iterator[Grant]:
        """What the cluster's bindings give, then those of *namespace*, each in the order of their names."""
        scopes = ("", namespace) if namespace else ("",)
        for scope in scopes:
            for name in sorted(self._binding_names(identity, scope)):
                yield self._grant(identity, scope, name)

    def referenced(self, ref: RoleRef, namespace: str) -> tuple[Rule, ...] | None:
        """The rules of the role that a binding in *namespace* names."""
        if ref.kind == "ClusterRole":
            return self._roles.get(("", ref.name))
        return self._roles.get((namespace, ref.name)) if ref.kind == "Role" and namespace else None

    def _binding_names(self, identity: Identity, scope: str) -> set[str]:
        names = set(self._bound.get((scope, "User", identity.name), ()))
        for group in identity.groups:
            names.update(self._bound.get((scope, "Group", group), ()))
        return names

    def _grant(self, identity: Identity, scope: str, name: str) -> Grant:
        ref, subjects = self._bindings[scope, name]
        rules = self.referenced(ref, scope)
        if rules is None:
            return Grant("", (), ref)
        title = next(subject.title for subject in subjects if _applies(subject, identity))
        binding = f"RoleBinding {quoted(f'{name}/{scope}')}" if scope else f"ClusterRoleBinding {quoted(name)}"
        return Grant(f"{binding} of {ref.kind} {quoted(ref.name)} to {title}", rules)

    def _unbind(self, place: Place) -> bool:
        binding = self._bindings.pop(place, None)
        if binding is None:
            return False
        for subject in binding.subjects:
            key = (place[0], subject.kind, subject.name)
            names = self._bound.get(key, set())
            names.discard(place[1])
            if not names:
                self._bound.pop(key, None)
        return True


def role_ref(binding: JsonObject) -> RoleRef:
    ref = binding.get("roleRef")
    if not isinstance(ref, dict):
        return RoleRef(GROUP, "", "")
    return RoleRef(_text(ref, "apiGroup") or GROUP, _text(ref, "kind"), _text(ref, "name"))


def _binding(obj: JsonObject, namespace: str) -> Binding:
    subjects = obj.get("subjects")
    read = (
        (_subject(each, namespace) for each in subjects if isinstance(each, dict)) if isinstance(subjects, list) else ()
    )
    return Binding(role_ref(obj), tuple(each for each in read if each is not None))


def _subject(value: JsonObject, namespace: str) -> Subject | None:
    """A ServiceAccount is the user whose name it makes; without a namespace it is that of the binding, or nobody."""
    kind, name = _text(value, "kind"), _text(value, "name")
    if kind in {"User", "Group"}:
        return Subject(kind, name, f"{kind} {quoted(name)}")
    where = _text(value, "namespace") or namespace
    if kind != "ServiceAccount" or not where:
        return None
    return Subject("User", service_account_name(where, name), f"{kind} {quoted(f'{name}/{where}')}")


def _applies(subject: Subject, identity: Identity) -> bool:
    return subject.name == identity.name if subject.kind == "User" else subject.name in identity.groups


def _place(obj: JsonObject) -> Place:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return "", ""
    return _text(metadata, "namespace"), _text(metadata, "name")


def _text(value: JsonObject, field: str) -> str:
    found: Json = value.get(field)
    return found if isinstance(found, str) else ""
