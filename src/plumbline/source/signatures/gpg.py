"""OpenPGP signatures, verified by `gpg` in a home of its own that holds the trusted keys and nothing else.

It runs without network, without agent and without the configuration of anybody; what it finds is read from its status
lines, never from text for people.
"""

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import ToolFailed, ToolMissing
from plumbline.base.process import Command, Confinement, Finished, Limits, run
from plumbline.base.process.scratch import scratch
from plumbline.source.signatures.verdict import BAD, Outcome, Verdict

_ALONE: Final = (
    "--no-options",
    "--batch",
    "--no-tty",
    "--no-autostart",
    "--no-auto-key-locate",
    "--no-auto-key-retrieve",
    "--no-permission-warning",
    "--lock-never",
    "--status-fd",
)
_DEADLINE_S: Final = 20.0
_SIGNATURE_BYTES: Final = 1 << 18
_STATUS: Final = re.compile(rb"\[GNUPG:\] ([A-Z_]+)(?: (.*))?")
_OUTCOMES: Final = {
    b"GOODSIG": Outcome.GOOD,
    b"BADSIG": Outcome.BAD,
    b"EXPSIG": Outcome.EXPIRED_SIGNATURE,
    b"EXPKEYSIG": Outcome.EXPIRED_KEY,
    b"REVKEYSIG": Outcome.REVOKED_KEY,
    b"ERRSIG": Outcome.UNKNOWN_KEY,
}
_MISSING_KEY: Final = b"9"
_KEY_ID: Final = re.compile(r"[0-9A-F]{16,64}")
_KEY_ID_DIGITS: Final = 16
_EXPIRES: Final = 6
"""Where a line about a key says when it ends."""


class Keyring(NamedTuple):
    keys: bytes
    """Binary, merged: a revocation counts whichever entry brought it."""
    faults: tuple[str, ...] = ()
    """Entries that gpg could not read."""
    next_end: datetime | None = None
    """When the next of the keys ends, and verdicts have to be made anew."""


async def keyring(armored: tuple[tuple[str, str], ...], now: datetime) -> Keyring:
    """The keys as one ring. An entry that is no key is named and left out. Raises ToolMissing where there is no gpg."""
    if not armored:
        return Keyring(b"")
    async with scratch() as home:
        # A revocation is of use only after the key that it revokes.
        left = await _unread(home, await _unread(home, armored))
        exported = await run_gpg(home, "--export", status="2")
        listed = await run_gpg(home, "--list-keys", "--with-colons", "--fixed-list-mode")
    faults = tuple(f"{name} is not a public key that gpg can read" for name, _ in left)
    return Keyring(exported.stdout, faults, _next_end(listed.stdout, now))


async def verify(payload: bytes, signature: bytes, ring: Keyring) -> Verdict:
    """What a detached OpenPGP signature over *payload* is worth. Raises ToolMissing where there is no gpg.

    With no keys at all it takes none to know what it is worth, only to say whose it is: which key somebody has to add.
    """
    if len(signature) > _SIGNATURE_BYTES:
        return BAD
    try:
        return await _verified(payload, signature, ring)
    except ToolMissing:
        if ring.keys:
            raise
        return Verdict(Outcome.UNKNOWN_KEY)


async def _verified(payload: bytes, signature: bytes, ring: Keyring) -> Verdict:
    async with scratch() as home:
        place, keys = home / "signature.asc", home / "trusted.gpg"
        await asyncio.to_thread(_lay_out, {place: signature, keys: ring.keys})
        found = await run_gpg(
            home,
            *("--no-default-keyring", "--keyring", str(keys), "--trust-model", "always"),
            *("--verify", str(place), "-"),
            stdin=payload,
        )
    return verdict(found.stdout)


def verdict(output: bytes) -> Verdict:
    """Read gpg's status lines. Exactly one signature, wholly good or not: anything else is bad."""
    lines = list(_statuses(output))
    judged = [(word, rest.split(b" ")) for word, rest in lines if word in _OUTCOMES]
    if len(judged) != 1:
        return BAD
    word, words = judged[0]
    outcome = _OUTCOMES[word]
    valid = [rest.split(b" ") for each, rest in lines if each == b"VALIDSIG"]
    names = _names(words[:1] + [name for each in valid for name in (each[0], each[-1])])
    if (
        not names
        or (word == b"ERRSIG" and _MISSING_KEY not in words[5:6])
        or (outcome is Outcome.GOOD and len(valid) != 1)
    ):
        return BAD
    lasting = all(each[3:4] in ([], [b"0"]) for each in valid)
    return Verdict(outcome, names[0][-_KEY_ID_DIGITS:], names, lasting)


async def _unread(home: Path, armored: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Import what can be imported; what is left."""
    left: list[tuple[str, str]] = []
    for name, text in armored:
        imported = await run_gpg(home, "--import-options", "import-minimal", "--import", stdin=text.encode())
        if not any(word == b"IMPORT_OK" for word, _ in _statuses(imported.stdout)):
            left.append((name, text))
    return tuple(left)


async def run_gpg(home: Path, *arguments: str, stdin: bytes = b"", status: str = "1") -> Finished:
    """All exit codes are answers: what gpg thinks of a key or signature is in its status lines."""
    finished = await run(
        Command(
            argv=("gpg", *_ALONE, status, "--homedir", str(home), *arguments),
            cwd=home,
            environment={"LC_ALL": "C", "HOME": str(home), "GNUPGHOME": str(home)},
            stdin=stdin,
            deadline_s=_DEADLINE_S,
            accept=None,
            mask_stdout=False,
            limits=Limits(cpu_s=int(_DEADLINE_S), file_bytes=64 << 20),
            confinement=Confinement(writable=(home,), policy="best-effort"),
        )
    )
    if finished.exit_code < 0:
        raise ToolFailed("a signature was not verified", exit_code=finished.exit_code, why="gpg was ended by a signal")
    return finished


def _statuses(output: bytes) -> list[tuple[bytes, bytes]]:
    found = (_STATUS.fullmatch(line.rstrip(b"\r")) for line in output.split(b"\n"))
    return [(match[1], match[2] or b"") for match in found if match is not None]


def _names(words: list[bytes]) -> tuple[str, ...]:
    texts = dict.fromkeys(word.decode("ascii", "replace").upper() for word in words)
    return tuple(text for text in texts if _KEY_ID.fullmatch(text))


def _lay_out(files: dict[Path, bytes]) -> None:
    for path, content in files.items():
        path.write_bytes(content)


def _next_end(listing: bytes, now: datetime) -> datetime | None:
    ends: list[datetime] = []
    for line in listing.split(b"\n"):
        columns = line.split(b":")
        if columns[0] in {b"pub", b"sub"} and len(columns) > _EXPIRES and columns[_EXPIRES].isdigit():
            ends.append(datetime.fromtimestamp(min(int(columns[_EXPIRES]), 2**33), UTC))
    return min((end for end in ends if end > now), default=None)
