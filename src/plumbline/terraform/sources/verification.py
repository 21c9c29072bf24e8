"""Whether what a GitRepository means is signed by somebody whose key its Secret holds."""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import Corrupted, PlumblineError
from plumbline.kinds.flux.gitrepository import GitRepositoryVerification
from plumbline.source.signatures import Outcome, Raw, Signed, Verifier, parsed, trusted
from plumbline.source.signatures.objects import genuine
from plumbline.terraform.sources.accounts import Entries
from plumbline.terraform.sources.revisions import Located
from plumbline.terraform.sources.trouble import (
    COMMIT_SIGNATURE,
    TAG_SIGNATURE,
    UNSIGNED,
    VERIFICATION,
    VERIFICATION_MODE,
    Trouble,
)

_SSH: Final = ".sshpub"
_VERIFIERS: Final = 64
_SECRETS_WORDS: Final = {"openpgp": ("PGP", ".asc"), "ssh": ("SSH", _SSH)}


class Verified(NamedTuple):
    mode: str
    fingerprint: str
    """Of the keys, so that others have a look at what was verified with other ones."""
    message: str


class Verification:
    """Verdicts are kept as long as keys are used, so a look at what was verified before costs nothing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._verifiers: OrderedDict[str, Verifier] = OrderedDict()

    async def verified(
        self,
        asked: GitRepositoryVerification,
        entries: Entries,
        found: Located,
        raw: Callable[[str], Awaitable[Raw]],
    ) -> Verified | Trouble:
        mode = "HEAD" if asked.mode == "head" else asked.mode
        mark = fingerprint(entries)
        verifier = self._verifier(mark, entries)
        told: list[str] = []
        try:
            if mode != "HEAD":
                signed = await self._tag(found, verifier, raw)
                if isinstance(signed, Trouble):
                    return signed
                told.append(signed)
            if mode != "Tag":
                signed = await self._commit(found, verifier, raw)
                if isinstance(signed, Trouble):
                    return signed
                told.append(signed)
        except PlumblineError as broken:
            return Trouble(VERIFICATION, f"signatures cannot be looked at: {broken}")
        return Verified(mode, mark, "verified signature of" + "".join(f"\n\t- {each}" for each in told))

    async def _tag(self, found: Located, verifier: Verifier, raw: Callable[[str], Awaitable[Raw]]) -> str | Trouble:
        name = "/".join(found.reference.split("/")[2:])
        if not found.reference.startswith("refs/tags/"):
            why = "cannot verify tag object's signature if a tag reference is not specified"
            return Trouble(VERIFICATION_MODE, why, final=True)
        shown = f"{name}@sha1:{found.tag}"
        signed = await _read(found.tag, "tag", raw) if found.tag else None
        if signed is None or not signed.signatures:
            return Trouble(UNSIGNED, f"cannot verify signature of tag '{name}' since it is not signed")
        if signed.target != found.commit:
            return Trouble(TAG_SIGNATURE, f"signature verification of tag '{shown}' failed: it is of another commit")
        return await self._judged(f"tag '{shown}'", TAG_SIGNATURE, verifier, found.tag, signed)

    async def _commit(self, found: Located, verifier: Verifier, raw: Callable[[str], Awaitable[Raw]]) -> str | Trouble:
        signed = await _read(found.commit, "commit", raw)
        return await self._judged(f"commit '{found.commit}'", COMMIT_SIGNATURE, verifier, found.commit, signed)

    async def _judged(self, what: str, reason: str, verifier: Verifier, sha: str, signed: Signed) -> str | Trouble:
        held = {"openpgp": verifier.trusted.openpgp, "ssh": verifier.trusted.ssh}.get(signed.scheme or "")
        failed = f"signature verification of {what} failed"
        if signed.scheme in _SECRETS_WORDS and not held:
            kind, suffix = _SECRETS_WORDS[signed.scheme]
            why = f"{kind} signature detected but no {kind} public keys found in secret (keys with {suffix} suffix)"
            return Trouble(reason, f"{failed}: {why}")
        verdict = await verifier.verdict(sha, signed)
        if verdict.outcome is not Outcome.GOOD:
            return Trouble(reason, f"{failed}: {verdict.outcome}{verdict.key and f' (key {verdict.key})'}")
        return f"{what} with key '{verdict.key}'"

    def _verifier(self, mark: str, entries: Entries) -> Verifier:
        found = self._verifiers.get(mark)
        if found is None:
            found = self._verifiers[mark] = Verifier(trusted({"data": _keys(entries)}), self._clock)
            if len(self._verifiers) > _VERIFIERS:
                self._verifiers.popitem(last=False)
        self._verifiers.move_to_end(mark)
        return found


def fingerprint(entries: Entries) -> str:
    """Equal for equal keys, whatever they are called: as upstream makes it, so that neither has a second look at the other's."""
    texts = {key: value.reveal() for key, value in entries.items()}
    openpgp = sorted(text for key, text in texts.items() if not key.endswith(_SSH))
    ssh = sorted(text for key, text in texts.items() if key.endswith(_SSH))
    listed = b"".join([*(b"pgp:" + text + b"\0" for text in openpgp), *(b"ssh:" + text + b"\0" for text in ssh)])
    return f"sha256:{hashlib.sha256(listed).hexdigest()}"


def _keys(entries: Entries) -> dict[str, str]:
    """One entry for each key: a file of ssh keys may hold several."""
    found: dict[str, str] = {}
    for name, value in entries.items():
        text = value.reveal().decode("utf-8", "replace")
        lines = text.splitlines() if name.endswith(_SSH) else [text]
        for at, line in enumerate(lines):
            if line.strip() and not line.startswith("#"):
                found[f"{name}.{at}"] = line
    return found


async def _read(sha: str, kind: str, raw: Callable[[str], Awaitable[Raw]]) -> Signed:
    held = await raw(sha)
    if held.kind != kind or not genuine(sha, held):
        raise Corrupted(f"the {kind} {sha:.12} was not verified", why="what is stored under its hash is something else")
    return parsed(sha, held)
