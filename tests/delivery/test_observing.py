"""An installation that only looks on writes nothing, and what was handed over is delivered."""

from plumbline.kinds.mandate import Grant, MandateSpec

from .town import config_map, story

FILES = {"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b")}
HANDED_OVER = MandateSpec(adopted=(Grant(group="argoproj.io", kind="Application", namespace="argocd", name="web"),))


@story(files=FILES, mandate=MandateSpec())
async def test_nothing_is_written_until_something_is_handed_over(town):
    await town.deploy()
    before = await town.app()
    await town.sync()
    await town.settle(600)
    after = await town.app()
    assert "status" not in after
    assert after["metadata"]["generation"] == before["metadata"]["generation"] + 1
    assert await town.get("v1/configmaps", "a") is None
    assert await town.effects() == []


@story(files=FILES, mandate=HANDED_OVER)
async def test_an_application_is_handed_over_with_what_it_delivers_and_no_other(town):
    await town.deploy("web")
    await town.deploy("db")
    await town.synced("web")
    await town.settle(60)
    assert await town.get("v1/configmaps", "a") is not None
    assert await town.get("v1/configmaps", "b") is None
    assert "status" not in await town.app("db")
