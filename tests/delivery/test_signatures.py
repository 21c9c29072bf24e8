"""What lacks the signatures that its project demands is there to be looked at, and nothing of it is used."""

import subprocess

import pytest
from tests.source.signatures.signing import Repo, Ssh

from plumbline.base.errors import Forbidden
from plumbline.base.tree import MemoryTree
from plumbline.delivery.integrity import Integrity
from plumbline.delivery.looks import Wanted
from plumbline.delivery.looks.plans import planned
from plumbline.delivery.projects.project import Project
from plumbline.delivery.targets import Located
from plumbline.kinds.application import ApplicationSource, SyncOperation
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read
from plumbline.source.git.values import Resolved
from plumbline.wiring.looking import looking_with

from .town import REPO, Repository, config_map, story

APPS = "argoproj.io/v1alpha1/applications"
PROJECTS = "argoproj.io/v1alpha1/appprojects"
EVERYWHERE = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]}
ANN = "SHA256:whoever"
HOOK = "argocd.argoproj.io/hook: PreDelete"
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b", **{"argocd.argoproj.io/hook": "PreDelete"})}


def demanding(*keys, mode="head"):
    policy = {"repos": [{"url": "*"}], "gpg": {"mode": mode, "keys": list(keys)}}
    return {**EVERYWHERE, "sourceIntegrity": {"git": {"policies": [policy]}}}


class Signable(Repository):
    """Commits that are objects as git writes them, so that somebody may sign them; nobody does at first."""

    def __init__(self):
        super().__init__()
        self.objects = Repo()
        self.signer = None

    def sha(self, tree):
        return self.objects.commit(by=self.signer, message=tree.digest)

    async def raw(self, url, sha, *, project=None):
        return await self.objects.read(sha)


async def told(town, name="web"):
    """Its sync status, health, the ComparisonError, and the phase of the last operation."""
    status = (await town.app(name)).get("status", {})
    errors = [each["message"] for each in status.get("conditions", []) if each["type"] == "ComparisonError"]
    health = status.get("health", {}).get("status")
    return status.get("sync", {}).get("status"), health, errors, status.get("operationState", {}).get("phase")


def unsigned(sha, why="unsigned", key=""):
    return f"GIT/GPG: Failed verifying revision {sha} by 'Ann <ann@example.org>': {why} (key_id={key})"


@story(files=FILES, project=demanding(ANN), repository=Signable)
async def test_what_it_would_change_is_seen_and_no_sync_begins(town):
    await town.deploy()
    await town.settle()
    sha = town.repository.head
    assert await told(town) == ("OutOfSync", "Missing", [unsigned(sha)], None)
    status = (await town.app())["status"]
    assert status["sync"]["revision"] == sha
    assert [(each["name"], each["status"]) for each in status["resources"]] == [("a", "OutOfSync")]
    assert await town.get("v1/configmaps", "a") is None
    assert await town.effects() == []


@story(files=FILES, project=demanding(ANN), repository=Signable)
async def test_a_sync_that_somebody_asks_for_ends_at_once_and_says_why(town):
    await town.deploy(automated=False)
    await town.settle()
    await town.sync()
    await town.settle()
    *_, phase = await told(town)
    state = (await town.app())["status"]["operationState"]
    assert (phase, state["message"]) == ("Error", f"ComparisonError: {unsigned(town.repository.head)}")
    assert "operation" not in await town.app()
    assert await town.effects() == []


@story(files=FILES, project=demanding(ANN), repository=Signable)
async def test_its_hooks_of_deletion_keep_nobody_from_leaving(town):
    await town.deploy()
    await town.settle()
    assert "finalizers" not in (await town.app())["metadata"]
    await town.delete(APPS, "web", "argocd")
    await town.settle()
    assert await town.app() is None


@story(files={"web/a.yaml": "apiVersion: v1\nkind: ConfigMap\n"}, project=demanding(ANN), repository=Signable)
async def test_where_it_cannot_be_rendered_either_the_signature_is_what_is_told(town):
    await town.deploy()
    await town.settle()
    assert await told(town) == ("Unknown", "Healthy", [unsigned(town.repository.head)], None)


@story(files={"web/a.yaml": config_map("a")}, repository=Signable)
async def test_what_was_synced_before_stays_as_it_was(town):
    await town.deploy()
    await town.synced()
    await town.patch(PROJECTS, "default", {"spec": demanding(ANN)}, "argocd")
    await town.settle(1)
    sha = town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.settle()
    sync, _, errors, _ = await told(town)
    assert (sync, errors) == ("OutOfSync", [unsigned(sha)])
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    await town.patch("v1/configmaps", "a", {"data": {"value": "3"}})
    await town.settle()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "3"}, "it heals nothing with what is unsigned"
    await town.patch(PROJECTS, "default", {"spec": {"sourceIntegrity": None}}, "argocd")
    await town.synced()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "2"}


