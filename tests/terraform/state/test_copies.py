"""Every version that an apply left is kept, sealed; what was changed on the disk is noticed and passed over."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.clock import VirtualClock, rfc3339
from plumbline.base.errors import BadDocument, Corrupted, NotFound, StorageFailed
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state import Copies, Place
from plumbline.terraform.state import files as files_
from plumbline.terraform.state.copies import Retention, Version, outlived
from plumbline.terraform.state.packing import MOST_BYTES

from .stage import PLACE, resource, state_text

OTHER = Place("shop", "staging", "network")


def text_of(serial, note="", lineage="one"):
    return Plaintext(state_text(serial, lineage, [resource("a", {"attributes": {"input": f"canary {note}"}})]))


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def copies(tmp_path, clock):
    return Copies.at(tmp_path / "copies", tmp_path / "keys" / "copies.key", clock)


def files(tmp_path):
    return sorted((tmp_path / "copies").rglob("*.copy"))


async def test_every_version_is_kept_with_what_made_it(copies, clock):
    for serial in (1, 2, 3):
        await copies.keep(PLACE, text_of(serial), revision=f"main@sha1:{serial}", plan=f"digest-{serial}")
        await clock.advance(60)
    listed = await copies.list(PLACE)
    assert [(each.serial, each.revision, each.plan) for each in listed] == [
        (3, "main@sha1:3", "digest-3"),
        (2, "main@sha1:2", "digest-2"),
        (1, "main@sha1:1", "digest-1"),
    ]
    assert {each.lineage for each in listed} == {"one"}
    assert listed[0].at == "2026-01-01T00:02:00Z"
    assert (listed[0].tool_version, listed[0].resources) == ("1.11.4", 1)
    assert (await copies.read(PLACE, listed[1])) == text_of(2)
    assert await copies.list(OTHER) == ()
    assert await copies.latest_good(OTHER) is None
    assert "There is no good copy" in await copies.offer(OTHER)


async def test_the_same_version_twice_is_one_copy(copies, tmp_path):
    first = await copies.keep(PLACE, text_of(1))
    assert await copies.keep(PLACE, text_of(1)) == first
    assert len(files(tmp_path)) == 1
    await copies.keep(PLACE, text_of(1, "changed without a new serial"))
    assert len(files(tmp_path)) == 2


async def test_nobody_else_can_look_and_the_disk_shows_nothing(copies, tmp_path):
    await copies.keep(PLACE, text_of(1), revision="revision-canary")
    for path in (tmp_path / "copies").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
        if path.is_file():
            assert b"canary" not in path.read_bytes()
            assert b"lineage" not in path.read_bytes()
    assert stat.S_IMODE((tmp_path / "keys" / "copies.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


async def test_what_comes_back_after_a_restart_is_the_same(copies, tmp_path, clock):
    version = await copies.keep(PLACE, text_of(1))
    again = Copies.at(tmp_path / "copies", tmp_path / "keys" / "copies.key", clock)
    assert await again.list(PLACE) == (version,)
    assert await again.read(PLACE, version) == text_of(1)


@pytest.mark.parametrize("at", [0, 10, 24, 40, 60, 200, -1, -20])
async def test_a_copy_that_was_changed_is_passed_over_for_the_one_before(copies, tmp_path, at):
    good = await copies.keep(PLACE, text_of(1))
    bad = await copies.keep(PLACE, text_of(2))
    path = next(each for each in files(tmp_path) if each.name == bad.name)
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    with pytest.raises(Corrupted):
        await copies.read(PLACE, bad)
    assert await copies.latest_good(PLACE) == good
    assert "serial 1 of 2026-01-01T00:00:00Z with 1 resources" in await copies.offer(PLACE)


@pytest.mark.parametrize("size", [0, 5, 23, 26, 30, 100, 300])
async def test_a_copy_that_was_cut_off_is_passed_over(copies, tmp_path, size):
    good = await copies.keep(PLACE, text_of(1))
    bad = await copies.keep(PLACE, text_of(2))
    path = next(each for each in files(tmp_path) if each.name == bad.name)
    os.truncate(path, size)
    assert await copies.latest_good(PLACE) == good


async def test_a_copy_that_was_moved_to_another_place_does_not_open_there(copies, tmp_path):
    await copies.keep(PLACE, text_of(1))
    (path,) = files(tmp_path)
    there = tmp_path / "copies" / "shop" / "staging" / "network"
    there.mkdir(parents=True)
    (there / path.name).write_bytes(path.read_bytes())
    assert await copies.list(OTHER) == ()


async def test_one_that_was_put_together_from_two_does_not_open(copies, tmp_path):
    one, two = [await copies.keep(PLACE, text_of(serial)) for serial in (1, 2)]
    paths = {each.name: each for each in files(tmp_path)}
    first, second = paths[one.name].read_bytes(), paths[two.name].read_bytes()
    start = 27 + int.from_bytes(second[23:27])
    other = 27 + int.from_bytes(first[23:27])
    paths[two.name].write_bytes(second[:start] + first[other:])
    assert [each.serial for each in await copies.list(PLACE)] == [2, 1]
    assert await copies.latest_good(PLACE) == one


async def test_a_name_that_was_changed_does_not_make_it_another(copies, tmp_path):
    one, two = [await copies.keep(PLACE, text_of(serial)) for serial in (1, 2)]
    paths = {each.name: each for each in files(tmp_path)}
    paths[two.name].write_bytes(paths[one.name].read_bytes())
    with pytest.raises(Corrupted):
        await copies.read(PLACE, two)
    with pytest.raises(NotFound):
        await copies.read(PLACE, Version(serial=1, lineage="", at="", sha256="", resources=0, name="../../x.copy"))


async def test_copies_whose_key_is_gone_are_not_begun_anew(copies, tmp_path, clock):
    await copies.keep(PLACE, text_of(1))
    key = tmp_path / "keys" / "copies.key"
    kept = key.read_bytes()
    key.unlink()
    with pytest.raises(Corrupted):
        Copies.at(tmp_path / "copies", key, clock)
    assert not key.exists()
    key.write_bytes(b"short")
    with pytest.raises(Corrupted):
        Copies.at(tmp_path / "copies", key, clock)
    key.write_bytes(bytes(32))
    assert await Copies.at(tmp_path / "copies", key, clock).list(PLACE) == ()
    key.write_bytes(kept)
    assert len(await Copies.at(tmp_path / "copies", key, clock).list(PLACE)) == 1


def test_of_two_that_make_a_key_at_once_the_first_wins(tmp_path, monkeypatch):
    path = tmp_path / "key"
    path.write_bytes(bytes(32))
    monkeypatch.setattr(Path, "exists", lambda self: self != path)
    assert files_.key_at(path, makes=True).reveal() == bytes(32)
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


async def test_what_a_dead_writer_left_is_swept_and_never_listed(copies, tmp_path, clock):
    await copies.keep(PLACE, text_of(1))
    draft = files(tmp_path)[0].parent / "draft-x"
    draft.write_bytes(b"half")
    (files(tmp_path)[0].parent / "note.copy").mkdir()
    assert len(await copies.list(PLACE)) == 1
    Copies.at(tmp_path / "copies", tmp_path / "keys" / "copies.key", clock)
    assert not draft.exists()


async def test_a_disk_that_takes_nothing_is_told_and_nothing_half_is_left(copies, tmp_path, monkeypatch):
    await copies.keep(PLACE, text_of(1))

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFailed):
        await copies.keep(PLACE, text_of(2))
    assert [path.name for path in files(tmp_path)[0].parent.iterdir()] == [files(tmp_path)[0].name]


async def test_a_disk_that_cannot_be_read_is_told(copies, tmp_path, monkeypatch, clock):
    good = await copies.keep(PLACE, text_of(1))
    (path,) = files(tmp_path)

    def broken(*args, **kwargs):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", broken)
        assert await copies.list(PLACE) == ()
        assert await copies.latest_good(PLACE) is None
        with pytest.raises(StorageFailed):
            await copies.read(PLACE, good)
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", broken)
        with pytest.raises(StorageFailed):
            await copies.list(PLACE)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", broken)
        with pytest.raises(StorageFailed):
            Copies.at(tmp_path / "copies", tmp_path / "keys" / "copies.key", clock)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", broken)
        copies._forget(PLACE, tuple(Version(serial=1, lineage="", at="2020-01-01T00:00:00Z", sha256="", resources=0, name=path.name) for _ in range(40)))  # fmt: skip
    with pytest.raises(NotFound):
        files_.opening(tmp_path / "nothing")


async def test_a_file_that_is_far_too_large_is_not_read(copies, tmp_path):
    version = await copies.keep(PLACE, text_of(1))
    (path,) = files(tmp_path)
    os.truncate(path, MOST_BYTES + 10)
    with pytest.raises(Corrupted):
        await copies.read(PLACE, version)


async def test_what_is_no_state_is_not_copied(copies, tmp_path):
    with pytest.raises(BadDocument):
        await copies.keep(PLACE, Plaintext(b"no state"))
    assert files(tmp_path) == []


async def test_old_copies_go_and_one_of_each_day_stays(tmp_path, clock):
    copies = Copies(tmp_path / "copies", Plaintext(bytes(32)), clock, retention=Retention(last=3, days=5))
    for serial in range(1, 41):
        await copies.keep(PLACE, text_of(serial))
        await clock.advance(6 * 3600)
    kept = await copies.list(PLACE)
    assert [each.serial for each in kept] == [40, 39, 38, 36, 32, 28, 24, 20]


@given(
    st.lists(st.integers(0, 400 * 24), min_size=1, max_size=120, unique=True), st.integers(1, 40), st.integers(0, 100)
)
def test_retention_keeps_the_last_and_one_of_each_recent_day(hours, last, days):
    now = datetime(2026, 6, 1, tzinfo=UTC)
    versions = [
        Version(serial=1, lineage="", at=rfc3339(now - timedelta(hours=each)), sha256="", resources=0, name=str(each))
        for each in sorted(hours)
    ]
    gone = set(outlived(versions, now, Retention(last=last, days=days)))
    kept = [each for each in versions if each.name not in gone]
    assert kept[: min(last, len(versions))] == versions[:last]
    since = rfc3339(now - timedelta(days=days))
    assert {each.at[:10] for each in kept} >= {each.at[:10] for each in versions if each.at >= since}
    assert len(kept) <= last + days + 1
    assert not outlived(kept, now, Retention(last=last, days=days))
