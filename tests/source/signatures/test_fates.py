"""Every fate of a signature, with keys made by the real gpg and ssh-keygen."""

import asyncio
from datetime import UTC, datetime

import pytest
from tests.source.signatures.signing import exported, run
from tests.source.signatures.signing import gpg as their_gpg

from plumbline.base.clock import SystemClock, VirtualClock
from plumbline.base.errors import Corrupted, ToolFailed, ToolMissing
from plumbline.source.signatures import Outcome, RawObject, Requirement, Target, Verifier, gpg, parsed, trusted
from plumbline.source.signatures.verdict import Verdict

HEAD = Requirement("head", ("0" * 16,))


async def fate(verifier, repo, sha):
    report = await verifier.check(HEAD, Target(sha), repo.read)
    return report.checked[0].verdict


async def test_a_good_signature_names_the_key(verifier, repo, people):
    found = await fate(verifier, repo, repo.commit(by=people.ann))
    assert found.outcome is Outcome.GOOD
    assert found.key == people.ann.id
    assert people.ann.fingerprint in found.names


async def test_a_subkey_is_named_together_with_its_primary_key(verifier, repo, people):
    found = await fate(verifier, repo, repo.commit(by=people.bobs_subkey))
    assert found.outcome is Outcome.GOOD
    assert found.key == people.bobs_subkey.id
    assert people.bob.fingerprint in found.names


@pytest.mark.parametrize(
    ("who", "outcome"),
    [
        (None, Outcome.UNSIGNED),
        ("eve", Outcome.UNKNOWN_KEY),
        ("gone", Outcome.EXPIRED_KEY),
        ("lost", Outcome.REVOKED_KEY),
        ("brief", Outcome.EXPIRED_SIGNATURE),
    ],
)
async def test_every_other_fate_has_its_name(verifier, repo, people, who, outcome):
    found = await fate(verifier, repo, repo.commit(by=who and getattr(people, who)))
    assert found.outcome is outcome
    assert found.key == (getattr(people, who).id if who else "")


async def test_what_was_changed_after_signing_is_bad(verifier, repo, people):
    good = repo.objects[repo.commit(by=people.ann)].content
    assert (await fate(verifier, repo, repo.add("commit", good.replace(b"change", b"chance")))).outcome is Outcome.BAD


async def test_two_signatures_are_none(verifier, repo, people):
    twice = repo.commit(by=(people.ann, people.bob))
    assert (await fate(verifier, repo, twice)).outcome is Outcome.BAD

    def both(payload):
        packets = [their_gpg(people.ann.home, "--dearmor", stdin=sign(payload)) for sign in (people.ann, people.eve)]
        return their_gpg(people.ann.home, "--enarmor", stdin=b"".join(packets)).replace(b"ARMORED FILE", b"SIGNATURE")

    assert (await fate(verifier, repo, repo.commit(by=both))).outcome is Outcome.BAD


@pytest.mark.parametrize(
    "signature",
    [
        b"-----BEGIN PGP SIGNATURE-----\n\nnonsense\n-----END PGP SIGNATURE-----",
        b"-----BEGIN PGP SIGNATURE-----",
        b"-----BEGIN PGP SIGNATURE-----\n" + b"A" * 300_000,
        b"nonsense",
    ],
)
async def test_nonsense_is_bad(verifier, repo, signature):
    assert (await fate(verifier, repo, repo.commit(by=lambda _: signature))).outcome is Outcome.BAD


async def test_a_message_that_carries_its_own_text_is_bad(verifier, repo, people):
    def message(payload):
        return their_gpg(people.ann.home, "--armor", "--sign", "-u", people.ann.fingerprint, stdin=b"something else")

    assert (await fate(verifier, repo, repo.commit(by=message))).outcome is Outcome.BAD


async def test_certificates_of_the_third_kind_are_nobodys(verifier, repo):
    sha = repo.commit(by=lambda _: b"-----BEGIN SIGNED MESSAGE-----\nx\n-----END SIGNED MESSAGE-----")
    assert (await fate(verifier, repo, sha)).outcome is Outcome.UNKNOWN_KEY


@pytest.mark.parametrize("name", ["ed25519", "ecdsa256", "ecdsa384", "ecdsa521", "rsa"])
@pytest.mark.parametrize("digest", ["sha256", "sha512"])
async def test_ssh_keys_of_every_kind_are_understood(verifier, repo, ssh_keys, name, digest):
    key = type(ssh_keys[name])(ssh_keys[name].path, digest=digest)
    found = await fate(verifier, repo, repo.commit(by=key))
    assert (found.outcome, found.key) == (Outcome.GOOD, key.id)


