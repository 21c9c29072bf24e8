"""Signatures: nothing becomes an artifact that is not signed by somebody whose key is in the Secret."""

import pygit2
import pytest
from tests.source.signatures.signing import Repo, Ssh, run
from tests.terraform.sources.scene import condition, repository, secret, state

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.common import LocalReference
from plumbline.kinds.flux.gitrepository import GitRepositoryVerification
from plumbline.terraform.sources.revisions import Located
from plumbline.terraform.sources.trouble import Trouble
from plumbline.terraform.sources.verification import Verification, fingerprint


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ann", "eve"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name))
    return {name: Ssh(folder / name) for name in ("ann", "eve")}


@pytest.fixture
def repo():
    return Repo()


@pytest.fixture
def entries(keys):
    return {"ann.sshpub": Plaintext(f"# people\n{keys['ann'].public}\n")}


def asked(mode="HEAD"):
    return GitRepositoryVerification(mode=mode, secret_ref=LocalReference(name="keys"))


async def verified(repo, entries, found, mode="HEAD"):
    return await Verification(SystemClock()).verified(asked(mode), entries, found, repo.read)


async def test_a_signed_commit_is_named_with_its_key(repo, entries, keys):
    sha = repo.commit(by=keys["ann"])
    got = await verified(repo, entries, Located(sha, "refs/heads/main"), "head")
    assert got.mode == "HEAD"
    assert got.message == f"verified signature of\n\t- commit '{sha}' with key '{keys['ann'].id}'"
    assert got.fingerprint == fingerprint(entries)


async def test_a_tag_and_its_commit(repo, entries, keys):
    sha = repo.commit(by=keys["ann"])
    tag = repo.tag(sha, by=keys["ann"])
    got = await verified(repo, entries, Located(sha, "refs/tags/v1", tag), "TagAndHEAD")
    assert got.message.splitlines() == [
        "verified signature of",
        f"\t- tag 'v1@sha1:{tag}' with key '{keys['ann'].id}'",
        f"\t- commit '{sha}' with key '{keys['ann'].id}'",
    ]
    only = await verified(repo, entries, Located(sha, "refs/tags/v1", tag), "Tag")
    assert "commit" not in only.message


async def test_what_is_not_signed_well_enough(repo, entries, keys):
    good, bad, unsigned = repo.commit(by=keys["ann"]), repo.commit(by=keys["eve"]), repo.commit()
    signed, plain, other = repo.tag(good, by=keys["ann"]), repo.tag(good), repo.tag(bad, by=keys["ann"])
    table = [
        (Located(bad), "HEAD", "InvalidCommitSignature"),
        (Located(unsigned), "HEAD", "InvalidCommitSignature"),
        (Located(good, "refs/heads/main"), "Tag", "InvalidVerificationMode"),
        (Located(good, "refs/tags/v1"), "Tag", "InvalidGitObject"),
        (Located(good, "refs/tags/v1", plain), "Tag", "InvalidGitObject"),
        (Located(good, "refs/tags/v1", other), "Tag", "InvalidTagSignature"),
        (Located(bad, "refs/tags/v1", other), "TagAndHEAD", "InvalidCommitSignature"),
        (Located("f" * 40), "HEAD", "VerificationError"),
        (Located(signed), "HEAD", "VerificationError"),
    ]
    for found, mode, reason in table:
        got = await verified(repo, entries, found, mode)
        assert isinstance(got, Trouble), (found, mode)
        assert got.reason == reason
        assert got.final == (reason == "InvalidVerificationMode")


async def test_keys_of_the_other_kind_are_not_enough_and_it_is_said(repo, keys):
    sha = repo.commit(by=keys["ann"])
    got = await verified(repo, {"a.asc": Plaintext("x")}, Located(sha))
    assert "no SSH public keys found in secret (keys with .sshpub suffix)" in got.message


async def test_another_set_of_keys_is_asked_anew(repo, entries, keys):
    sha = repo.commit(by=keys["ann"])
    room = Verification(SystemClock())
    assert not isinstance(await room.verified(asked(), entries, Located(sha), repo.read), Trouble)
    others = {"eve.sshpub": Plaintext(keys["eve"].public)}
    assert isinstance(await room.verified(asked(), others, Located(sha), repo.read), Trouble)
    assert not isinstance(await room.verified(asked(), entries, Located(sha), repo.read), Trouble)


async def test_many_sets_of_keys_are_not_all_kept(repo, entries, keys):
    sha, room = repo.commit(by=keys["ann"]), Verification(SystemClock())
    for n in range(70):
        await room.verified(asked(), {**entries, f"{n}.asc": Plaintext(str(n))}, Located(sha), repo.read)
    assert not isinstance(await room.verified(asked(), entries, Located(sha), repo.read), Trouble)


async def test_what_cannot_be_read_is_not_verified(entries):
    async def broken(sha):
        raise Unreachable("Cannot read it")

    got = await Verification(SystemClock()).verified(asked(), entries, Located("a" * 40), broken)
    assert got.reason == "VerificationError"


def test_keys_are_told_apart_by_what_they_are_and_not_by_their_names():
    one = fingerprint({"a.asc": Plaintext("1"), "b.sshpub": Plaintext("2")})
    assert one == fingerprint({"x": Plaintext("1"), "y.sshpub": Plaintext("2")})
    assert one != fingerprint({"a.asc": Plaintext("2"), "b.sshpub": Plaintext("1")})


async def test_an_unsigned_commit_never_replaces_a_signed_one(scene, origin, keys):
    signed = _signed(origin, keys["ann"])
    await scene.apply(secret("keys", ann__sshpub=keys["ann"].public))
    await scene.apply(repository(verify={"mode": "HEAD", "secretRef": {"name": "keys"}}))
    found = await scene.ready(f"main@sha1:{signed}")
    assert state(found, "SourceVerified") == "True"
    assert found["status"]["sourceVerificationMode"] == "HEAD"
    origin.push({"evil.tf": "# evil\n"})
    scene.parts.commits.refresh(repository()["spec"]["url"])
    failed = await scene.failing("InvalidCommitSignature")
    assert failed["status"]["artifact"] == found["status"]["artifact"]
    assert condition(failed, "SourceVerified")["status"] == "False"
    assert condition(failed, "ArtifactInStorage")["status"] == "True"
    await scene.apply(repository())
    later = await scene.until(lambda: without_verification(scene))
    assert state(later, "Ready") == "True"
    assert "sourceVerificationFingerprint" not in later["status"]


async def without_verification(scene):
    found = await scene.get()
    return found if "sourceVerificationMode" not in found["status"] and state(found, "SourceVerified") == "" else None


def _signed(origin, key):
    """A commit on main with the files that it has, signed."""
    repository_ = origin.repository
    tip = repository_.references["refs/heads/main"].target
    tree = repository_[tip].tree_id
    who = pygit2.Signature("Ada", "ada@example.com", 1_700_000_100, 0)
    content = repository_.create_commit_string(who, who, "signed\n", tree, [tip])
    sha = repository_.create_commit_with_signature(content, key(content.encode()).decode())
    origin.point("refs/heads/main", sha)
    return str(sha)
