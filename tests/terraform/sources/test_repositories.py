"""GitRepositories over real repositories: what they mean, what becomes of their files, and what it costs."""

import asyncio
import hashlib
import io
import tarfile

import pytest
from pygit2.enums import FileMode
from tests.terraform.sources.conftest import OTHER
from tests.terraform.sources.scene import BASE, alive, condition, repository, state, types

from plumbline.base.errors import GarbledReply
from plumbline.base.tree import MemoryTree, walk
from plumbline.kinds.flux.terraform import SourceReference
from plumbline.terraform.sources.packing import packed as pack

SOURCE = SourceReference(kind="GitRepository", name="app")
MEMORY = MemoryTree({"a.tf": b"# a\n"})
DIGEST = pack(MEMORY, io.BytesIO()).digest


def files(tree):
    return {path: tree.read(path).decode() for path, entry in walk(tree) if entry.kind == "file"}


def packed(scene, artifact):
    """What whoever fetches the artifact gets."""
    opened = scene.parts.artifacts.opened(artifact["path"])
    with opened.file as file:
        content = file.read()
    assert len(content) == artifact["size"] == opened.size_bytes
    assert f"sha256:{hashlib.sha256(content).hexdigest()}" == artifact["digest"] == opened.digest
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {each.name: each for each in archive.getmembers()}


async def test_a_branch_becomes_an_artifact(scene, origin):
    await scene.apply(repository())
    found = await scene.ready()
    artifact = found["status"]["artifact"]
    assert artifact["revision"] == f"main@sha1:{origin.first}"
    assert artifact["path"] == f"gitrepository/shop/app/{artifact['digest'].removeprefix('sha256:')}.tar.gz"
    assert artifact["url"] == f"{BASE}/{artifact['path']}"
    assert packed(scene, artifact).keys() == {"main.tf", "README.md"}
    assert types(found) == {"Ready": "True", "ArtifactInStorage": "True"}
    stored = f"stored artifact for revision 'main@sha1:{origin.first}'"
    assert condition(found, "Ready")["message"] == condition(found, "ArtifactInStorage")["message"] == stored
    assert condition(found, "Ready")["reason"] == "Succeeded"
    assert found["metadata"]["finalizers"] == ["finalizers.fluxcd.io"]
    await scene.until(lambda: told(scene, "NewArtifact", "stored artifact for commit 'first'"))


async def told(scene, reason, message):
    return (reason, message) in await scene.events()


async def test_what_is_pushed_is_found_by_the_shared_poll_and_announced(scene, origin):
    await scene.apply(repository())
    before = (await scene.ready())["status"]["artifact"]
    second = origin.push({"more.tf": "# more\n"})
    scene.parts.commits.refresh(repository()["spec"]["url"])
    after = (await scene.ready(f"main@sha1:{second}"))["status"]["artifact"]
    assert after["digest"] != before["digest"]
    assert packed(scene, before)  # for whoever is still fetching it
    third = origin.push({"more.tf": "# other\n"})
    scene.parts.commits.refresh(repository()["spec"]["url"])
    await scene.ready(f"main@sha1:{third}")
    await scene.until(lambda: gone(scene, before))


async def gone(scene, artifact, name="app"):
    return not scene.parts.artifacts.holds(("shop", name), artifact["digest"])


async def test_ten_objects_of_one_repository_cost_one_fetch_and_then_nothing(scene, runs):
    names = [f"app-{n}" for n in range(10)]
    for name in names:
        await scene.apply(repository(name))
    for name in names:
        await scene.ready(name=name)
    assert len([each for each in runs if "fetch" in each.argv]) == 1
    await asyncio.sleep(1)  # events are written once nobody is looked at
    started, version = len(runs), await scene.version()
    for name in names:
        scene.room.controller.wake(("shop", name))
    await asyncio.sleep(0.3)
    assert (len(runs), await scene.version()) == (started, version)


