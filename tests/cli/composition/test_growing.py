"""What a tree is grown from, where some of it may not be read."""

import pytest

from plumbline.base.errors import Forbidden
from plumbline.base.json import encode
from plumbline.composition.tracing.branches import Unlisted
from plumbline.composition.tracing.causes import passed_over, sentence, unlisted
from plumbline.composition.tracing.growing import Growing, Writer, events_of, writer_of
from plumbline.kube.client.bodies import Page
from plumbline.kube.client.catalog import Catalog, Resource

from .platform import GROUP, composite, obj, ref


def resource(kind, **more):
    return Resource(group=GROUP, version="v1", name=f"{kind.lower()}s", kind=kind, namespaced=True, **more)


class Refusing:
    """A cluster that serves some kinds, and lets nobody list some of them."""

    def __init__(self, *resources, items=(), refused=()):
        self._catalog, self._items, self._refused = Catalog(resources), items, refused
        self.asked = 0
        self.discovery = self

    async def catalog(self):
        return self._catalog

    async def resource(self, kind):
        return self._catalog.by_kind(kind) or resource(kind.kind)

    async def get(self, target):
        self.asked += 1
        name = target.name
        return encode(composite(f"{name}x", ref("XShop", f"{name}x"), ref("XShop", f"{name}y")))

    async def list(self, target, selection):
        if target.resource.resource in self._refused:
            raise Forbidden("it may not be listed")
        return Page([encode(each) for each in self._items], "1")


async def test_who_writes_a_secret_is_found_and_who_could_not_be_asked_is_named():
    secret = {"writeConnectionSecretToRef": {"name": "login"}}
    claims = resource("Hidden", categories=("claim",)), resource("Shop", categories=("claim",)), resource("Other")
    seen = Refusing(*claims, items=[obj("Shop", "s", "n", secret)], refused=("hiddens",))
    found = await writer_of(seen, "n", "login")
    assert found.obj["metadata"]["name"] == "s"
    assert found.unlisted == (), "whoever it is, it is found"
    assert await writer_of(seen, "n", "other") == Writer(None, (Unlisted("Hidden", "it may not be listed"),))


async def test_events_and_owned_objects_that_may_not_be_listed_are_named():
    refusing = Refusing(resource("Pod", verbs=frozenset({"list"})), refused=("events", "pods", "replicasets"))
    assert await events_of(refusing, obj("Pod", "p", "n")) == Unlisted("Event", "it may not be listed")
    tree = await Growing(refusing).tree(obj("Deployment", "d", "n", api_version="apps/v1"))
    assert tree.children == ()
    assert "Pod" in {each.kind for each in tree.unlisted}
    assert unlisted(tree).endswith("could not be listed: it may not be listed.")


async def test_a_workload_whose_pods_may_not_be_listed_says_so():
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "u"}
    sets = obj("ReplicaSet", "d-1", "n", api_version="apps/v1")
    sets["metadata"] |= {"uid": "r", "ownerReferences": [owner]}
    root = obj("Deployment", "d", "n", api_version="apps/v1")
    root["metadata"]["uid"] = "u"
    tree = await Growing(Refusing(items=[sets], refused=("pods",))).tree(root)
    (child,) = tree.children
    assert child.unlisted == (Unlisted("Pod", "it may not be listed"),)
    assert "all of it that can be seen: 2 objects. There may be more that cannot be seen: Pod could" in sentence(tree)


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        ("a", "a"),
        ("ab", "a and b"),
        ("cab", "a, b and c"),
        ("abcd", "a, b, c and 1 more kind"),
        ("abcdeab", "a, b, c and 2 more kinds"),
    ],
)
def test_kinds_that_could_not_be_listed_are_told_in_one_sentence(kinds, named):
    said = passed_over(Unlisted(each, f"no {each}.") for each in kinds)
    assert said == f"There may be more that cannot be seen: {named} could not be listed: no a."
    assert passed_over(()) == ""


async def test_a_tree_without_end_is_cut():
    endless = Refusing()
    tree = await Growing(endless).tree(composite("r", ref("XShop", "a")))
    depth, node = 0, tree
    while node.children:
        depth, node = depth + 1, node.children[0]
    assert depth <= 32
    assert endless.asked <= 20_000


@pytest.mark.parametrize("times", [("series",), ("eventTime",), ()])
async def test_events_are_ordered_by_their_newest_time(times):
    early, late = (obj("Event", name, "n", api_version="v1") for name in ("early", "late"))
    early["lastTimestamp"] = "2026-01-01T00:00:00Z"
    late["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z"
    for field in times:
        late[field] = {"lastObservedTime": "2026-03-01T00:00:00Z"} if field == "series" else "2026-03-01T00:00:00Z"
    found = await events_of(Refusing(items=[late, early]), obj("Pod", "p", "n"))
    assert [each["metadata"]["name"] for each in found] == ["early", "late"]