async def test_ssh_signatures_for_other_purposes_are_bad(verifier, repo, ssh_keys):
    key = type(ssh_keys["ed25519"])(ssh_keys["ed25519"].path, namespace="file")
    assert (await fate(verifier, repo, repo.commit(by=key))).outcome is Outcome.BAD


async def test_short_rsa_keys_are_bad(verifier, repo, ssh_keys):
    assert (await fate(verifier, repo, repo.commit(by=ssh_keys["short"]))).outcome is Outcome.BAD


async def test_an_ssh_key_that_nobody_trusts_is_unknown(verifier, repo, ssh_keys):
    found = await fate(verifier, repo, repo.commit(by=ssh_keys["other"]))
    assert (found.outcome, found.key) == (Outcome.UNKNOWN_KEY, ssh_keys["other"].id)


async def test_what_git_itself_signed_is_understood(verifier, tmp_path, people, ssh_keys):
    settings = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GNUPGHOME": str(people.ann.home),
        "HOME": str(tmp_path),
    }
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")

    def git(*arguments):
        return run("git", "-C", str(tmp_path), *who, *arguments, environment=settings).decode().strip()

    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "first\n\nbody", "-S" + people.ann.fingerprint)
    git("tag", "-u", people.ann.fingerprint, "-m", "release", "v1")
    ssh = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={ssh_keys['ed25519'].path}")
    git(*ssh, "commit", "-q", "--allow-empty", "-m", "second", "-S")
    git(*ssh, "tag", "-s", "-m", "release", "v2")

    async def read(sha):
        kind = git("cat-file", "-t", sha)
        return RawObject(kind, run("git", "-C", str(tmp_path), "cat-file", kind, sha, environment=settings))

    for name, key in (("v1", people.ann.id), ("v2", ssh_keys["ed25519"].id)):
        tag, commit = git("rev-parse", name), git("rev-parse", f"{name}^{{commit}}")
        report = await verifier.check(
            Requirement("strict", (people.ann.id, ssh_keys["ed25519"].id)), Target(commit, tag), read
        )
        assert report.passed, report.problems
        assert [checked.verdict.key for checked in report.checked[:2]] == [key, key]


async def test_each_signature_is_verified_once(verifier, repo, people, monkeypatch):
    sha = repo.commit(by=people.ann)
    await fate(verifier, repo, sha)

    async def never(*_):
        raise AssertionError

    monkeypatch.setattr(gpg, "verify", never)
    assert (await fate(verifier, repo, sha)).outcome is Outcome.GOOD


async def test_a_signature_with_an_end_is_looked_at_every_time(verifier, repo, people, monkeypatch):
    lasting = type(people.brief)(people.ann.home, people.ann.fingerprint, "", ("--default-sig-expire", "1d"))
    found = await fate(verifier, repo, repo.commit(by=lasting))
    assert found.outcome is Outcome.GOOD
    assert not found.lasting


async def test_verdicts_are_made_anew_when_a_key_ends(people, repo):
    clock = VirtualClock(datetime(2020, 1, 1, 1, tzinfo=UTC))
    verifier = Verifier(trusted({"data": {"gone": exported(people.gone)}}), clock)
    sha = repo.commit(by=people.gone)
    await fate(verifier, repo, sha)
    assert verifier._ring.next_end == datetime(2020, 1, 2, tzinfo=UTC)
    before = verifier._ring
    clock.jump(86400)
    assert (await fate(verifier, repo, sha)).outcome is Outcome.EXPIRED_KEY
    assert verifier._ring is not before
    assert verifier._ring.next_end is None


async def test_a_verdict_that_was_on_its_way_when_a_key_ended_is_not_remembered(people, repo, monkeypatch):
    clock = VirtualClock(datetime(2020, 1, 1, 1, tzinfo=UTC))
    verifier = Verifier(trusted({"data": {"gone": exported(people.gone)}}), clock)
    shas = [repo.commit(by=people.gone, message=each) for each in "ab"]
    verify, asked, answered = gpg.verify, asyncio.Event(), asyncio.Event()

    async def good(*_):
        asked.set()
        await answered.wait()
        return Verdict(Outcome.GOOD, people.gone.id)

    monkeypatch.setattr(gpg, "verify", good)
    under_way = asyncio.create_task(fate(verifier, repo, shas[0]))
    await asked.wait()
    clock.jump(86400)
    monkeypatch.setattr(gpg, "verify", verify)
    assert (await fate(verifier, repo, shas[1])).outcome is Outcome.EXPIRED_KEY
    answered.set()
    await under_way
    assert (await fate(verifier, repo, shas[0])).outcome is Outcome.EXPIRED_KEY