REFS = [
    ({"branch": "next"}, "next@sha1:{next}", "a branch"),
    ({"tag": "v1.0.0", "branch": "next"}, "v1.0.0@sha1:{first}", "a tag comes before a branch"),
    ({"semver": ">=1.0.0 <2.0.0", "tag": "nope"}, "v1.2.0@sha1:{next}", "versions come before a tag"),
    ({"semver": "1.2.0"}, "v1.2.0@sha1:{next}", "a version is a range, however the tag is spelled"),
    ({"name": "refs/heads/next", "semver": "*"}, "refs/heads/next@sha1:{next}", "a reference comes before versions"),
    ({"name": "refs/pull/1/head"}, "refs/pull/1/head@sha1:{next}", "the reference of a pull request"),
    ({"commit": "{first}", "name": "refs/heads/next"}, "sha1:{first}", "a commit comes before all"),
    ({"commit": "{first}", "branch": "main"}, "main@sha1:{first}", "a commit, with the branch that it is on"),
]


@pytest.mark.parametrize(("ref", "revision", "why"), REFS, ids=[each[2] for each in REFS])
async def test_a_reference_means_one_commit(scene, origin, ref, revision, why):
    shas = {"first": origin.first, "next": origin.push({"next.tf": "# next\n"}, "next")}
    origin.tag("v1.0.0", shas["first"])
    origin.tag("v1.2.0", shas["next"], "annotated")
    origin.tag("v1.3", shas["first"])
    origin.tag("v2.0.0", shas["first"])
    origin.point("refs/pull/1/head", shas["next"])
    written = {key: value.format(**shas) for key, value in ref.items()}
    await scene.apply(repository(ref=written))
    assert (await scene.ready())["status"]["artifact"]["revision"] == revision.format(**shas)


async def test_of_versions_that_differ_in_their_build_the_one_committed_last_is_meant(scene, origin):
    origin.tag("1.0.0+b", origin.first)
    origin.tag("1.0.0+a", origin.first)
    await scene.apply(repository(ref={"semver": "1.x"}))
    assert (await scene.ready())["status"]["artifact"]["revision"].startswith("1.0.0+b@")


FAILURES = [
    ({"ref": {"branch": "nope"}}, "GitOperationFailed", "there is no such branch"),
    ({"ref": None}, "GitOperationFailed", "nobody says which, and there is no master"),
    ({"ref": {"semver": ">=9"}}, "GitOperationFailed", "no version fits"),
    ({"ref": {"name": "heads/main"}}, "GitOperationFailed", "not a whole reference"),
    ({"ref": {"commit": "abc"}}, "GitOperationFailed", "not a whole commit"),
    ({"ref": {"commit": "f" * 40}}, "GitOperationFailed", "there is no such commit"),
    ({"sparseCheckout": ["nope"]}, "GitOperationFailed", "there is no such folder"),
    ({"secretRef": {"name": "nope"}}, "AuthenticationFailed", "there is no such secret"),
    ({"proxySecretRef": {"name": "nope"}}, "AuthenticationFailed", "there is no such secret for the proxy"),
    ({"include": [{"repository": {"name": "nope"}}]}, "NotFound", "there is no such repository to include"),
    ({"verify": {"secretRef": {"name": "nope"}}}, "VerificationError", "there are no keys"),
    ({"ignore": "a\n" * 30_000}, "ArchiveOperationFailed", "too many rules"),
]
CONDITIONS = {"NotFound": "IncludeUnavailable", "VerificationError": "SourceVerified", "ArchiveOperationFailed": "StorageOperationFailed"}  # fmt: skip


@pytest.mark.parametrize(("spec", "reason", "why"), FAILURES, ids=[each[2] for each in FAILURES])
async def test_what_is_wrong_is_said_in_upstreams_words(scene, spec, reason, why):
    await scene.apply(repository(**spec))
    found = await scene.failing(reason)
    failed = condition(found, CONDITIONS.get(reason, "FetchFailed"))
    assert failed["status"] == ("False" if reason == "VerificationError" else "True")
    assert failed["message"] == condition(found, "Ready")["message"]
    assert condition(found, "Reconciling")["reason"] == "ProgressingWithRetry"
    assert "artifact" not in found["status"]
    assert found["status"].get("observedGeneration", -1) == -1


