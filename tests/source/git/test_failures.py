"""What git says, and what it means."""

import pytest

from plumbline.base.process import Finished
from plumbline.source.git.failures import explained

WORDS = [
    ("fatal: could not read Username for 'https://h': terminal prompts disabled", "unauthenticated"),
    ("git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.", "unauthenticated"),
    ("Host key verification failed.\nfatal: Could not read from remote repository.", "unauthenticated"),
    ("fatal: unable to access 'https://h/': The requested URL returned error: 403", "forbidden"),
    ("remote: Not Found\nfatal: repository 'https://h/x/' not found", "not-found"),
    ("ERROR: Repository not found.\nfatal: Could not read from remote repository.", "not-found"),
    ("fatal: unable to access 'https://h/': The requested URL returned error: 429", "server-fault"),
    ("fatal: unable to access 'https://h/': The requested URL returned error: 301", "invalid-input"),
    ("fatal: unable to access 'https://h/': Could not resolve host: h", "unreachable"),
    ("fatal: unable to access 'https://h/': server certificate verification failed. CAfile: none", "unreachable"),
    ("ssh: connect to host h port 22: Connection timed out\nfatal: Could not read from remote repository.", "timed-out"),
    ("error: RPC failed; curl 28 Operation too slow. Less than 1000 bytes/sec", "timed-out"),
    ("error: RPC failed; curl 18 transfer closed\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output", "garbled-reply"),
    ("fatal: write error: No space left on device", "storage-failed"),
    ("error: index-pack died of signal 25", "limit-exceeded"),
    ("fatal: Unable to create '/m/packed-refs.lock': File exists.", "transient"),
    ("error: object file ./objects/aa/bb is empty\nfatal: loose object aabb (stored in x) is corrupt", "corrupted"),
    ("remote: error: object file ./objects/aa/bb is empty\nfatal: early EOF", "garbled-reply"),
    ("fatal: not a git repository: '/m'", "corrupted"),
    ("error: object 1234abcd: hasDotgit: contains '.git'\nfatal: fsck error in packed object", "invalid-input"),
    ("fatal: remote error: upload-pack: not our ref 1234", "not-found"),
    ("something that nobody has heard of", "transient"),
    ("", "transient"),
]  # fmt: skip


def _finished(stderr, code=128):
    return Finished(
        exit_code=code, stdout=b"", stderr=stderr, discarded_bytes=0, elapsed_s=0, cpu_s=0, peak_bytes=0, unenforced=()
    )


@pytest.mark.parametrize(("said", "code"), WORDS, ids=[said[:60] for said, _ in WORDS])
def test_words_have_a_meaning(said, code):
    assert explained("Cannot fetch x", _finished(said.encode())).code == code


def test_success_needs_no_explanation():
    assert explained("x", _finished(b"warning: whatever", code=0)) is None


def test_reasons_are_short_printable_and_hold_no_secret():
    said = b"fatal: https://ada:canary-Zq9@h/x \x1b[31m\xff\nhint: do it\n" + b"x" * 10_000
    why = explained("x", _finished(said)).why
    assert "canary" not in why
    assert "hint:" not in why
    assert why.isprintable()
    assert len(why) < 700