async def test_old_verdicts_make_room(verifier, repo, monkeypatch):
    monkeypatch.setattr("plumbline.source.signatures.verifier._REMEMBERED", 2)
    for message in "abc":
        await fate(verifier, repo, repo.commit(message=message))
    assert len(verifier._verdicts) == 2


async def test_without_trusted_keys_no_gpg_is_needed(repo, people, monkeypatch, tmp_path):
    sha = repo.commit(by=people.ann)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await fate(Verifier(trusted(None), SystemClock()), repo, sha)).outcome is Outcome.UNKNOWN_KEY


async def test_without_trusted_keys_it_is_told_which_key_is_missing(repo, people):
    found = await fate(Verifier(trusted(None), SystemClock()), repo, repo.commit(by=people.ann))
    assert (found.outcome, found.key) == (Outcome.UNKNOWN_KEY, people.ann.id)


async def test_without_gpg_what_needs_it_is_refused(ring, repo, people, monkeypatch, tmp_path):
    sha = repo.commit(by=people.ann)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing):
        await Verifier(ring, SystemClock()).check(HEAD, Target(sha), repo.read)


async def test_a_gpg_that_crashes_is_no_verdict(ring, repo, people, monkeypatch, tmp_path):
    sha = repo.commit(by=people.ann)
    crashing = tmp_path / "gpg"
    crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(ToolFailed):
        await Verifier(ring, SystemClock()).check(HEAD, Target(sha), repo.read)


async def test_an_entry_that_gpg_cannot_read_does_not_spoil_the_others(people):
    armored = (("broken", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nnope\n"), ("ann", exported(people.ann)))
    ring = await gpg.keyring(armored, datetime(2026, 1, 1, tzinfo=UTC))
    assert ring.keys
    assert [fault.split()[0] for fault in ring.faults] == ["broken"]


async def test_an_object_that_is_not_what_its_hash_says_is_refused(verifier, repo, people):
    sha = repo.commit(by=people.ann)
    other = repo.objects[repo.commit(by=people.ann)]
    for wrong in (other, RawObject("tag", repo.objects[sha].content)):
        repo.objects[sha] = wrong
        with pytest.raises(Corrupted):
            await verifier.check(HEAD, Target(sha), repo.read)


GOOD = b"[GNUPG:] GOODSIG 0123456789ABCDEF Ann\n"
VALID = b"[GNUPG:] VALIDSIG %s 2026-01-01 1 0 4 0 22 8 00 %s\n" % (b"A" * 40, b"B" * 40)


@pytest.mark.parametrize(
    ("output", "outcome", "why"),
    [
        (GOOD + VALID, Outcome.GOOD, "as it should be"),
        (GOOD, Outcome.BAD, "good, but not valid"),
        (GOOD + VALID + VALID, Outcome.BAD, "valid twice"),
        (GOOD + GOOD + VALID, Outcome.BAD, "two signatures"),
        (GOOD + VALID + b"[GNUPG:] BADSIG 0123456789ABCDEF Eve\n", Outcome.BAD, "one of two is bad"),
        (
            b"[GNUPG:] GOODSIG not-a-key Ann\n" + VALID.replace(b"A" * 40, b"x").replace(b"B" * 40, b"x"),
            Outcome.BAD,
            "no key",
        ),
        (b"[GNUPG:] ERRSIG 0123456789ABCDEF 22 8 00 1 9 -\n", Outcome.UNKNOWN_KEY, "the key is missing"),
        (b"[GNUPG:] ERRSIG 0123456789ABCDEF 99 8 00 1 4 -\n", Outcome.BAD, "the algorithm is unknown"),
        (b"gpg: [GNUPG:] GOODSIG 0123456789ABCDEF\n", Outcome.BAD, "text for people"),
        (b"", Outcome.BAD, "nothing"),
    ],
)
def test_status_lines_are_read_strictly(output, outcome, why):
    assert gpg.verdict(output).outcome is outcome


def test_an_object_of_the_other_hash_is_signed_by_its_own_header(repo, people):
    raw = repo.objects[repo.commit(by=people.ann)]
    newer = RawObject("commit", raw.content.replace(b"\ngpgsig ", b"\ngpgsig-sha256 "))
    assert parsed("0" * 64, newer).signatures
    assert parsed("0" * 64, newer).payload == parsed("0" * 40, raw).payload
    assert not parsed("0" * 40, newer).signatures
