"""Plans between pull request and merge: nobody without the key can read, make or change one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import Corrupted, InvalidInput, LimitExceeded, NotFound, StorageFailed
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.changed import kept as kept_room
from plumbline.terraform.changed.kept import Kept
from plumbline.terraform.changed.sealing import Header, Key, header_of

KEY = Key(Plaintext("c2l4dGVlbiBieXRlcyBvZiBzaXh0ZWVuIGJ5dGVzLi4="))
DIGEST = "0123456789ab" + "c" * 52


def header(**more):
    fields = {
        "digest": DIGEST,
        "folder": "live/a",
        "workspace": "default",
        "inputs": "i",
        "commit": "c",
        "tool": "terraform",
        "version": "1.11.4",
        "lineage": "l",
        "serial": 3,
        "created": "2026-01-01T00:00:00Z",
    }
    return Header(**(fields | more))


@given(st.binary(max_size=200))
def test_what_was_sealed_opens_again(content):
    assert KEY.opened(KEY.seal(header(), Plaintext(content))) == (header(), Plaintext(content))


def test_a_plan_cannot_be_read_without_the_key_and_no_two_look_alike():
    sealed = KEY.seal(header(), Plaintext("canary"))
    assert b"canary" not in sealed
    assert sealed != KEY.seal(header(), Plaintext("canary"))


@given(st.data())
def test_one_bit_that_is_other_and_it_does_not_open(data):
    sealed = bytearray(KEY.seal(header(), Plaintext("plan")))
    at = data.draw(st.integers(0, len(sealed) - 1))
    sealed[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Corrupted):
        KEY.opened(bytes(sealed))


@pytest.mark.parametrize("cut", [0, 5, 17, 60, -1, -40])
def test_a_piece_of_a_plan_does_not_open(cut):
    with pytest.raises(Corrupted):
        KEY.opened(KEY.seal(header(), Plaintext("plan"))[:cut])


def test_another_key_does_not_open_it():
    with pytest.raises(Corrupted) as refused:
        Key(Plaintext("00" * 32)).opened(KEY.seal(header(), Plaintext("plan")))
    assert "PLUMBLINE_PLAN_KEY" in refused.value.hint


@pytest.mark.parametrize("text", ["", "hunter2", "00" * 31, "AAAA", "é" * 32, "c2l4dGVlbg=="])
def test_a_key_that_is_too_short_is_refused_without_being_repeated(text):
    with pytest.raises(InvalidInput) as refused:
        Key(Plaintext(text))
    assert not text or text not in f"{refused.value} {refused.value.hint}"


def test_keys_may_be_written_in_several_ways():
    sealed = KEY.seal(header(), Plaintext("plan"))
    raw = b"sixteen bytes of sixteen bytes.."
    assert len(raw) == 32
    for text in (raw.hex(), raw.hex().upper() + "\n", "c2l4dGVlbiBieXRlcyBvZiBzaXh0ZWVuIGJ5dGVzLi4=\n"):
        assert Key(Plaintext(text)).opened(sealed)[1] == Plaintext("plan")


def test_plans_are_kept_by_digest_for_their_owner_alone(tmp_path):
    kept = Kept(tmp_path / "plans")
    path = kept.put(header(), KEY.seal(header(), Plaintext("plan")))
    assert path.name == f"{DIGEST}.plan"
    assert path.stat().st_mode & 0o777 == 0o600
    for name in (DIGEST, DIGEST[:12], f"sha256:{DIGEST}"):
        assert header_of(kept.find(name)) == header()
    assert list(kept.headers()) == [header()]
    unsaved = kept.put_state(header(), b"x")
    assert unsaved.name == f"{DIGEST}.unsaved-state"
    assert list(kept.headers()) == [header()]


def test_a_plan_that_is_not_there_or_not_the_only_one_is_said_so(tmp_path):
    kept = Kept(tmp_path)
    assert list(Kept(tmp_path / "nowhere").headers()) == []
    with pytest.raises(NotFound):
        kept.find(DIGEST)
    for wrong in ("", "../../etc/passwd", "abc", "X" * 12):
        with pytest.raises(InvalidInput):
            kept.find(wrong)
    other = DIGEST[:-1] + "d"
    kept.put(header(), b"1")
    kept.put(header(digest=other), b"2")
    with pytest.raises(InvalidInput):
        kept.find(DIGEST[:12])
    assert kept.find(other) == b"2"


def test_a_digest_never_leads_out_of_the_folder(tmp_path):
    with pytest.raises(InvalidInput):
        Kept(tmp_path).put(header(digest="../x"), b"")


def test_a_plan_is_not_written_through_a_link(tmp_path):
    (tmp_path / f"{DIGEST}.plan").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageFailed):
        Kept(tmp_path).put(header(), b"x")
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_of_plans_that_cannot_be_read_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed):
        list(Kept(tmp_path / "file").headers())
    (tmp_path / f"{DIGEST}.plan").mkdir()
    with pytest.raises(StorageFailed):
        list(Kept(tmp_path).headers())
    monkeypatch.setattr(kept_room, "_MOST", 0)
    with pytest.raises(LimitExceeded):
        list(Kept(tmp_path).headers())


def test_a_plan_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    Kept(tmp_path).put(header(), b"12345")
    monkeypatch.setattr(kept_room, "_FILE_BYTES", 4)
    with pytest.raises(LimitExceeded):
        Kept(tmp_path).find(DIGEST)
