"""What could not be read is not taken for missing: neither from the cluster nor from a server."""

import pytest
from tests.cli.installed import config_map

from plumbline.base.errors import Forbidden, TimedOut
from plumbline.cli.applications.behind import served as by_server
from plumbline.cli.applications.objects import Filters, refuse_unread
from plumbline.kube.client import Client

NAME = "unread"


@pytest.fixture(scope="module")
def unread(installed):
    """Files of an application that all tests here look at."""
    installed.push({f"{NAME}/a.yaml": config_map("unread-a"), f"{NAME}/b.yaml": config_map("unread-b")})
    return NAME


@pytest.fixture
def application(shop, unread):
    shop.create(unread)
    shop.done("app", "sync", unread, "--timeout", "60")
    yield unread
    shop.done("app", "delete", unread, "--yes", "--wait")


@pytest.fixture
def away():
    """Makes reads fail: of the objects that are named, and of lists of the kinds that are."""
    get, pages, listed, names, kinds = Client.get, Client.pages, Client.list, set(), set()

    async def getting(client, target, **more):
        if target.name in names:
            raise TimedOut("GET /one took too long")
        return await get(client, target, **more)

    def paging(client, target, *more, **options):
        if target.resource.resource in kinds:
            raise Forbidden("GET /all failed", why=f"{target.resource.resource} is forbidden")
        return pages(client, target, *more, **options)

    async def listing(client, target, *more, **options):
        if target.resource.resource in kinds:
            raise Forbidden("GET /all failed", why=f"{target.resource.resource} is forbidden")
        return await listed(client, target, *more, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "get", getting)
        patch.setattr(Client, "pages", paging)
        patch.setattr(Client, "list", listing)
        yield names, kinds


def test_an_object_that_cannot_be_read_is_no_object_that_is_not_there(shop, application, away):
    names, kinds = away
    kinds.update({"configmaps", "pods"})
    names.add("unread-a")
    one = ("--kind", "ConfigMap", "--resource-name", "unread-a")
    for verb in ("get-resource", "patch-resource", "delete-resource"):
        more = {"patch-resource": ("--patch", "{}"), "delete-resource": ("-y",)}.get(verb, ())
        said = shop("app", verb, application, *one, *more)
        assert said.code == 7, said.err
        assert "took too long" in said.err
    assert shop("app", "get-resource", application, "--kind", "ConfigMap").code == 7, "one of two is not all of them"
    other = ("--kind", "ConfigMap", "--resource-name", "unread-b")
    assert shop("app", "get-resource", application, *other).code == 0
    assert shop("app", "get-resource", application, "--kind", "Pod").code == 4, "whether there are any is not known"
    assert shop("app", "get-resource", application, "--kind", "Secret").code == 5
    assert shop("app", "logs", application).code == 7, "they may be behind what cannot be read"


def test_a_tree_says_what_is_missing_in_it(shop, application, away):
    names, kinds = away
    names.add("unread-a")
    kinds.update({"configmaps", "pods"})
    notes = (
        "ConfigMap/unread-a cannot be read: GET /one took too long",
        "There may be more that cannot be seen: ConfigMap and Pod could not be listed: configmaps is forbidden.",
    )
    for said in (shop("app", "resources", application, "-o", "tree"), shop("app", "get", application, "-o", "tree")):
        assert said.code == 0
        assert [each for each in notes if each not in said.err] == []
        assert "unread-b" in said.out


def test_orphans_that_could_not_be_looked_for_are_named(shop, application, away):
    orphans = ("app", "resources", application, "--orphaned")
    shop.done("proj", "set", "default", "--orphaned-resources")
    try:
        assert shop(*orphans).err == ""
        away[1].add("configmaps")
        assert shop(*orphans).err.splitlines() == [
            "There may be more orphans: ConfigMap could not be listed: configmaps is forbidden."
        ]
    finally:
        shop.done("proj", "set", "default", "--orphaned-resources=false")


def test_a_server_tells_the_same():
    app = {"metadata": {"name": "a", "namespace": "argocd"}, "status": {"resources": [{"kind": "ConfigMap", "namespace": "n", "name": "x"}]}}  # fmt: skip
    said = {
        "nodes": [
            {"kind": "ConfigMap", "namespace": "n", "name": "x", "health": {"status": "Unknown", "message": "It cannot be read: away"}},
            {"kind": "ConfigMap", "namespace": "n", "name": "y", "health": {"status": "Missing"}},
        ],
        "unseen": [{"kind": "Pod", "namespace": "n", "why": "pods is forbidden"}],
    }  # fmt: skip
    tree = by_server._tree(app, said)
    assert [(each.ref.kind, each.ref.name, each.why) for each in tree.unread] == [
        ("ConfigMap", "x", "away"),
        ("Pod", "", "pods is forbidden"),
    ]
    refuse_unread(tree, Filters(kind="ConfigMap", name="y"))
    for filters in (Filters(kind="ConfigMap"), Filters(kind="Pod")):
        with pytest.raises(type(tree.unread[0].error)):
            refuse_unread(tree, filters, listed=False)
