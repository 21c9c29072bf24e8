import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.source.signatures.signing import OpenPgp, Repo, Ssh, exported, gpg, made, run

from plumbline.base.clock import SystemClock
from plumbline.source.signatures import Verifier, trusted


@pytest.fixture(scope="session")
def people():
    """Keys of every fate, made by the real gpg. Its agent listens in the home, so that has to have a short name."""
    home = Path(tempfile.mkdtemp(prefix="plg-"))
    try:
        ann, bob, eve = (made(home, name) for name in ("ann", "bob", "eve"))
        gone = made(home, "gone", end="1d", faked="20200101T000000")
        lost = made(home, "lost")
        old = made(home, "old", faked="20200101T000000")
        before = exported(lost)
        certificate = home.joinpath("openpgp-revocs.d", f"{lost.fingerprint}.rev").read_text()
        gpg(home, "--quick-add-key", bob.fingerprint, "ed25519", "sign", "never")
        listed = gpg(home, "--list-keys", "--with-colons", bob.fingerprint).decode().splitlines()
        sub = [line.split(":")[9] for line in listed if line.startswith("fpr:")][-1]
        yield SimpleNamespace(
            ann=ann,
            bob=bob,
            bobs_subkey=OpenPgp(home, sub),
            eve=eve,
            gone=gone,
            lost=lost,
            old=old,
            brief=OpenPgp(home, old.fingerprint, "20200102T000000", ("--default-sig-expire", "1d")),
            lost_before=before,
            revocation=certificate[certificate.index("-----BEGIN") :],
        )
    finally:
        run("gpgconf", "--homedir", str(home), "--kill", "all")
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def ssh_keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ssh")
    found = {}
    for name, options in {
        "ed25519": ("-t", "ed25519"),
        "ecdsa256": ("-t", "ecdsa", "-b", "256"),
        "ecdsa384": ("-t", "ecdsa", "-b", "384"),
        "ecdsa521": ("-t", "ecdsa", "-b", "521"),
        "rsa": ("-t", "rsa", "-b", "2048"),
        "short": ("-t", "rsa", "-b", "1024"),
        "other": ("-t", "ed25519"),
    }.items():
        run("ssh-keygen", "-q", *options, "-N", "", "-C", f"{name}@example.org", "-f", str(folder / name))
        found[name] = Ssh(folder / name)
    return found


@pytest.fixture(scope="session")
def ring(people, ssh_keys):
    """What argocd-gpg-keys-cm would hold: all but Eve's key and one of the ssh keys."""
    keys = {person.id: exported(person) for person in (people.ann, people.bob, people.gone, people.old)}
    keys[people.lost.id] = people.lost_before
    # Sorted before the key that it revokes.
    keys["0"] = people.revocation
    keys |= {name: key.public for name, key in ssh_keys.items() if name != "other"}
    return trusted({"data": keys})


@pytest.fixture
def verifier(ring):
    return Verifier(ring, SystemClock())


@pytest.fixture
def repo():
    return Repo()
