"""From a dry source to a branch, and from there to the cluster."""

from tests.delivery.town import config_map, story

from .branching import Branched, deploy, enable, hydrated_at, phase

FILES = {"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b"), "notes.txt": "nothing"}


@story(files=FILES, repository=Branched)
async def test_the_first_hydration_makes_the_branch_and_the_application_is_synced_from_it(town):
    await enable(town)
    await deploy(town)
    status = await phase(town, "Hydrated")
    sha = town.repository.branches["env/dev"]
    files = town.repository.files("env/dev")
    assert sorted(files) == [
        ".gitattributes",
        "hydrator.metadata",
        "web/README.md",
        "web/hydrator.metadata",
        "web/manifest.yaml",
    ]
    app = await town.synced(revision=sha)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    operation = status["currentOperation"]
    assert (operation["drySHA"], operation["hydratedSHA"], operation["message"]) == (town.repository.head, sha, "")
    assert operation["sourceHydrator"] == app["spec"]["sourceHydrator"]
    last = status["lastSuccessfulOperation"]
    assert last == {name: operation[name] for name in ("drySHA", "hydratedSHA", "sourceHydrator")}
    assert status["lastComparedDryRevision"] == town.repository.head
    assert operation["startedAt"] <= operation["finishedAt"]
