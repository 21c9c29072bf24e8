"""Whoever may write in one namespace only gets at nothing of another by way of what is composed."""

from tests.composition.test_stories import MODERN, composite, modern
from tests.composition.works import Function, config_map, state, story

from plumbline.composition.functions.values import Resource

SPACES = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.net"},
    "spec": {
        "group": "example.net",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
CRDS, THINGS = "apiextensions.k8s.io/v1/customresourcedefinitions", "example.net/v1/things"


@story
async def test_functions_see_no_connection_details_of_another_namespace_that_something_composed_names(works):
    thing = {"apiVersion": "example.net/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {}}
    works.functions["compose"] = Function(lambda call: {"thing": Resource(thing), "config": Resource(config_map())})
    await works.apply(SPACES, CRDS)
    await works.define(definition=modern())
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"name": "db", "namespace": "crossplane-system"},
        "data": {"password": "czNjcmV0"},
    }
    await works.apply(secret, "v1/secrets")
    await works.apply(composite(), MODERN)

    async def synced():
        return state(await works.get(MODERN, "orders"), "Synced") == "True"

    await works.until(synced)
    stolen = {"spec": {"writeConnectionSecretToRef": {"name": "db", "namespace": "crossplane-system"}}}
    await works.patch(THINGS, "one", stolen)
    await works.settle(130)
    last = works.functions["compose"].calls[-1].observed.resources["thing"]
    assert last.resource["spec"] == stolen["spec"]
    assert not last.connection