STALLED = [
    ({"provider": "github"}, "InvalidProviderConfiguration", "an app without its secret"),
    ({"provider": "aws"}, "InvalidProviderConfiguration", "a provider that is not served"),
    ({"url": "https://forge.example/a b"}, "URLInvalid", "no address"),
]


@pytest.mark.parametrize(("spec", "reason", "why"), STALLED, ids=[each[2] for each in STALLED])
async def test_what_only_a_change_of_the_object_helps_is_stalled(scene, spec, reason, why):
    await scene.apply(repository(**spec))
    found = await scene.failing(reason)
    assert state(found, "Stalled") == "True"
    assert state(found, "Reconciling") == ""
    assert found["status"]["observedGeneration"] == found["metadata"]["generation"]


async def test_an_empty_repository_is_told_apart(scene, origin):
    origin.delete("refs/heads/main")
    await scene.apply(repository())
    assert condition(await scene.failing("EmptyGitRepository"), "Ready")["message"] == "git repository is empty"


async def test_an_artifact_stays_while_something_is_wrong(scene):
    await scene.apply(repository())
    before = (await scene.ready())["status"]["artifact"]
    await scene.apply(repository(ref={"branch": "nope"}))
    found = await scene.failing("GitOperationFailed")
    assert found["status"]["artifact"] == before
    assert types(found) == {
        "Ready": "False", "ArtifactInStorage": "True", "FetchFailed": "True", "Reconciling": "True",
    }  # fmt: skip
    await scene.apply(repository())
    assert types(await scene.ready()) == {"Ready": "True", "ArtifactInStorage": "True"}


async def test_files_are_left_out_and_chosen(scene, origin):
    origin.push({
        ".sourceignore": "*.md\n", "deploy/a.tf": "# a\n", "deploy/b.md": "b", "deploy/run.sh": "#!/bin/sh\n",
        "modules/m.tf": "# m\n", "modules/.sourceignore": "/m.tf\n", "docs/x.md": "x",
    }, modes={"deploy/run.sh": FileMode.BLOB_EXECUTABLE})  # fmt: skip
    await scene.apply(repository(ignore="!/docs/\n"))
    found = await scene.ready()
    kept = packed(scene, found["status"]["artifact"])
    assert kept.keys() == {".sourceignore", "deploy/a.tf", "deploy/run.sh", "main.tf", "modules/.sourceignore", "docs/x.md"}  # fmt: skip
    assert (kept["deploy/run.sh"].mode, kept["deploy/a.tf"].mode) == (0o755, 0o644)
    assert found["status"]["observedIgnore"] == "!/docs/\n"
    await scene.apply(repository(sparseCheckout=["./deploy", "docs"]))
    found = await scene.until(lambda: observing(scene, "observedSparseCheckout", ["./deploy", "docs"]))
    assert "observedIgnore" not in found["status"]
    assert packed(scene, found["status"]["artifact"]).keys() == {"deploy/a.tf", "deploy/b.md", "deploy/run.sh", "docs/x.md"}  # fmt: skip


async def observing(scene, field, value, name="app"):
    found = await scene.get(name)
    return found if (found.get("status") or {}).get(field) == value else None


async def test_links_are_kept_where_they_lead_to_something_inside(scene, origin):
    origin.push(
        {"shared.tf": "# s\n", "env/shared.tf": "../shared.tf", "out.tf": "../../etc/passwd", "abs.tf": "/etc/passwd"},
        modes=dict.fromkeys(("env/shared.tf", "out.tf", "abs.tf"), FileMode.LINK),
    )
    await scene.apply(repository())
    kept = packed(scene, (await scene.ready())["status"]["artifact"])
    assert kept["env/shared.tf"].linkname == "../shared.tf"
    assert {"out.tf", "abs.tf"} & kept.keys() == set()


