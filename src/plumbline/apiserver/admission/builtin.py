"""The built-in plugins, one after the other, in the order that Kubernetes gives them."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from plumbline.apiserver.admission.accounts import ServiceAccounts
from plumbline.apiserver.admission.certificates import CertificateDecisions, CertificateSubjects
from plumbline.apiserver.admission.classes import DefaultIngressClass, DefaultStorageClass
from plumbline.apiserver.admission.escalation import Escalation
from plumbline.apiserver.admission.jobs import OrphanedPods
from plumbline.apiserver.admission.limits import LimitRanger
from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.namespaces import NamespaceLifecycle
from plumbline.apiserver.admission.nodes import NewNodesNotReady, PodTopologyLabels
from plumbline.apiserver.admission.plugin import Plugin, object_of
from plumbline.apiserver.admission.podsecurity.plugin import PodSecurity
from plumbline.apiserver.admission.priorities import Priorities
from plumbline.apiserver.admission.resizing import ClaimResizing, PodResizing
from plumbline.apiserver.admission.runtimes import RuntimeClasses
from plumbline.apiserver.admission.storage import StorageProtection
from plumbline.apiserver.admission.tolerations import DefaultTolerations
from plumbline.apiserver.admission.unenforced import Unenforced
from plumbline.apiserver.objects.admission import Admission, Attributes, NoAdmission
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.resources import resource
from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject


def builtin_plugins(
    lookups: Lookups, authorizer: Authorizer, clock: Clock, ids: Ids, *, disabled: Collection[str] = ()
) -> tuple[Plugin, ...]:
    """All of them but those *disabled* by name."""
    plugins: tuple[Plugin, ...] = (
        NamespaceLifecycle(lookups),
        LimitRanger(lookups),
        ServiceAccounts(lookups, clock, ids),
        NewNodesNotReady(),
        PodSecurity(lookups),
        Priorities(lookups),
        DefaultTolerations(),
        DefaultStorageClass(lookups),
        StorageProtection(),
        ClaimResizing(lookups),
        RuntimeClasses(lookups),
        CertificateDecisions(authorizer),
        CertificateSubjects(),
        DefaultIngressClass(lookups),
        PodTopologyLabels(lookups),
        PodResizing(lookups),
        OrphanedPods(),
        Unenforced(),
    )
    return tuple(plugin for plugin in plugins if plugin.name not in disabled)


class BuiltinAdmission:
    """Built-in plugins, then *webhooks*, then the check that nobody grants more than they hold."""

    def __init__(self, plugins: Sequence[Plugin], authorizer: Authorizer, *, webhooks: Admission | None = None) -> None:
        self._plugins = tuple(plugins)
        self.webhooks = webhooks or NoAdmission()
        self._escalation = Escalation(authorizer)
        self._concerned: dict[resource.Collection, tuple[Plugin, ...]] = {}

    async def plugged(self, attributes: Attributes) -> JsonObject:
        """What the plugins alone make of an object; they look again at what a webhook changed."""
        for plugin in self._of(attributes.scope.resource.collection):
            attributes = _with_object(attributes, await plugin.mutated(attributes))
        return object_of(attributes)

    async def mutated(self, attributes: Attributes) -> JsonObject:
        attributes = _with_object(attributes, await self.plugged(attributes))
        attributes = _with_object(attributes, await self.webhooks.mutated(attributes))
        self._escalation.refuse(attributes)
        return object_of(attributes)

    async def check(self, attributes: Attributes) -> None:
        for plugin in self._of(attributes.scope.resource.collection):
            await plugin.check(attributes)
        await self.webhooks.check(attributes)

    def _of(self, collection: resource.Collection) -> tuple[Plugin, ...]:
        found = self._concerned.get(collection)
        if found is None:
            found = tuple(each for each in self._plugins if each.concerns is None or collection in each.concerns)
            self._concerned[collection] = found
        return found


def _with_object(attributes: Attributes, obj: JsonObject) -> Attributes:
    return attributes if obj is attributes.obj else replace(attributes, obj=obj)
