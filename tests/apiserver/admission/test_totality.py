"""Whatever JSON is written and whatever lies around in the store: a plugin changes the object, or refuses it."""

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.apiserver.strategies.test_totality import _object, shaped

from plumbline.access.identity import Identity
from plumbline.apiserver.admission import BuiltinAdmission, builtin_plugins
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.rbac import Authorizer
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.resources.resource import Collection, Resource
from plumbline.base.clock import SystemClock
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject

WATCHED = (
    "pods",
    "persistentvolumeclaims",
    "namespaces",
    "nodes",
    "ingresses",
    "certificatesigningrequests",
    "priorityclasses",
    "deployments",
)
RESOURCES = [each for each in builtin_resources() if each.plural in WATCHED]
KINDS = {each.collection: each.kind for each in builtin_resources()}
SUBRESOURCES = {
    "pods": ("", "status", "resize", "ephemeralcontainers"),
    "certificatesigningrequests": ("", "approval", "status"),
}


class Attic:
    """Everything that is asked for is there, and is anything at all."""

    def __init__(self, drawn: st.DataObject) -> None:
        self._drawn = drawn

    def get(self, collection: Collection, namespace: str, name: str) -> JsonObject | None:
        kind = KINDS[collection]
        return _object(kind, self._drawn.draw(shaped(kind)))

    def objects(self, collection: Collection, namespace: str = "") -> list[JsonObject]:
        found = self.get(collection, namespace, "x")
        return [found] if found else []


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda each: each.plural)
@settings(max_examples=settings.default.max_examples // 5)
@given(drawn=st.data())
def test_admission_takes_any_object(resource: Resource, drawn: st.DataObject) -> None:
    authorizer = Authorizer()
    plugins = builtin_plugins(Attic(drawn), authorizer, SystemClock(), Ids(1))
    admission = BuiltinAdmission(plugins, authorizer)
    subresource = drawn.draw(st.sampled_from(SUBRESOURCES.get(resource.plural, ("",))))
    operation = drawn.draw(st.sampled_from([Operation.CREATE, Operation.UPDATE, Operation.DELETE]))
    scope = Scope(BuiltinModel(resource), Identity("me"), "ns" if resource.namespaced else "", "n", subresource)
    new, old = (_object(resource.kind, drawn.draw(shaped(resource.kind))) for _ in range(2))

    async def pass_through() -> None:
        attributes = Attributes(scope, operation, new, None if operation is Operation.CREATE else old)
        if operation is Operation.DELETE:
            await admission.check(Attributes(scope, operation, None, old))
            return
        with suppress(RequestRefused):
            await admission.mutated(attributes)
        with suppress(RequestRefused):
            await admission.check(attributes)

    with suppress(RequestRefused):
        asyncio.run(pass_through())
