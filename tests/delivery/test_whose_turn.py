"""Applications of one project that all wait for somebody outside keep those of no other project waiting."""

import asyncio

from tests.delivery.hydrating.branching import APPLICATIONS, Branched, deploy, enable, hydrated, phase

from .town import SERVER, Repository, config_map, story

FILES = {"web/a.yaml": config_map("a")}
MANY = 200
DRIP_S = 900.0
"""So long a server may take for a first fetch that sends a little now and then."""
ADA = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "AppProject",
    "metadata": {"name": "ada"},
    "spec": {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]},
}


def drips(repository):
    """*repository*, where everything of Ada's comes drop by drop."""

    class Dripping(repository):
        def __init__(self):
            super().__init__()
            self.hanging = 0

        async def resolved(self, url, revision, *, project="", **more):
            if "/ada-" in url:
                self.hanging += 1
                try:
                    await asyncio.sleep(DRIP_S)
                finally:
                    self.hanging -= 1
            return await super().resolved(url, revision, project=project, **more)

    return Dripping


def theirs(number):
    return f"https://git.example.org/ada-{number}.git"


@story(files=FILES, repository=drips(Repository))
async def test_hundreds_of_sources_that_come_drop_by_drop_keep_no_other_project_waiting(town):
    await town.create("argoproj.io/v1alpha1/appprojects", ADA, "argocd")
    for number in range(MANY):
        source = {"repoURL": theirs(number), "path": "web", "targetRevision": "main"}
        await town.deploy(f"ada-{number}", project="ada", source=source)
    await town.settle(60)
    before = town.repository.hanging
    await town.deploy("web")
    await town.synced("web", within_s=10)
    assert 32 <= before < MANY
    await town.settle(4 * DRIP_S)
    assert "status" in await town.app(f"ada-{MANY - 1}"), "each of them gets its turn"


@story(files=FILES, repository=drips(Branched))
async def test_dry_sources_that_come_drop_by_drop_keep_no_other_project_waiting(town):
    await enable(town)
    await town.create("argoproj.io/v1alpha1/appprojects", ADA, "argocd")
    for number in range(20):
        each = hydrated(f"ada-{number}", project="ada", destination={"server": SERVER, "namespace": "ada"})
        each["spec"]["sourceHydrator"]["drySource"]["repoURL"] = theirs(number)
        await town.create(APPLICATIONS, each, "argocd")
    await town.settle(60)
    await deploy(town, "web")
    await phase(town, "Hydrated", "web", within_s=10)
