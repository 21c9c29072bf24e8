"""People who sign with real tools, and a repository in memory whose objects are what git would have written."""

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from plumbline.base.errors import NotFound
from plumbline.source.signatures import RawObject


@dataclass(frozen=True)
class OpenPgp:
    """A key in a home of somebody, who is not us."""

    home: Path
    fingerprint: str
    faked: str = ""
    options: tuple[str, ...] = ()

    @property
    def id(self):
        return self.fingerprint[-16:]

    def __call__(self, payload):
        return gpg(
            self.home,
            *self.options,
            "--armor",
            "--detach-sign",
            "-u",
            self.fingerprint + "!",
            stdin=payload,
            faked=self.faked,
        )


@dataclass(frozen=True)
class Ssh:
    """A key in a file."""

    path: Path
    namespace: str = "git"
    digest: str = "sha512"

    @property
    def public(self):
        return self.path.with_suffix(".pub").read_text()

    @property
    def id(self):
        listed = run("ssh-keygen", "-l", "-E", "sha256", "-f", str(self.path))
        return listed.decode().split()[1]

    def __call__(self, payload):
        return run(
            *(
                "ssh-keygen",
                "-q",
                "-Y",
                "sign",
                "-n",
                self.namespace,
                "-O",
                f"hashalg={self.digest}",
                "-f",
                str(self.path),
            ),
            stdin=payload,
        )


def run(*argv, stdin=b"", environment=None):
    done = subprocess.run(
        argv, input=stdin, capture_output=True, check=False, env={"PATH": os.environ["PATH"], **(environment or {})}
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def gpg(home, *arguments, stdin=b"", faked=""):
    moment = ("--faked-system-time", faked) if faked else ()
    return run(
        "gpg", "--homedir", str(home), "--batch", "--no-tty", "--passphrase", "", *moment, *arguments, stdin=stdin
    )


def made(home, name, *, end="never", faked=""):
    """A new key that signs."""
    gpg(home, "--quick-gen-key", f"{name} <{name}@example.org>", "ed25519", "sign", end, faked=faked)
    listed = gpg(home, "--list-keys", "--with-colons", f"{name}@example.org").decode()
    return OpenPgp(home, next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:")), faked)


def exported(key):
    return gpg(key.home, "--armor", "--export", key.fingerprint).decode()


class Repo:
    """Objects by hash."""

    def __init__(self):
        self.objects = {}
        self.reads = 0
        self._at = 1_700_000_000

    async def read(self, sha):
        self.reads += 1
        if sha not in self.objects:
            raise NotFound(f"no object {sha}")
        return self.objects[sha]

    def commit(self, *parents, by=None, message="change", at=None):
        """A commit, signed by whoever is given, or by several, one after the other."""
        self._at = at or self._at + 60
        who = f"Ann <ann@example.org> {self._at} +0000"
        lines = ["tree " + "0" * 40, *(f"parent {parent}" for parent in parents), f"author {who}", f"committer {who}"]
        head, body = "\n".join(lines).encode(), f"\n\n{message}\n".encode()
        signers = by if isinstance(by, tuple) else (by,) if by else ()
        signatures = b"".join(b"\ngpgsig " + sign(head + body).rstrip().replace(b"\n", b"\n ") for sign in signers)
        return self.add("commit", head + signatures + body)

    def tag(self, target, by=None, kind="commit", name="v1"):
        self._at += 60
        content = (
            f"object {target}\ntype {kind}\ntag {name}\ntagger Bea <bea@example.org> {self._at} +0000\n\nrelease\n"
        ).encode()
        return self.add("tag", content + (by(content) if by else b""))

    def add(self, kind, content):
        sha = hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(content), content), usedforsecurity=False).hexdigest()
        self.objects[sha] = RawObject(kind, content)
        return sha
