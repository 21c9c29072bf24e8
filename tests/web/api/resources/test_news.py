"""News of the tree below an application: of its own pods, as they come and go, and of nobody else's."""

from contextlib import AsyncExitStack

from tests.web.api.resources.scene import config_map, deployment, told

from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.resources import news

PODS = GroupVersionResource("", "v1", "pods")
FILES = {
    "web/a.yaml": deployment(replicas=1),
    "other/a.yaml": deployment("other", replicas=1),
    "plain/a.yaml": config_map("plain"),
}
TREE = "argocd/web/tree"


async def opened(scene, stack, app="web"):
    heard = []
    await stack.enter_async_context(scene.api.feed.following(f"application:argocd/{app}", heard.append))
    return heard


async def ready(scene, *apps):
    for app in apps:
        await scene.place.deploy(app)
    for app in apps:
        await scene.healthy(app)
    await scene.desk.board.rows()
    await scene.place.settle(5)


@told(files=FILES)
async def test_a_pod_that_goes_and_the_one_that_comes_are_news_of_their_own_application(scene):
    await ready(scene, "other")
    async with AsyncExitStack() as stack:
        mine, others = await opened(scene, stack), await opened(scene, stack, "other")
        assert len(scene.api._nests) == 1
        await scene.place.settle(10)
        assert (mine, others) == ([], [])
        (pod,) = [each for each in await scene.pods() if each["name"].startswith("web-")]
        await scene.client.delete(Target(PODS, "shop", pod["name"]))
        await scene.place.settle(30)
        assert others == []
        assert {(each.key, each.scope) for each in mine} == {(TREE, "default/web")}
        assert 1 <= len(mine) <= 30 / news.EVERY_S
        (later,) = [each for each in await scene.pods() if each["name"].startswith("web-")]
        assert later["name"] != pod["name"]
    assert len(scene.api._nests) == 0


@told(files=FILES)
async def test_whoever_hears_of_it_is_not_shown_what_was_there_before(scene):
    async with AsyncExitStack() as stack:
        mine = await opened(scene, stack)
        (before,) = await scene.pods()
        await scene.client.delete(Target(PODS, "shop", before["name"]))

        async def heard():
            return mine

        await scene.place.until(heard, every_s=0.05)
        assert [each["name"] for each in await scene.pods()] != [before["name"]]


@told(files=FILES)
async def test_what_comes_to_be_delivered_later_counts_too(scene):
    await scene.desk.board.rows()
    async with AsyncExitStack() as stack:
        mine = await opened(scene, stack)
        scene.place.repository.change(web__b_yaml=deployment("more"))
        await scene.place.settle(300)
        mine.clear()
        (pod,) = [each for each in await scene.pods() if each["name"].startswith("more-")]
        await scene.client.delete(Target(PODS, "shop", pod["name"]))
        await scene.place.settle(10)
        assert mine


@told(files=FILES)
async def test_of_too_many_places_the_last_are_not_watched(scene):
    most, news.MOST = news.MOST, 0
    try:
        async with AsyncExitStack() as stack:
            mine = await opened(scene, stack)
            await scene.client.delete(Target(PODS, "shop", (await scene.pods())[0]["name"]))
            await scene.place.settle(10)
            assert (mine, len(scene.api._nests)) == ([], 0)
    finally:
        news.MOST = most


@told(files=FILES)
async def test_an_application_that_is_not_there_has_no_tree(scene):
    async with AsyncExitStack() as stack:
        assert await opened(scene, stack, "none") == []
        assert len(scene.api._nests) == 0
