"""Which webhooks a request concerns, by their rules and selectors. Conditions are looked at elsewhere: they cost more."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.admission import Operation
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.webhooks.hooks import EXEMPT, GROUP, Hook, Rule
from plumbline.apiserver.webhooks.subjects import Subject, kind_of
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind, GroupVersionResource
from plumbline.kube.selectors.labels import LabelSelector

_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")

Equivalents = Callable[[Model], Sequence[Model]]
"""The models through which the same objects are served, those of other versions and groups included."""
NamespaceLabels = Callable[[str], Mapping[str, str]]
"""Raises RequestRefused where there is no such namespace."""


class Invocation(NamedTuple):
    """A webhook that is to be asked, and in which version."""

    hook: Hook
    model: Model
    kind: GroupVersionKind

    @property
    def resource(self) -> GroupVersionResource:
        return self.model.resource.name


class Matcher:
    def __init__(self, equivalents: Equivalents, namespace_labels: NamespaceLabels) -> None:
        self._equivalents = equivalents
        self._namespace_labels = namespace_labels

    def invocation(self, hook: Hook, subject: Subject) -> Invocation | None:
        """None where the webhook has nothing to do with it; raises RequestRefused where that cannot be found out."""
        if not _selects_object(hook.objects, subject):
            return None
        model = self._model(hook, subject)
        if model is None or not self._selects_namespace(hook.namespaces, subject):
            return None
        return Invocation(hook, model, kind_of(model, subject.subresource))

    def _model(self, hook: Hook, subject: Subject) -> Model | None:
        own = subject.scope.model
        if any(matches(rule, subject, subject.resource) for rule in hook.rules):
            return own
        if not hook.equivalent:
            return None
        others = [model for model in self._equivalents(own) if model is not own]
        for rule in hook.rules:
            for model in others:
                if matches(rule, subject, model.resource.name):
                    return model
        return None

    def _selects_namespace(self, selector: LabelSelector, subject: Subject) -> bool:
        if selector.empty or (not subject.namespace and subject.resource.resource != "namespaces"):
            return True
        return selector.matches(self._labels(subject))

    def _labels(self, subject: Subject) -> Mapping[str, str]:
        changes = subject.operation in (Operation.CREATE, Operation.UPDATE)
        if subject.resource.resource == "namespaces" and not subject.subresource and changes:
            return labels_of(subject.obj)
        return self._namespace_labels(subject.namespace)


def exempt(subject: Subject) -> bool:
    return subject.kind.group == GROUP and subject.kind.kind in EXEMPT


def matches(rule: Rule, subject: Subject, resource: GroupVersionResource) -> bool:
    return (
        _in_scope(rule.scope, subject, resource)
        and _among(subject.operation.value, rule.operations)
        and _among(resource.group, rule.groups)
        and _among(resource.version, rule.versions)
        and any(_names(each, resource.resource, subject.subresource) for each in rule.resources)
    )


def _in_scope(scope: str, subject: Subject, resource: GroupVersionResource) -> bool:
    if scope == "*":
        return True
    of_cluster = resource == _NAMESPACES or not subject.namespace
    return of_cluster == (scope == "Cluster")


def _among(one: str, listed: Sequence[str]) -> bool:
    return one in listed or "*" in listed


def _names(written: str, resource: str, subresource: str) -> bool:
    """`pods` is pods alone, `pods/*` its subresources too, `*/*` everything."""
    main, _, below = written.partition("/")
    return main in ("*", resource) and below in ("*", subresource)


def _selects_object(selector: LabelSelector, subject: Subject) -> bool:
    if selector.empty:
        return True
    states = (state for state in (subject.obj, subject.old) if state is not None and "metadata" in state)
    return any(selector.matches(labels_of(state)) for state in states)


def labels_of(obj: JsonObject | None) -> Mapping[str, str]:
    labels: Json = metadata_of(obj or {}).get("labels")
    return labels if isinstance(labels, dict) else {}
