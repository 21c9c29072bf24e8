"""What is in the way of a composite or a claim for a while is gone by itself: nobody has to touch them."""

from tests.composition.works import CLAIMS, Function, claim, composition, config_map, message, state, story

from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Answer, Resource, State

NAMESPACES = "v1/namespaces"


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


@story
async def test_a_composed_resource_whose_namespace_comes_late_is_composed_then(works):
    works.functions["compose"] = Function(
        lambda call: {
            "away": Resource(config_map("later"), ready="True"),
            "here": Resource(config_map(), ready="True"),
        }
    )
    await works.define()
    await works.apply(claim(), CLAIMS)
    told = await works.told(works.composite, "Synced", "'away'")
    assert 'namespaces "later" not found' in message(told, "Synced")
    await works.settle(120)
    await works.apply(namespace("later"), NAMESPACES)
    await works.ready()


@story
async def test_a_secret_in_the_way_of_connection_details_may_go_at_any_time(works):
    works.functions["compose"] = Function(lambda call: Answer(desired=State(Resource({}, {"p": Plaintext("x")}), {})))
    await works.define(composition(writeConnectionSecretsToNamespace="crossplane-system"))
    mine = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "mine", "namespace": "shop"},
        "data": {"k": "eA=="},
    }
    await works.apply(mine, "v1/secrets")
    await works.apply(claim(writeConnectionSecretToRef={"name": "mine"}), CLAIMS)
    await works.told(works.claim, "Synced", "Connection details are not written to Secret shop/mine")
    await works.settle(300)
    await works.delete("v1/secrets", "mine")

    async def published():
        return ((await works.get("v1/secrets", "mine")) or {}).get("data") == {"p": "eA=="}

    await works.until(published)
    assert state(await works.claim(), "Synced") == "True"
