"""What a push wants and what became of it, read from the wire."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.forge.local import RefUpdate
from plumbline.web.git.wire import Commands, done, line, lines

OLD, NEW = "1" * 40, "2" * 40
MAIN = RefUpdate("refs/heads/main", OLD, NEW)
OTHER = RefUpdate("refs/heads/other", OLD, NEW)


def command(update, capabilities=""):
    return line(f"{update.before} {update.after} {update.ref}" + (f"\0 {capabilities}" if capabilities else ""))


def read(*pieces):
    commands = Commands()
    for piece in pieces:
        commands.see(piece)
    return commands.read()


def report(*words, sideband=False):
    plain = b"".join(line(f"{word}\n") for word in words) + b"0000"
    if not sideband:
        return plain
    return f"{len(plain) + 5:04x}".encode() + b"\1" + plain + line("\2progress\n") + b"0000"


def test_commands_are_read_however_they_are_cut():
    whole = command(MAIN, "report-status side-band-64k") + command(OTHER) + b"0000PACK..." + b"\xff" * 100
    expected = ((MAIN, OTHER), True)
    assert read(whole) == expected
    assert read(*(whole[at : at + 1] for at in range(len(whole)))) == expected


def test_what_follows_the_commands_is_not_one():
    assert read(command(MAIN, "report-status") + b"0000" + command(OTHER)) == ((MAIN,), False)


def test_other_lines_among_the_commands_are_passed_over():
    assert read(line("shallow " + OLD) + command(MAIN) + b"0000") == ((MAIN,), False)


def test_a_name_that_looks_like_a_pack_is_a_name():
    odd = RefUpdate("refs/heads/x0000PACK", OLD, NEW)
    assert read(command(odd), command(MAIN), b"0000PACK") == ((odd, MAIN), False)


def test_a_pack_is_not_kept():
    commands = Commands()
    commands.see(command(MAIN) + b"0000PACK" + b"x" * 1000)
    commands.see(b"x" * 1000)
    assert len(commands._head) < 200


def test_no_more_is_kept_than_anybody_needs():
    commands = Commands()
    for _ in range(100):
        commands.see(line("x" * 60_000) * 10)
    assert len(commands._head) <= 5 << 20


def test_only_what_happened_is_told():
    for sideband in (False, True):
        said = report("unpack ok", "ok refs/heads/main", "ng refs/heads/other no", sideband=sideband)
        assert done((MAIN, OTHER), said, sideband=sideband) == (MAIN,)
        said = report("unpack index-pack failed", "ng refs/heads/main no", sideband=sideband)
        assert done((MAIN,), said, sideband=sideband) == ()


def test_without_a_report_everything_may_have_happened():
    assert done((MAIN,), b"", sideband=False) == (MAIN,)
    assert done((MAIN,), b"garbage", sideband=True) == (MAIN,)


@given(st.binary(max_size=300), st.binary(max_size=300), st.booleans())
def test_any_bytes_can_be_read(body, answer, sideband):
    updates, _ = read(body)
    assert set(done(updates, answer, sideband=sideband)) <= set(updates)
    assert all(text is None or isinstance(text, bytes) for text in lines(body))