async def test_files_of_another_repository_are_put_in_and_follow_it(scene, other):
    include = {"repository": {"name": "lib"}, "fromPath": "modules", "toPath": "vendor"}
    await scene.apply(repository(include=[include]))
    found = await scene.failing("NotFound")
    assert state(found, "IncludeUnavailable") == "True"
    await scene.apply(repository("lib", url=OTHER, ignore="!*.png"))
    lib = (await scene.ready(name="lib"))["status"]["artifact"]
    scene.room.controller.wake(("shop", "app"))
    found = await scene.ready()
    assert found["status"]["includedArtifacts"] == [lib]
    assert found["status"]["observedInclude"] == [include]
    kept = packed(scene, found["status"]["artifact"])
    assert kept.keys() == {"main.tf", "README.md", "vendor/vpc/main.tf"}
    other.push({"modules/more.tf": "# more\n"})
    scene.parts.commits.refresh(OTHER)

    async def followed():
        now = (await scene.get())["status"]["artifact"]
        return "vendor/more.tf" in packed(scene, now)

    await scene.until(followed)


INCLUDES = [
    ({"repository": {"name": "lib"}, "fromPath": "nope"}, "CopyFailure", "there is no such folder"),
    ({"repository": {"name": "lib"}, "toPath": "../out"}, "IllegalPath", "it leads out"),
]


@pytest.mark.parametrize(("include", "reason", "why"), INCLUDES, ids=[each[2] for each in INCLUDES])
async def test_an_include_that_cannot_be_is_refused(scene, include, reason, why):
    await scene.apply(repository("lib", url=OTHER))
    await scene.ready(name="lib")
    await scene.apply(repository(include=[include]))
    assert state(await scene.failing(reason), "StorageOperationFailed") == "True"


async def test_submodules_come_along_when_they_are_asked_for(scene, origin, other):
    tip = str(other.repository.references["refs/heads/main"].target)
    modules = '[submodule "m"]\n\tpath = lib\n\turl = ../other.git\n'
    origin.push({".gitmodules": modules, "lib": tip}, modes={"lib": FileMode.COMMIT})
    await scene.apply(repository())
    assert "lib/top.tf" not in packed(scene, (await scene.ready())["status"]["artifact"])
    await scene.apply(repository(recurseSubmodules=True))
    found = await scene.until(lambda: observing(scene, "observedRecurseSubmodules", True))
    assert "lib/top.tf" in packed(scene, found["status"]["artifact"])


async def test_a_suspended_object_is_left_alone(scene, origin):
    await scene.apply(repository(suspend=True))
    await asyncio.sleep(0.3)
    assert (await scene.get()).get("status", {"observedGeneration": -1}) == {"observedGeneration": -1}
    await scene.apply(repository(suspend=False))
    await scene.ready()


async def test_who_asks_for_a_look_gets_one_at_once_and_is_told(scene, origin):
    await scene.apply(repository(interval="1h"))
    await scene.ready()
    second = origin.push({"more.tf": "# more\n"})
    await scene.apply(repository(annotations={"reconcile.fluxcd.io/requestedAt": "now"}, interval="1h"))
    found = await scene.ready(f"main@sha1:{second}")
    assert found["status"]["lastHandledReconcileAt"] == "now"


async def test_what_is_deleted_leaves_nothing_behind(scene):
    await scene.apply(repository())
    artifact = (await scene.ready())["status"]["artifact"]
    await scene.delete()
    await scene.until(lambda: absent(scene))
    assert scene.parts.artifacts.opened(artifact["path"]) is None
    assert scene.parts.accounts.choose(repository()["spec"]["url"], "gitrepository/shop/app") is None


async def absent(scene):
    return await scene.get() is None


async def test_after_a_restart_nothing_is_fetched_made_or_written_again(scene, runs):
    await scene.apply(repository())
    await scene.ready()
    await asyncio.sleep(0.1)
    started, version = len(runs), await scene.version()
    scene.parts.artifacts.add(("shop", "gone"), MEMORY)
    async with alive(scene):
        await scene.until(lambda: gone(scene, {"digest": DIGEST}, "gone"))
        await asyncio.sleep(0.3)
    assert (len(runs), await scene.version()) == (started, version)