@story(files={"web/a.yaml": config_map("a")}, project=demanding(ANN), repository=Signable)
async def test_a_sync_of_a_revision_that_is_not_signed_either_is_ended_with_what_that_lacks(town):
    old = town.repository.head
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.deploy(automated=False)
    await town.settle()
    await town.sync(revision=old)
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Error", f"ComparisonError: {unsigned(old)}")
    assert (await told(town))[0] == "OutOfSync"
    assert await town.effects() == []


@pytest.fixture
def ann(tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "ann")], check=True)
    return Ssh(tmp_path / "ann")


def test_it_is_used_as_soon_as_the_keys_say_so(ann):
    @story(files=FILES, project=demanding(ann.id), repository=Signable)
    async def told_so(town):
        town.repository.signer = ann
        sha = town.repository.change(web__a_yaml=config_map("a", "2"))
        await town.deploy()
        await town.settle()
        assert (await told(town))[2] == [unsigned(sha, "signed with key not in keyring", ann.id)]
        assert await town.effects() == []
        keys = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-gpg-keys-cm"}}
        await town.create("v1/configmaps", {**keys, "data": {"ann": ann.public}}, "argocd")
        await town.synced()
        assert await told(town) == ("Synced", "Healthy", [], "Succeeded")
        assert "pre-delete-finalizer.argocd.argoproj.io" in (await town.app())["metadata"]["finalizers"]

    told_so()


def test_whoever_names_a_revision_that_is_signed_gets_it_whatever_is_newer(ann):
    keys = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-gpg-keys-cm"}}

    @story(files={"web/a.yaml": config_map("a")}, project=demanding(ann.id), repository=Signable)
    async def told_so(town):
        await town.create("v1/configmaps", {**keys, "data": {"ann": ann.public}}, "argocd")
        town.repository.signer = ann
        signed = town.repository.change(web__a_yaml=config_map("a", "2"))
        town.repository.signer = None
        newer = town.repository.change(web__a_yaml=config_map("a", "3"))
        await town.deploy(automated=False)
        await town.settle()
        await town.sync(revision=signed)
        await town.settle()
        assert await told(town) == ("OutOfSync", "Healthy", [unsigned(newer)], "Succeeded")
        assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "2"}

    told_so()


@story(files={"web/a.yaml": config_map("a")})
async def test_so_does_whoever_names_one_that_can_be_rendered(town):
    good = town.repository.head
    town.repository.change(web__a_yaml="apiVersion: v1\nkind: ConfigMap\n")
    await town.deploy(automated=False)
    await town.settle()
    await town.sync(revision=good)
    await town.settle()
    sync, _, errors, phase = await told(town)
    assert (sync, phase, len(errors)) == ("Unknown", "Succeeded", 1)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


async def test_each_of_several_sources_is_named():
    objects, clock = Repo(), None

    class Commits:
        async def raw(self, url, sha, *, project=None):
            return await objects.read(sha)

    one, two = objects.commit(), objects.commit()
    integrity = Integrity(Commits(), lambda: None, clock)
    obj = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "shop"}}
    project = Project.of(read(APP_PROJECT, {**obj, "spec": demanding(ANN)}))
    located = [
        Located(ApplicationSource(repo_url=REPO, name="uno"), one, MemoryTree({}), Resolved(one)),
        Located(ApplicationSource(repo_url="https://charts.example.org", chart="c"), "1.0", MemoryTree({})),
        Located(ApplicationSource(repo_url=REPO), two, MemoryTree({}), Resolved(two)),
    ]
    said = await integrity.objection(project, located)
    assert said == "; ".join(
        (
            unsigned(one).replace("Failed", "source uno: Failed"),
            unsigned(two).replace("Failed", "source 3 of 3: Failed"),
        )
    )
    with pytest.raises(Forbidden):
        await integrity.check(project, located)


@story(files=FILES, project=demanding(ANN), repository=Signable)
async def test_a_look_shows_it_and_a_plan_says_that_there_can_be_no_such_sync(town):
    await town.deploy(automated=False)
    await town.settle()
    looking = looking_with(town.delivery, town.client)
    wanted = Wanted(await town.app())
    found = await looking.found(wanted)
    assert found.target.objection == unsigned(town.repository.head)
    plan = await planned(found, SyncOperation(), town.world.clock.now(), lambda _: ())
    assert (plan.rows, plan.refused) == ((), found.target.objection)
    with pytest.raises(Forbidden):
        await looking.target(wanted)
