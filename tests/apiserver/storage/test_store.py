"""What the store promises to writers, readers and watchers."""

import asyncio
from collections.abc import Sequence

import pytest

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage import store as stores
from plumbline.apiserver.storage import watchers
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key
from plumbline.apiserver.storage.store import Store
from plumbline.apiserver.storage.watchers import BACKLOG, Watcher
from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Conflict, Expired, StorageFailed
from plumbline.base.tasks import task_group

MAPS = Collection("", "configmaps")


def key(name: str, namespace: str = "default") -> Key:
    return Key(MAPS, namespace, name)


def body(text: str) -> stores.Encode:
    return lambda revision: f"{text}@{revision}".encode()


@pytest.fixture
def store() -> Store:
    return Store(VirtualClock())


async def test_every_write_gets_the_next_revision_and_bytes_made_for_it(store: Store) -> None:
    first = await store.put(key("a"), None, body("one"))
    second = await store.put(key("b"), None, body("two"))
    assert (first.body, second.body) == (b"one@2", b"two@3")
    assert store.revision == 3


async def test_a_write_over_something_else_than_expected_is_a_conflict(store: Store) -> None:
    first = await store.put(key("a"), None, body("one"))
    with pytest.raises(Conflict):
        await store.put(key("a"), None, body("again"))
    second = await store.put(key("a"), first, body("two"))
    with pytest.raises(Conflict):
        await store.remove(key("a"), first, body("gone"))
    await store.remove(key("a"), second, body("gone"))
    assert store.get(key("a")) is None


async def test_lists_are_in_order_of_namespace_and_name_as_paths(store: Store) -> None:
    for namespace, name in (("b", "x"), ("a", "y"), ("a-b", "x"), ("a", "x")):
        await store.put(key(name, namespace), None, body("_"))
    shelf = store.shelf(MAPS)
    assert [entry.key.path for entry in shelf.entries()] == ["a-b/x", "a/x", "a/y", "b/x"]
    assert [entry.key.path for entry in shelf.entries("a")] == ["a/x", "a/y"]
    assert [entry.key.path for entry in shelf.entries("a", start="a/x\0")] == ["a/y"]


async def test_a_list_as_of_a_revision_shows_what_was_there_then(store: Store) -> None:
    first = await store.put(key("a"), None, body("one"))
    other = await store.put(key("b"), None, body("two"))
    then = store.revision
    await store.put(key("a"), first, body("changed"))
    await store.remove(key("b"), other, body("gone"))
    await store.put(key("c"), None, body("late"))
    assert [entry.body for entry in store.shelf(MAPS).as_of(then)] == [b"one@2", b"two@3"]
    assert [entry.body for entry in store.shelf(MAPS).as_of(store.revision)] == [b"changed@4", b"late@6"]


async def test_a_watcher_gets_every_change_after_the_revision_it_names(store: Store) -> None:
    first = await store.put(key("a"), None, body("one"))
    watcher = Watcher()
    await store.remove(key("a"), first, body("gone"))
    store.watch(MAPS, watcher, since=first.revision)
    await store.put(key("b"), None, body("two"))
    changes = watcher.take()
    assert [(change.type, change.entry.body) for change in changes] == [
        (ChangeType.DELETED, b"gone@3"),
        (ChangeType.ADDED, b"two@4"),
    ]
    assert changes[0].previous is first


async def test_a_watcher_hears_of_its_scope_alone(store: Store) -> None:
    mine, named, all_ = Watcher("default"), Watcher("default", "a"), Watcher()
    for watcher in (mine, named, all_):
        store.watch(MAPS, watcher)
    await store.put(key("a"), None, body("_"))
    await store.put(key("b"), None, body("_"))
    await store.put(key("a", "other"), None, body("_"))
    await store.put(Key(Collection("", "secrets"), "default", "a"), None, body("_"))
    assert [len(watcher.take()) for watcher in (mine, named, all_)] == [2, 1, 3]
    store.unwatch(MAPS, mine)
    await store.put(key("c"), None, body("_"))
    assert (len(mine.take()), len(all_.take())) == (0, 1)


async def test_a_watcher_that_does_not_keep_up_is_given_up(store: Store) -> None:
    watcher = Watcher()
    store.watch(MAPS, watcher)
    for number in range(BACKLOG + 1):
        await store.put(key(f"n{number}"), None, body("_"))
    assert watcher.lagging
    assert watcher.take() == []


async def test_history_is_kept_for_a_time_and_then_refused() -> None:
    clock = VirtualClock()
    store = Store(clock)
    await store.put(key("old"), None, body("_"))
    for number in range(stores.HISTORY_LEAST):
        await store.put(key(f"n{number}"), None, body("_"))
    assert store.has_since(1)
    await clock.advance(stores.HISTORY_S + 1)
    await store.put(key("new"), None, body("_"))
    assert not store.has_since(2)
    with pytest.raises(Expired, match=r"too old resource version: 1 \(3\)"):
        store.watch(MAPS, Watcher(), since=1)
    assert len(store.shelf(MAPS).since(3)) == stores.HISTORY_LEAST


