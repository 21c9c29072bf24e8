"""What goes wrong: it is said of each application, nothing half is pushed, and others go on."""

import asyncio

import pytest
from tests.delivery.town import config_map, story, town

from plumbline.base.errors import Unauthenticated
from plumbline.base.virtualtime import run_virtually
from plumbline.delivery.status import HYDRATE, REFRESH
from plumbline.kinds.mandate import Grant, MandateSpec

from .branching import APPLICATIONS, Branched, deploy, enable, hydrated, hydrated_at, phase

FILES = {
    "web/a.yaml": config_map("a"),
    "db/b.yaml": config_map("b"),
    "bad/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: [\n",
}
HANDED_OVER = MandateSpec(adopted=(Grant(group="argoproj.io", kind="Application", namespace="argocd", name="web"),))


@story(files=FILES, repository=Branched)
async def test_one_that_does_not_render_fails_its_whole_group_and_is_named(town):
    await enable(town)
    await deploy(town, "web", "bad")
    bad = (await phase(town, "Failed", "bad"))["currentOperation"]
    other = (await phase(town, "Failed", "web"))["currentOperation"]
    assert bad["message"].startswith(
        'Failed to hydrate: failed to get manifests: failed to get repo objects for app "argocd/bad": '
    )
    assert other["message"] == "Failed to hydrate: cannot hydrate because application argocd/bad has an error"
    assert bad["drySHA"] == town.repository.head
    assert town.repository.proposals == []
    assert "env/dev" not in town.repository.branches


@story(files=FILES, repository=Branched)
async def test_another_group_is_not_held_up(town):
    await enable(town)
    await deploy(town, "bad", branch="env/bad")
    await deploy(town, "web")
    await phase(town, "Hydrated", "web")
    await phase(town, "Failed", "bad")


@story(files=FILES, repository=Branched)
async def test_a_failure_is_tried_again_after_two_minutes_and_at_once_with_a_new_commit(town):
    town.repository.refused = Unauthenticated("no", why="wrong password")
    await enable(town)
    await deploy(town)
    first = (await phase(town, "Failed"))["currentOperation"]
    await town.settle(60)
    assert (await phase(town, "Failed"))["currentOperation"] == first
    await town.settle(90)
    assert (await phase(town, "Failed"))["currentOperation"]["finishedAt"] > first["finishedAt"]
    town.repository.refused = None
    dry = town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.settle(2)
    assert (await hydrated_at(town, dry))["currentOperation"]["phase"] == "Hydrated"


@story(files=FILES, repository=Branched)
async def test_who_asks_is_not_kept_waiting_after_a_failure(town):
    town.repository.refused = Unauthenticated("no", why="wrong password")
    await enable(town)
    await deploy(town)
    told = (await phase(town, "Failed"))["currentOperation"]["message"]
    assert told.startswith("Failed to hydrate: failed to commit hydrated manifests: ")
    assert "wrong password" in told
    town.repository.refused = None
    await town.patch(APPLICATIONS, "web", {"metadata": {"annotations": {HYDRATE: "normal"}}}, "argocd")
    await town.settle(5)
    assert (await phase(town, "Hydrated"))["currentOperation"]["message"] == ""


@story(files=FILES, repository=Branched)
async def test_a_refresh_of_the_application_asks_for_it_too(town):
    town.repository.refused = Unauthenticated("no", why="wrong password")
    await enable(town)
    await deploy(town)
    await phase(town, "Failed")
    town.repository.refused = None
    await town.patch(APPLICATIONS, "web", {"metadata": {"annotations": {REFRESH: "normal"}}}, "argocd")
    await town.settle(5)
    await phase(town, "Hydrated")
    assert REFRESH not in (await town.app())["metadata"].get("annotations", {})


@story(files=FILES, repository=Branched)
async def test_a_branch_that_moves_meanwhile_keeps_what_came_and_gets_the_rest(town):
    await enable(town)
    town.repository.write("env/dev", {})
    town.repository.meanwhile = [lambda: town.repository.write("env/dev", {"theirs": "kept"})]
    await deploy(town)
    await phase(town, "Hydrated")
    files = town.repository.files("env/dev")
    assert files["theirs"] == "kept"
    assert "web/manifest.yaml" in files
    assert len(town.repository.proposals) == 1


