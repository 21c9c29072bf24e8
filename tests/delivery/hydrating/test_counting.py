"""Dashboards of upstream's commit server find what they ask for."""

from tests.delivery.town import REPO, config_map, story

from plumbline.base.errors import Unauthenticated

from .branching import Branched, deploy, enable, phase

COMMITS = "argocd_commitserver_commit"


@story(files={"web/a.yaml": config_map("a")}, repository=Branched)
async def test_pushes_are_counted_with_how_they_ended_and_how_long_they_took(town):
    def counted(metric, outcome):
        labels = {"repo": REPO, "response_type": outcome}
        return town.world.metrics.registry.get_sample_value(f"{COMMITS}_{metric}", labels)

    town.repository.refused = Unauthenticated("no", why="wrong password")
    await enable(town)
    await deploy(town)
    await phase(town, "Failed")
    assert counted("request_total", "failure") == 1
    town.repository.refused = None
    await town.settle(150)
    await phase(town, "Hydrated")
    assert counted("request_total", "failure") == 1
    assert counted("request_total", "success") == 1
    assert counted("request_duration_seconds_count", "success") == 1
    pending = town.world.metrics.registry.get_sample_value(f"{COMMITS}_pending_request_total", {"repo": REPO})
    assert pending == 0