async def test_an_artifact_that_was_lost_is_made_again_and_is_the_same(scene):
    await scene.apply(repository())
    before = await scene.ready()
    scene.parts.artifacts.remove(("shop", "app"))
    scene.room.controller.wake(("shop", "app"))
    await scene.until(lambda: there(scene, before["status"]["artifact"]))
    assert (await scene.get())["status"] == before["status"]


async def there(scene, artifact):
    return scene.parts.artifacts.holds(("shop", "app"), artifact["digest"])


async def test_its_files_are_read_without_an_archive(scene, origin):
    await scene.apply(repository())
    artifact = (await scene.ready())["status"]["artifact"]
    scene.parts.artifacts.remove(("shop", "app"))
    sourced = await scene.room.sources.tree(SOURCE, "shop")
    assert (sourced.revision, sourced.digest) == (artifact["revision"], artifact["digest"])
    assert files(sourced.tree).keys() == {"main.tf", "README.md"}


async def test_another_process_reads_them_with_the_objects_own_credentials(scene):
    await scene.apply(repository())
    await scene.ready()
    scene.parts.accounts.forget(("shop", "app"))
    async with alive(scene):
        sourced = await scene.room.sources.tree(SOURCE, "shop")
    assert "main.tf" in files(sourced.tree)


async def test_while_it_says_something_new_the_files_are_those_that_it_had(scene):
    await scene.apply(repository())
    await scene.ready()
    await scene.apply(repository(url=OTHER, ref={"branch": "nope"}))
    await scene.failing("GitOperationFailed")
    sourced = await scene.room.sources.tree(SOURCE, "shop")
    assert "main.tf" in files(sourced.tree)


async def test_files_are_unpacked_where_git_does_not_give_them(scene, origin):
    await scene.apply(repository())
    artifact = (await scene.ready())["status"]["artifact"]
    lost = f"main@sha1:{'f' * 40}"
    await scene.apply(repository(suspend=True))
    generation = (await scene.get())["metadata"]["generation"]
    await scene.write_status({"observedGeneration": generation, "artifact": {"revision": lost}})
    sourced = await scene.room.sources.tree(SOURCE, "shop")
    assert (sourced.revision, sourced.digest) == (lost, artifact["digest"])
    assert files(sourced.tree).keys() == {"main.tf", "README.md"}


async def test_files_that_are_nowhere_are_said_to_be(scene):
    await scene.apply(repository(suspend=True))
    digest = "sha256:" + "0" * 64
    path = scene.parts.artifacts.path(("shop", "app"), digest)
    told = {"path": path, "url": f"{BASE}/{path}", "revision": "x", "digest": digest, "lastUpdateTime": "2026-01-01T00:00:00Z"}  # fmt: skip
    await scene.write_status({"artifact": told})
    with pytest.raises(GarbledReply):
        await scene.room.sources.tree(SOURCE, "shop")


async def test_without_its_secret_an_object_is_not_read_from_the_mirror(scene):
    await scene.apply(repository())
    await scene.ready()
    await scene.apply(repository(suspend=True, secretRef={"name": "nope"}))
    generation = (await scene.get())["metadata"]["generation"]
    await scene.write_status({"observedGeneration": generation})
    scene.parts.artifacts.remove(("shop", "app"))
    async with alive(scene):
        with pytest.raises(GarbledReply):
            await scene.room.sources.tree(SOURCE, "shop")


async def test_what_is_put_together_is_read_from_its_archive(scene):
    await scene.apply(repository("lib", url=OTHER))
    await scene.ready(name="lib")
    await scene.apply(repository(include=[{"repository": {"name": "lib"}}]))
    await scene.ready()
    sourced = await scene.room.sources.tree(SOURCE, "shop")
    assert "lib/modules/vpc/main.tf" in files(sourced.tree)
