"""Output is bounded, and what is secret does not come back with it."""

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import LimitExceeded, ToolFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, run
from plumbline.base.process.masking import Mask

CANARY = "c4n4ry/+ value\"with'odd=chars"


def shell(script, **others):
    return Command(argv=("/bin/sh", "-c", script), **others)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_too_much_output_ends_the_tool(stream):
    script = f"yes >&{1 if stream == 'stdout' else 2}; echo not reached"
    with pytest.raises(LimitExceeded) as caught:
        await run(shell(script, stdout_limit_bytes=10_000, stderr_limit_bytes=10_000))
    assert stream in str(caught.value)
    assert "10000 bytes" in str(caught.value)


async def test_too_much_output_can_be_discarded_instead():
    script = "printf head; yes a | head -c 500000; echo end >&2; yes b | head -c 500000 >&2; printf tail >&2"
    finished = await run(shell(script, stdout_limit_bytes=10_000, stderr_limit_bytes=5_000, beyond="discard"))
    assert finished.stdout.startswith(b"heada\n")
    assert finished.stderr.endswith(b"b\ntail")
    assert (len(finished.stdout), len(finished.stderr)) == (10_000, 5_000)
    assert finished.discarded_bytes == 500_004 + 500_008 - 15_000


async def test_output_up_to_the_limit_is_whole():
    finished = await run(shell("head -c 5000 /dev/zero", stdout_limit_bytes=5000))
    assert finished.stdout == bytes(5000)


async def test_secrets_from_the_environment_and_the_input_are_masked_in_what_is_captured():
    command = shell(
        'echo "token=$TOKEN"; cat; echo "also $OTHER" >&2',
        environment={"TOKEN": Plaintext(CANARY), "OTHER": "from elsewhere"},
        stdin=Plaintext("stdin-secret"),
        secrets=(Plaintext("from elsewhere"),),
    )
    finished = await run(command)
    assert finished.stdout == b"token=***\n***"
    assert finished.stderr == b"also ***\n"


async def test_secrets_are_masked_in_errors():
    with pytest.raises(ToolFailed) as caught:
        await run(shell('echo "no access with $TOKEN" >&2; exit 1', environment={"TOKEN": Plaintext(CANARY)}))
    assert caught.value.why == "exit code 1: no access with ***"


async def test_an_answer_that_may_hold_a_secret_is_left_alone_when_asked_but_never_quoted():
    command = shell('echo "$TOKEN"; exit 0', environment={"TOKEN": Plaintext(CANARY)}, mask_stdout=False)
    assert (await run(command)).stdout.decode().strip() == CANARY
    with pytest.raises(ToolFailed) as caught:
        await run(shell('echo "$TOKEN"; exit 5', environment={"TOKEN": Plaintext(CANARY)}, mask_stdout=False))
    assert caught.value.why == "exit code 5"


async def test_a_command_does_not_print_its_secrets():
    shown = repr(shell("x", environment={"TOKEN": Plaintext(CANARY)}, stdin=CANARY.encode()))
    assert CANARY not in shown


FORMS = [
    (CANARY.encode(), "as it is"),
    (quote(CANARY, safe="").encode(), "in a URL"),
    (base64.b64encode(CANARY.encode()), "in base64"),
    (base64.b64encode(b"u:" + CANARY.encode() + b"!"), "in base64 among others, as in basic authentication"),
    (base64.urlsafe_b64encode(b"?" + CANARY.encode()), "in the base64 of tokens"),
    (b'"c4n4ry/+ value\\"with\'odd=chars"', "in JSON"),
]


@pytest.mark.parametrize(("printed", "why"), FORMS, ids=[why for _, why in FORMS])
def test_a_value_is_masked_in_the_forms_that_tools_print(printed, why):
    masked = Mask([Plaintext(CANARY)]).apply(b"<" + printed + b">")
    assert b"***" in masked
    assert b"c4n4ry" not in masked
    # Of an encoding that starts within a group of three, the first and last letters belong to others as well.
    assert len(masked) <= len(b"<***>") + 8


def test_lines_of_a_value_are_masked_one_by_one():
    key = "-----BEGIN KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END KEY-----\n"
    assert Mask([Plaintext(key)]).apply(b"> MIIEvQIBADAN\r\n> BgkqhkiG9w0B") == b"> ***\r\n> ***"


def test_of_values_within_values_the_longest_is_masked():
    within = [Plaintext("word"), Plaintext("password"), Plaintext("a password")]
    assert Mask(within).apply(b"a password, password, word") == b"***, ***, ***"


def test_thousands_of_values_that_are_not_there_make_no_pattern(monkeypatch):
    mask = Mask([Plaintext(f"value number {number}") for number in range(5000)])
    monkeypatch.delattr("plumbline.base.process.masking.re.compile")
    assert mask.apply(b"No changes.") == mask.head(b"No changes." + bytes(mask.margin_bytes)) == b"No changes."


def test_values_too_short_to_be_secret_are_left():
    assert Mask([Plaintext("abc"), Plaintext("")]).apply(b"abcdef") == b"abcdef"


@given(
    st.binary(min_size=4, max_size=12),
    st.lists(st.binary(max_size=6), max_size=20),
    st.integers(1, 60),
)
def test_no_cut_leaves_a_part_of_a_value_at_the_edge(secret, between, limit_bytes):
    """A tool that prints the value over and over: whatever is kept of it, no four bytes of it in a row remain."""
    mask = Mask([Plaintext(secret)])
    printed = secret.join(piece for piece in between if not any(bytes([byte]) in secret for byte in piece))
    capacity = limit_bytes + mask.margin_bytes
    if len(printed) <= capacity:
        return
    head, tail = mask.head(printed[:capacity]), mask.tail(printed[-capacity:])
    assert max(len(head), len(tail)) <= max(limit_bytes, 3 * limit_bytes // 4 + 3)
    parts = {secret[at : at + 4] for at in range(len(secret) - 3)}
    for part in parts:
        assert part not in head.replace(b"***", b"")
        assert part not in tail.replace(b"***", b"")
