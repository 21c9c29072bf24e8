"""The gate that asks webhooks, as one of the gates that every write passes."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.metadata import in_namespace
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.apiserver.storage.store import Store
from plumbline.apiserver.webhooks.addresses import LocalAddresses
from plumbline.apiserver.webhooks.calling import HookCaller
from plumbline.apiserver.webhooks.configurations import Configurations
from plumbline.apiserver.webhooks.invoking import Invoker
from plumbline.apiserver.webhooks.managers import with_valid_managers
from plumbline.apiserver.webhooks.matching import Matcher, exempt
from plumbline.apiserver.webhooks.mutating import MutatingRounds
from plumbline.apiserver.webhooks.subjects import Subject, subject_of
from plumbline.apiserver.webhooks.validating import validate
from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject

Mutate = Callable[[Attributes], Awaitable[JsonObject]]


class WebhookAdmission:
    """*again* is what else changes objects: it runs once more after a webhook changed one."""

    def __init__(
        self, configurations: Configurations, matcher: Matcher, invoker: Invoker, again: Mutate | None = None
    ) -> None:
        self._configurations = configurations
        self._matcher = matcher
        self._invoker = invoker
        self._again = again

    async def mutated(self, attributes: Attributes) -> JsonObject:
        hooks = self._configurations.mutating
        before = attributes.obj or {}
        if not hooks:
            return before
        subject = subject_of(attributes)
        if exempt(subject):
            return before
        after = await self._mutated(attributes, subject)
        if after is before or attributes.operation is Operation.CONNECT:
            return after
        after = with_valid_managers(after, before, attributes.scope.warnings)
        return in_namespace(after, attributes.scope) if attributes.operation is Operation.CREATE else after

    async def _mutated(self, attributes: Attributes, subject: Subject) -> JsonObject:
        rounds = MutatingRounds(self._matcher, self._invoker, self._configurations.mutating)
        after = await rounds.first(subject)
        if rounds.changed:
            after = await rounds.second(await self._between(attributes, after))
        return after.obj or {}

    async def _between(self, attributes: Attributes, subject: Subject) -> Subject:
        if self._again is None or subject.obj is None:
            return subject
        return subject.with_object(await self._again(msgspec.structs.replace(attributes, obj=subject.obj)))

    async def check(self, attributes: Attributes) -> None:
        """A deletion changes no object, so that webhooks of both sorts are asked here."""
        configurations = self._configurations
        deletes = attributes.operation is Operation.DELETE and bool(configurations.mutating)
        if not configurations.validating and not deletes:
            return
        subject = subject_of(attributes)
        if exempt(subject):
            return
        if deletes:
            await MutatingRounds(self._matcher, self._invoker, configurations.mutating).first(subject)
        await validate(self._matcher, self._invoker, configurations.validating, subject)


def hook_caller(store: Store, clock: Clock, addresses: LocalAddresses) -> HookCaller:
    """For one plane; to be closed with it."""
    return HookCaller(clock, addresses, lambda namespace, name: _service(store, namespace, name))


def webhook_admission(
    store: Store, registry: Registry, caller: HookCaller, ids: Ids, *, again: Mutate | None = None
) -> WebhookAdmission:
    matcher = Matcher(_Equivalents(registry), lambda name: _namespace_labels(store, name))
    return WebhookAdmission(Configurations(store), matcher, Invoker(caller, ids), again)


class _Equivalents:
    """Models by where their objects are stored, good for one generation of the registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._generation = -1
        self._found: dict[Collection, list[Model]] = {}

    def __call__(self, model: Model) -> list[Model]:
        if self._generation != self._registry.generation:
            self._found = {}
            for each in self._registry.models:
                self._found.setdefault(each.resource.collection, []).append(each)
            self._generation = self._registry.generation
        return self._found.get(model.resource.collection, [])


def _namespace_labels(store: Store, name: str) -> Mapping[str, str]:
    entry = store.head(Key(Collection("", "namespaces"), "", name))
    if entry is None:
        raise statuses.not_found("", "namespaces", name)
    return entry.labels


def _service(store: Store, namespace: str, name: str) -> JsonObject | None:
    entry = store.head(Key(Collection("", "services"), namespace, name))
    return entry.object() if entry else None