@story(files=FILES, repository=Branched)
async def test_a_branch_that_never_holds_still_is_a_failure_like_any_other(town):
    await enable(town)
    town.repository.write("env/dev", {})
    count = iter(range(100))
    move = lambda: town.repository.write("env/dev", {"theirs": str(next(count))})  # noqa: E731 - it is put in a list
    town.repository.meanwhile = [move] * 50
    await deploy(town)
    assert "moved" in (await phase(town, "Failed"))["currentOperation"]["message"]
    assert town.repository.proposals == []


@story(files=FILES, repository=Branched, mandate=MandateSpec())
async def test_an_installation_that_only_looks_on_pushes_nothing_and_writes_nothing(town):
    await enable(town)
    await deploy(town)
    await town.settle(600)
    assert town.repository.proposals == []
    assert "status" not in await town.app()
    assert await town.effects() == []


@story(files=FILES, repository=Branched, mandate=HANDED_OVER)
async def test_only_what_was_handed_over_is_written(town):
    await enable(town)
    await deploy(town, "web", "db")
    await phase(town, "Hydrated", "web")
    await town.settle(60)
    files = town.repository.files("env/dev")
    assert "web/manifest.yaml" in files
    assert "db/manifest.yaml" not in files


@story(files=FILES, repository=Branched)
async def test_two_applications_never_write_to_one_folder_wherever_they_come_from(town):
    await enable(town)
    await deploy(town, "web", path="same")
    await phase(town, "Hydrated", "web")
    await town.create(APPLICATIONS, hydrated("db", path="./same/"), "argocd")
    told = (await phase(town, "Failed", "db"))["currentOperation"]["message"]
    assert "app argocd/web hydrator uses the same destination" in told
    assert "path=same" in told
    other = hydrated("bad", path="same")
    other["spec"]["sourceHydrator"]["drySource"]["targetRevision"] = "HEAD"
    await town.create(APPLICATIONS, other, "argocd")
    assert "uses the same destination" in (await phase(town, "Failed", "bad"))["currentOperation"]["message"]
    assert len(town.repository.proposals) == 1


@story(files=FILES, repository=Branched)
async def test_a_newcomer_from_elsewhere_does_not_stop_whoever_was_there_first(town):
    await enable(town)
    await deploy(town, "web", path="same")
    await phase(town, "Hydrated", "web")
    await town.settle(5)
    newcomer = hydrated("a-db", dry="db", path="same")
    newcomer["spec"]["sourceHydrator"]["drySource"]["targetRevision"] = "HEAD"
    await town.create(APPLICATIONS, newcomer, "argocd")
    await phase(town, "Failed", "a-db")
    dry = town.repository.change(web__a_yaml=config_map("a", "2"))
    await hydrated_at(town, dry, "web")
    assert b'value: "2"' in town.repository.files("env/dev")["same/manifest.yaml"]
    await town.delete(APPLICATIONS, "web", "argocd")
    await town.settle(150)
    await phase(town, "Hydrated", "a-db")


@pytest.mark.parametrize("path", ["..", "../x", "a/../..", "/etc", ".git/hooks", "a/.GIT/x", "./.", "a/.."])
def test_a_path_that_is_the_root_or_leads_out_of_the_repository_is_refused(path):
    async def main():
        async with town(files=FILES, repository=Branched) as place:
            await enable(place)
            await deploy(place, "web", path=path)
            told = (await phase(place, "Failed"))["currentOperation"]["message"]
            assert "is not written to" in told or "repository root" in told
            assert place.repository.proposals == []

    run_virtually(main)


@story(files=FILES, repository=Branched)
async def test_a_file_or_link_in_the_way_is_not_replaced(town):
    town.repository.write("env/dev", {"web": "a file of theirs"})
    await enable(town)
    await deploy(town)
    assert "web is a file there" in (await phase(town, "Failed"))["currentOperation"]["message"]
    assert town.repository.files("env/dev") == {"web": "a file of theirs"}


