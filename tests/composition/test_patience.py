"""What is in the way of a composite or a claim for a while is gone by itself: nobody has to touch them."""

from tests.composition.test_stories import MODERN, composite, modern
from tests.composition.works import CLAIMS, Function, claim, composition, config_map, message, state, story

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Answer, Resource, State
from plumbline.kube.client.transport import Response

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


BROKEN = {
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


class Unlistable:
    """A transport through which one kind cannot be listed, as where its conversion webhook is down."""

    def __init__(self, inner, plural):
        self._inner, self._plural, self.down = inner, plural, True

    async def send(self, request):
        if self.down and request.method == "GET" and request.path.endswith(f"/{self._plural}"):
            status = {
                "kind": "Status",
                "apiVersion": "v1",
                "status": "Failure",
                "code": 500,
                "message": "no conversion",
            }
            return Response(500, {"content-type": "application/json"}, encode(status))
        return await self._inner.send(request)

    async def close(self): ...


@story
async def test_a_kind_that_cannot_be_listed_is_the_matter_of_those_who_name_it(works):
    await works.define(definition=modern())
    await works.apply(BROKEN, "apiextensions.k8s.io/v1/customresourcedefinitions")
    caller = works.client._caller
    caller.transport = weather = Unlistable(caller.transport, "things")
    thing = {"apiVersion": "example.net/v1", "kind": "Thing", "name": "one"}
    for at in range(20):
        await works.apply(composite(f"hostile-{at}", crossplane={"resourceRefs": [thing]}), MODERN)
    await works.settle(10)
    await works.apply(composite("orders"), MODERN)

    async def is_ready(name="orders"):
        return state(await works.get(MODERN, name), "Ready") == "True"

    await works.until(is_ready)
    await works.told(lambda: works.get(MODERN, "hostile-3"), "Synced", "no conversion")
    weather.down = False
    await works.until(lambda: is_ready("hostile-3"))


@story
async def test_a_revision_that_lost_its_labels_gets_them_back(works):
    await works.define()
    where = "apiextensions.crossplane.io/v1/compositionrevisions"

    async def revisions():
        return await works.list(where)

    (made,) = await works.until(revisions)
    lost = dict.fromkeys(made["metadata"]["labels"])
    await works.patch(where, made["metadata"]["name"], {"metadata": {"labels": lost}}, "")
    sent = counting(works)
    await works.patch(
        "apiextensions.crossplane.io/v1/compositions", "plain", {"metadata": {"finalizers": ["example.org/x"]}}, ""
    )
    await works.settle(120)
    assert sent.count("/apis/apiextensions.crossplane.io/v1/compositionrevisions") < 20
    (again,) = await revisions()
    assert again["metadata"]["labels"] == made["metadata"]["labels"]
    await works.apply(claim(), CLAIMS)
    await works.ready()


def counting(works):
    """The paths of everything that is made from here on."""
    caller, sent = works.client._caller, []

    class Counting:
        def __init__(self, inner):
            self._inner = inner

        async def send(self, request):
            if request.method == "POST":
                sent.append(request.path)
            return await self._inner.send(request)

        async def close(self): ...

    caller.transport = Counting(caller.transport)
    return sent
