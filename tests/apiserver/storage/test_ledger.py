"""What was acknowledged is there after a restart, or nothing is served at all."""

import sqlite3
from pathlib import Path

import pytest

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key
from plumbline.apiserver.storage.ledger import SqliteLedger
from plumbline.base.errors import Corrupted, StorageFailed, TooNew, Unreachable

MAPS = Collection("", "configmaps")


def change(name: str, revision: int, body: bytes = b"{}", type_: ChangeType = ChangeType.ADDED) -> Change:
    return Change(type_, Entry(Key(MAPS, "default", name), revision, body), None, 0.0)


async def written(path: Path, *changes: Change) -> None:
    ledger = SqliteLedger(path, durable=True)
    await ledger.open()
    if changes:
        await ledger.write(changes)
    await ledger.close()


async def test_objects_and_the_revision_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "plane.db"
    await written(path, change("a", 2, b"one"), change("b", 3, b"two"))
    await written(path, change("a", 4, b"changed"), change("b", 5, b"two", ChangeType.DELETED))
    ledger = SqliteLedger(path)
    stored = await ledger.open()
    await ledger.close()
    assert stored.revision == 5
    assert [(entry.key, entry.revision, entry.body) for entry in stored.entries] == [
        (Key(MAPS, "default", "a"), 4, b"changed")
    ]


async def test_an_empty_store_starts_at_revision_one(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "plane.db")
    assert await ledger.open() == (1, [])
    await ledger.close()


async def test_of_many_changes_to_one_object_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "plane.db"
    gone = change("a", 3, b"x", ChangeType.DELETED)
    await written(
        path,
        change("a", 2, b"x"),
        gone,
        change("a", 4, b"again"),
        change("b", 5),
        change("b", 6, b"", ChangeType.DELETED),
    )
    ledger = SqliteLedger(path)
    stored = await ledger.open()
    await ledger.close()
    assert [(entry.key.name, entry.body) for entry in stored.entries] == [("a", b"again")]
    assert stored.revision == 6


async def test_nobody_else_opens_a_store_that_is_open(tmp_path: Path) -> None:
    path = tmp_path / "plane.db"
    first = SqliteLedger(path)
    await first.open()
    with pytest.raises(Unreachable, match="in use by another process"):
        await SqliteLedger(path).open()
    await first.close()


async def test_a_byte_that_changed_on_disk_is_reported_and_nothing_is_served(tmp_path: Path) -> None:
    path = tmp_path / "plane.db"
    await written(path, change("a", 2, b"x" * 100))
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"x" * 100, b"x" * 99 + b"y"))
    with pytest.raises(Corrupted, match="is not what was written"):
        await SqliteLedger(path).open()


@pytest.mark.parametrize("damage", ["head", "middle"])
async def test_a_damaged_file_is_reported_with_a_way_out(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "plane.db"
    await written(path, *(change(f"n{number}", number + 2, b"x" * 3000) for number in range(50)))
    raw = bytearray(path.read_bytes())
    at = 0 if damage == "head" else len(raw) // 2
    raw[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(raw)
    with pytest.raises(Corrupted) as caught:
        await SqliteLedger(path).open()
    assert "backup" in caught.value.hint or "data folder" in caught.value.hint


async def test_a_store_of_somebody_else_or_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    foreign, newer = tmp_path / "foreign.db", tmp_path / "newer.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(Corrupted, match="not a store"):
        await SqliteLedger(foreign).open()
    await written(newer)
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(TooNew):
        await SqliteLedger(newer).open()


async def test_a_folder_that_cannot_hold_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be opened"):
        await SqliteLedger(tmp_path / "no" / "such" / "plane.db").open()


async def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "plane.db"
    ledger = SqliteLedger(path)
    await ledger.open()
    broken = Change(ChangeType.ADDED, Entry(Key(MAPS, "default", "b"), 3, None), None, 0.0)  # type: ignore[arg-type]
    with pytest.raises((StorageFailed, TypeError)):
        await ledger.write([change("a", 2), broken])
    await ledger.close()
    with pytest.raises(StorageFailed, match="is closed"):
        await ledger.write([change("a", 2)])
    again = SqliteLedger(path)
    assert (await again.open()).entries == []
    await again.close()