@story(files=FILES, repository=Branched)
async def test_values_that_are_kept_out_of_git_are_not_written_to_it(town):
    await enable(town)
    await deploy(town, metadata={"annotations": {"plumbline.dev/values-from": "[]"}})
    assert "would be written to it" in (await phase(town, "Failed"))["currentOperation"]["message"]
    assert town.repository.proposals == []


@story(files=FILES, repository=Branched)
async def test_what_the_project_does_not_permit_is_not_written(town):
    await enable(town)
    await town.patch(
        "argoproj.io/v1alpha1/appprojects", "default", {"spec": {"sourceRepos": ["https://other.example/*"]}}, "argocd"
    )
    await deploy(town)
    assert "is not permitted in project 'default'" in (await phase(town, "Failed"))["currentOperation"]["message"]
    assert town.repository.proposals == []


@story(files=FILES, repository=Branched)
async def test_writing_takes_the_credentials_for_writing_and_never_those_for_reading(town):
    for kind, user in (("repository", "reader"), ("repository-write", "writer")):
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": kind, "labels": {"argocd.argoproj.io/secret-type": kind}},
            "stringData": {"url": "https://git.example.org/shop", "username": user, "password": f"{user}-pass"},
        }
        await town.create("v1/secrets", secret, "argocd")
        if user == "reader":
            await enable(town)
            await deploy(town, "web")
            await phase(town, "Hydrated", "web")
    await town.settle(2)
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await hydrated_at(town, town.repository.head)
    assert [each.credentials.username for each in town.repository.writers] == ["", "writer"]


@story(files=FILES, repository=Branched)
async def test_a_death_between_the_push_and_the_status_ends_without_a_second_commit(town):
    await enable(town)
    hanging = asyncio.Event()

    async def never():
        hanging.set()
        await asyncio.Event().wait()

    town.repository.after = never
    await deploy(town)
    await hanging.wait()
    assert (await phase(town, "Hydrating"))["currentOperation"]["drySHA"] == town.repository.head
    town.repository.after = None
    again = town.delivery._hydrator(town.repository)  # as whoever comes after does
    work = asyncio.create_task(again.run())
    again.wake_all()
    status = await phase(town, "Hydrated")
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert len(town.repository.proposals) == 1
    assert status["currentOperation"]["hydratedSHA"] == town.repository.branches["env/dev"]


@story(files=FILES, repository=Branched)
async def test_a_dry_source_that_has_to_be_signed_and_is_not_is_not_written(town):
    await enable(town)
    keys = {"spec": {"signatureKeys": [{"keyID": "4AEE18F83AFDEB23"}]}}
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", keys, "argocd")
    await town.settle(2)
    await deploy(town)
    await phase(town, "Failed")
    assert town.repository.proposals == []


NOTHING = {
    "spec": {"sourceRepos": ["https://git.example.org/ada/*"], "destinations": [{"server": "*", "namespace": "*"}]}
}
ADA = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "ada"}, **NOTHING}


@pytest.mark.parametrize(
    ("path", "revision"),
    [("other", "main"), ("web", "main"), ("web", "HEAD")],
    ids=["the same branch", "the same folder", "the same folder from elsewhere"],
)
def test_who_may_not_write_there_stops_nobody_who_may(path, revision):
    async def main():
        async with town(files=FILES, repository=Branched) as place:
            await enable(place)
            await place.create("argoproj.io/v1alpha1/appprojects", ADA, "argocd")
            theirs = hydrated("a-first", dry="web", path=path, project="ada")
            theirs["spec"]["sourceHydrator"]["drySource"]["targetRevision"] = revision
            await place.create(APPLICATIONS, theirs, "argocd")
            told = (await phase(place, "Failed", "a-first"))["currentOperation"]["message"]
            assert "is not permitted in project 'ada'" in told
            await deploy(place, "web")
            await phase(place, "Hydrated", "web")
            dry = place.repository.change(web__a_yaml=config_map("a", "2"))
            await hydrated_at(place, dry, "web")
            assert (await phase(place, "Failed", "a-first"))["currentOperation"]["message"] == told

    run_virtually(main)
