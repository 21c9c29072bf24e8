"""What lies on disk: under its own hash or under a seal, within a bound, and gone where somebody touched it."""

import asyncio
import os

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.errors import StorageFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.source.charts.index import Index
from plumbline.source.charts.kept import Kept, Seen
from plumbline.source.charts.store import Store
from plumbline.source.charts.trees import Trees

from .archives import chart, sha256


def _digest(content):
    return f"sha256:{sha256(content)}"


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store", capacity_bytes=100)
    made.settle()
    return made


def _write(store, *contents):
    for content in contents:
        store.write(_digest(content), content)


def test_what_is_written_is_read(store):
    _write(store, b"one")
    assert store.read(_digest(b"one")) == b"one"
    assert store.read(_digest(b"two")) is None


def test_what_was_touched_is_gone(store, tmp_path):
    _write(store, b"one")
    [path] = (tmp_path / "store").iterdir()
    path.write_bytes(b"two")
    assert store.read(_digest(b"one")) is None
    assert not path.exists()
    _write(store, b"one")
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert store.read(_digest(b"one")) is None
    _write(store, b"one")
    path.unlink()
    assert store.read(_digest(b"one")) is None


def test_those_used_longest_ago_go_first(store):
    first, second, third = (bytes([n]) * 40 for n in range(3))
    _write(store, first, second)
    store.read(_digest(first))
    _write(store, third)
    assert [store.read(_digest(each)) is not None for each in (first, second, third)] == [True, False, True]
    assert store.size_bytes == 80
    huge = b"x" * 500
    _write(store, huge)
    assert store.read(_digest(huge)) == huge
    assert store.size_bytes == 500


def test_a_start_finds_what_was_there_and_sweeps_what_was_half_written(store, tmp_path):
    first, second, third = (bytes([n]) * 40 for n in range(3))
    _write(store, first, second)
    os.utime(tmp_path / "store" / _digest(second).replace(":", "-"), ns=(1, 1))
    (tmp_path / "store" / "draft-x").write_bytes(b"half")
    (tmp_path / "store" / "README").write_bytes(b"not ours")
    again = Store(tmp_path / "store", capacity_bytes=100)
    again.settle()
    _write(again, third)
    assert [again.read(_digest(each)) is not None for each in (first, second, third)] == [True, False, True]
    assert not (tmp_path / "store" / "draft-x").exists()


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageFailed):
        Store(tmp_path / "file" / "store").settle()
    with pytest.raises(StorageFailed):
        Kept(tmp_path / "file" / "store").settle()


def test_a_disk_that_takes_nothing_is_no_reason_to_stop(store, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    kept = Kept(tmp_path / "kept")
    kept.settle()
    monkeypatch.setattr("pathlib.Path.replace", full)
    _write(store, b"one")
    kept.write("url", Seen(Index({})))
    monkeypatch.undo()
    assert store.read(_digest(b"one")) is None
    assert kept.read("url") is None
    assert list(tmp_path.rglob("draft-*")) == []
    monkeypatch.setattr("tempfile.mkstemp", full)
    _write(store, b"one")


SEEN = Seen(Index({"a": b'[["1.0.0","sha256:x",["u"]]]', "b": b"[]"}), '"etag"', "yesterday")


@pytest.mark.parametrize("seal", [None, Plaintext("of the installation")])
def test_an_index_is_found_again(tmp_path, seal):
    for _ in range(2):
        kept = Kept(tmp_path, seal)
        kept.settle()
        kept.write("https://charts.example", SEEN)
    kept = Kept(tmp_path, seal)
    kept.settle()
    found = kept.read("https://charts.example")
    assert (found.offer.charts, found.etag, found.modified) == (SEEN.offer.charts, '"etag"', "yesterday")
    kept.forget("https://charts.example")
    assert kept.read("https://charts.example") is None


def test_an_index_that_was_touched_is_gone(tmp_path, monkeypatch):
    kept = Kept(tmp_path)
    kept.settle()
    path = kept._path("a")

    def altered(change):
        kept.write("a", SEEN)
        path.write_bytes(change(path.read_bytes()))
        return kept.read("a")

    assert altered(lambda content: content) is not None
    assert altered(lambda content: content.replace(b"1.0.0", b"6.6.6")) is None
    assert altered(lambda content: content[:10]) is None
    assert altered(lambda content: kept._sealed(b"no json") + b"no json") is None
    kept.write("b", SEEN)
    kept._path("b").rename(path)
    assert kept.read("a") is None, "of another repository"
    other = Kept(tmp_path, Plaintext("another"))
    kept.write("a", SEEN)
    assert other.read("a") is None
    kept.write("a", SEEN)
    monkeypatch.setattr("plumbline.source.charts.kept.INDEX_BYTES", 10)
    assert kept.read("a") is None


async def test_a_chart_that_was_touched_on_disk_is_fetched_again(make, helm, tmp_path):
    helm.publish(("app", "1.0.0", chart()))
    await make().tree(helm.base, "app", "1.0.0")
    [path] = (tmp_path / "charts" / "archives").iterdir()
    path.write_bytes(chart(**{"templates/evil.yaml": "x"}))
    tree = await make().tree(helm.base, "app", "1.0.0")
    assert tree.entry("templates/evil.yaml") is None
    assert helm.paths().count("/charts/app-1.0.0.tgz") == 2


async def test_an_archive_without_digest_that_was_lost_and_changed_is_garbled_once(make, helm):
    helm.publish(("app", "1.0.0", chart()), digests=False)
    sources = make()
    await sources.tree(helm.base, "app", "1.0.0")
    sources._trees._trees.clear()
    for digest in list(sources._store._sizes):
        sources._store._drop(digest)
    helm.publish(("app", "1.0.0", chart(x="y")), digests=False)
    with pytest.raises(Exception, match="what came is not"):
        await sources.tree(helm.base, "app", "1.0.0")
    assert (await sources.tree(helm.base, "app", "1.0.0")).read("x") == b"y"


async def test_trees_in_memory_have_a_bound(make, helm):
    helm.publish(*((name, "1.0.0", chart(name)) for name in ("a", "b")))
    sources = make()
    sources._trees._memory_bytes = 1
    for name in ("a", "b", "a"):
        assert name.encode() in (await sources.tree(helm.base, name, "1.0.0")).read("Chart.yaml")
    assert len(sources._trees._trees) == 1


async def test_whoever_comes_after_one_gave_up_waits_for_the_same_download(tmp_path):
    """The next in line has been let go by then, and has not begun."""
    store = Store(tmp_path / "archives")
    store.settle()
    trees = Trees(store, SystemClock(), 8)
    content, begun, busy, busiest = b"content", asyncio.Event(), 0, 0

    async def fetch():
        nonlocal busy, busiest
        busy += 1
        busiest = max(busiest, busy)
        begun.set()
        try:
            await asyncio.sleep(0.02)
        finally:
            busy -= 1
        return content

    known = {}
    async with task_group() as group:
        first = group.create_task(trees.learned("place", known, fetch))
        await begun.wait()
        group.create_task(trees.learned("place", known, fetch))
        await asyncio.sleep(0)
        first.add_done_callback(lambda _: group.create_task(trees.learned("place", known, fetch)))
        first.cancel()
    assert busiest == 1
    assert trees._locks == {}