async def test_history_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "HISTORY_BYTES", 10_000)
    monkeypatch.setattr(stores, "HISTORY_LEAST", 3)
    store = Store(VirtualClock())
    for number in range(40):
        await store.put(key(f"n{number}"), None, lambda _: b"x" * 1_000)
    assert not store.has_since(store.revision - 11)
    assert store.has_since(store.revision - 10)


class SlowLedger:
    """Makes a batch durable when told, or fails it."""

    def __init__(self) -> None:
        self.batches: list[list[Change]] = []
        self.verdicts: asyncio.Queue[bool] = asyncio.Queue()

    async def write(self, changes: Sequence[Change]) -> None:
        self.batches.append(list(changes))
        if not await self.verdicts.get():
            raise StorageFailed("the disk is full")


async def test_a_write_is_seen_by_nobody_before_it_is_durable() -> None:
    ledger = SlowLedger()
    store = Store(VirtualClock(), ledger)
    watcher = Watcher()
    store.watch(MAPS, watcher)
    async with task_group() as tasks:
        tasks.create_task(store.run())
        writing = tasks.create_task(store.put(key("a"), None, body("one")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        staged = store.head(key("a"))
        assert staged is not None
        assert (store.get(key("a")), store.revision, watcher.take()) == (None, 1, [])
        following = tasks.create_task(store.put(key("a"), staged, body("two")))
        await asyncio.sleep(0)
        ledger.verdicts.put_nowait(True)
        await writing
        assert store.get(key("a")) is staged
        ledger.verdicts.put_nowait(True)
        await following
        assert [change.revision for change in watcher.take()] == [2, 3]
        store.close()


async def test_writes_that_wait_share_a_batch_and_fail_together() -> None:
    ledger = SlowLedger()
    store = Store(VirtualClock(), ledger)
    async with task_group() as tasks:
        tasks.create_task(store.run())
        first = tasks.create_task(failing(store, "a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = [tasks.create_task(failing(store, name)) for name in "bc"]
        await asyncio.sleep(0)
        ledger.verdicts.put_nowait(False)
        assert [await first, *[await other for other in others]] == ["StorageFailed"] * 3
        assert len(ledger.batches) == 1
        assert store.head(key("b")) is None
        assert not store.writable, "health checks tell"
        ledger.verdicts.put_nowait(True)
        entry = await store.put(key("a"), None, body("again"))
        assert entry.revision == 2
        assert store.writable
        store.close()


async def failing(store: Store, name: str) -> str:
    try:
        await store.put(key(name), None, body("_"))
    except StorageFailed as failed:
        return type(failed).__name__
    return "stored"


async def test_closing_makes_staged_writes_durable_and_ends_watches() -> None:
    ledger = SlowLedger()
    store = Store(VirtualClock(), ledger)
    watcher = Watcher()
    store.watch(MAPS, watcher)
    async with task_group() as tasks:
        running = tasks.create_task(store.run())
        writing = tasks.create_task(store.put(key("a"), None, body("one")))
        await asyncio.sleep(0)
        store.close()
        ledger.verdicts.put_nowait(True)
        assert (await writing).revision == 2
        await running
    assert watcher.ended


def test_an_entry_reads_its_labels_once_and_never_shows_its_body() -> None:
    entry = Entry(key("a"), 7, b'{"metadata":{"labels":{"app":"web"}},"data":{"token":"s3cret"}}')
    assert entry.labels is entry.labels
    assert entry.labels == {"app": "web"}
    assert "s3cret" not in repr(entry)
    assert Entry(key("b"), 8, b'{"metadata":{}}').labels == {}
    assert "7" in repr(Change(ChangeType.ADDED, entry, None, 0.0))


async def test_large_changes_are_forgotten_sooner_so_that_nobody_fills_the_memory_with_them(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setattr(stores, "HISTORY_MOST_BYTES", 50_000)
    monkeypatch.setattr(stores, "HISTORY_BYTES", 10_000)
    small = await store.put(key("small"), None, body("_"))
    entry = None
    for number in range(60):
        entry = await store.put(key("large"), entry, lambda revision, number=number: b"%04d" % number * 500)
    assert store._history_bytes <= 50_000
    kept = {id(change.entry.body): len(change.entry.body) for change in store.shelf(MAPS)._changes}
    assert sum(kept.values()) <= 50_000, "nor are they kept anywhere else"
    assert not store.has_since(small.revision)
    assert store.has_since(store.revision - 5)


async def test_who_does_not_keep_up_with_large_changes_is_given_up_before_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setattr(watchers, "BACKLOG_BYTES", 20_000)
    slow, quick = Watcher(), Watcher()
    store.watch(MAPS, slow)
    store.watch(MAPS, quick)
    entry, seen = None, 0
    for number in range(40):
        entry = await store.put(key("large"), entry, lambda revision, number=number: b"%04d" % number * 500)
        seen += len(quick.take())
    assert slow.lagging
    assert not slow.waits
    assert (seen, quick.lagging) == (40, False)


async def test_whoever_comes_back_is_given_all_that_is_known_however_much_they_missed(store: Store) -> None:
    begun = store.revision
    for number in range(BACKLOG + 2):
        await store.put(key(str(number)), None, body("_"))
    watcher = Watcher()
    store.watch(MAPS, watcher, begun)
    assert not watcher.lagging, "ended without a word, it would come back to the same again and again"
    assert len(watcher.take()) == BACKLOG + 2
