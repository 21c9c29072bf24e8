"""What is taken out of Git by name goes; what goes because of something else waits, if it cannot be made again."""

import asyncio

from tests.delivery.town import REPO, config_map, story

CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
FILES = {"web/config.yaml": config_map("a"), "web/more.yaml": config_map("b"), "web/data.yaml": CLAIM}
VOLUMES = "v1/persistentvolumeclaims"
APPLICATIONS = "argoproj.io/v1alpha1/applications"
PROJECTS = "argoproj.io/v1alpha1/appprojects"
CASCADE = {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}


async def gone(town):
    return await town.get(VOLUMES, "data") is None


@story(files=FILES)
async def test_a_volume_whose_manifest_is_removed_in_a_commit_goes(town):
    await town.deploy()
    await town.synced()
    town.repository.change(web__data_yaml=None)
    await town.until(lambda: gone(town))


@story(files={**FILES, "web/data.yaml": CLAIM + "---\n" + config_map("beside")})
async def test_so_does_one_that_is_taken_out_of_a_file(town):
    await town.deploy()
    await town.synced()
    town.repository.change(web__data_yaml=config_map("beside"))
    await town.until(lambda: gone(town))


@story(files=FILES)
async def test_a_volume_that_is_merely_no_longer_looked_for_waits(town):
    await town.deploy()
    await town.synced()
    source = {"source": {"directory": {"exclude": "data.yaml"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"spec": source}, "argocd")
    await town.settle(60)
    assert not await gone(town)
    told = (await town.app())["status"]["operationState"]["message"]
    assert "plumbline.dev/consent=" in told


@story(files={**FILES, "web/space.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: attic}\n"})
async def test_a_namespace_waits_even_so_because_more_goes_with_it_than_was_named(town):
    await town.deploy()
    await town.synced()
    town.repository.change(web__space_yaml=None)
    await town.settle(60)
    assert await town.get("v1/namespaces", "attic", "") is not None


async def departed(town):
    return await town.app() is None


@story(files={"web/config.yaml": config_map("a")})
async def test_an_application_that_says_no_source_any_more_can_go_with_what_it_delivered(town):
    await town.deploy(metadata=CASCADE)
    await town.synced()
    await town.patch(APPLICATIONS, "web", {"spec": {"source": {"path": None}}}, "argocd")
    await town.delete(APPLICATIONS, "web", "argocd")
    await town.until(lambda: departed(town))
    assert await town.get("v1/configmaps", "a") is None


@story(files={"web/config.yaml": config_map("a")})
async def test_so_can_one_whose_repository_its_project_permits_no_longer(town):
    await town.deploy(metadata=CASCADE)
    await town.synced()
    await town.patch(PROJECTS, "default", {"spec": {"sourceRepos": ["https://git.example.org/other.git"]}}, "argocd")
    await town.delete(APPLICATIONS, "web", "argocd")
    await town.until(lambda: departed(town))
    assert await town.get("v1/configmaps", "a") is None


@story(files={"web/config.yaml": config_map("a")})
async def test_one_whose_destination_its_project_permits_no_longer_goes_and_leaves_what_is_there(town):
    await town.deploy(metadata=CASCADE)
    await town.synced()
    elsewhere = {"spec": {"destinations": [{"server": "*", "namespace": "elsewhere"}]}}
    await town.patch(PROJECTS, "default", elsewhere, "argocd")
    await town.delete(APPLICATIONS, "web", "argocd")
    await town.until(lambda: departed(town))
    assert await town.get("v1/configmaps", "a") is not None


@story(files=FILES)
async def test_what_an_application_named_is_nobodys_once_it_is_gone_though_it_went_while_it_was_looked_at(town):
    tree, answered = town.repository.tree, asyncio.Event()

    async def late(url, sha, *, project=""):
        await answered.wait()
        return await tree(url, sha, project=project)

    town.repository.tree = late
    await town.deploy(automated=False)
    await town.settle(1)
    await town.delete(APPLICATIONS, "web", "argocd")
    await town.settle(1)
    answered.set()
    await town.deploy("next", source={"repoURL": REPO, "path": "web", "targetRevision": "main"})
    await town.synced("next")
    town.repository.change(web__data_yaml=None)
    await town.until(lambda: gone(town))
