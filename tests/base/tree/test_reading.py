"""What is in a tree, in which order, and within which bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import MemoryTree, read_text, tree, walk

FILES = {"b.yaml": b"1", "a/x.yaml": b"2", "a.yaml": b"3", "a/c/y.yaml": b"4", "B/z": b"5"}


def test_a_walk_goes_through_each_folder_where_its_name_stands():
    assert [path for path, _ in walk(MemoryTree(FILES))] == [
        "B", "B/z", "a", "a/c", "a/c/y.yaml", "a/x.yaml", "a.yaml", "b.yaml",
    ]  # fmt: skip


def test_a_walk_begins_where_it_is_told():
    assert [path for path, _ in walk(MemoryTree(FILES), "a")] == ["a/c", "a/c/y.yaml", "a/x.yaml"]
    assert list(walk(MemoryTree(FILES), "no")) == []


def test_a_walk_follows_no_link():
    looping = MemoryTree({"a/x": b""}, {"a/l": ".."})
    assert [(path, entry.kind) for path, entry in walk(looping)] == [("a", "folder"), ("a/l", "link"), ("a/x", "file")]


def test_a_walk_ends_at_its_bound(monkeypatch):
    monkeypatch.setattr(tree, "FILES", 3)
    with pytest.raises(LimitExceeded):
        list(walk(MemoryTree(FILES)))


def test_reading_says_what_is_not_there_and_what_is_too_large():
    files = MemoryTree({"a/x": b"12345"}, {"l": "a/x"})
    assert read_text(files, "a/x") == b"12345"
    for path in ("a", "no", "l", ""):
        with pytest.raises(InvalidInput):
            read_text(files, path)
    with pytest.raises(LimitExceeded):
        read_text(files, "a/x", 4)


def test_digests_say_what_is_in_a_folder_and_nothing_else():
    one = MemoryTree({"a/x": b"1", "a/y": b"2", "b/z": b"3"})
    same = MemoryTree({"b/z": b"4", "a/y": b"2", "a/x": b"1"})
    assert one.entry("a").digest == same.entry("a").digest
    assert one.digest != same.digest
    for other in (
        MemoryTree({"a/x": b"1", "a/w": b"2"}),
        MemoryTree({"a/x": b"1"}),
        MemoryTree({"a/x": b"1", "a/y": b"2"}, executables=frozenset({"a/x"})),
        MemoryTree({"a/x": b"1"}, {"a/y": "2"}),
        MemoryTree({"a/x": b"1", "a/y/y": b"2"}),
    ):
        assert one.entry("a").digest != other.entry("a").digest


def test_odd_names_are_names():
    odd = {" ": b"", "\udcff": b"", "ä\n": b"", "...": b"", "-rf": b""}
    assert {path for path, _ in walk(MemoryTree(odd))} == set(odd)


@pytest.mark.parametrize(
    "path", ["", "/a", "a/", "a//b", "./a", "a/../b", "..", "a\0", "a\\b", "x" * 5000, "a/" * 3000]
)
def test_paths_of_archives_are_plain_or_refused(path):
    with pytest.raises(InvalidInput):
        MemoryTree({path: b""})
    with pytest.raises(InvalidInput):
        MemoryTree({}, {path: "x"})


def test_nothing_is_a_file_and_a_folder_at_once():
    with pytest.raises(InvalidInput, match="at once"):
        MemoryTree({"a": b"", "a/b": b""})


def test_an_empty_tree_has_a_root():
    empty = MemoryTree({})
    assert empty.entry("").kind == "folder"
    assert empty.children("") == []
    assert empty.entry("a") is None


names = st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), min_size=1, max_size=3).filter(
    lambda name: name not in {".", ".."}
)


@given(st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), unique=True, max_size=12))
def test_every_file_is_walked_once_and_in_order(paths):
    paths = [path for path in paths if not any(other.startswith(f"{path}/") for other in paths)]
    made = MemoryTree({path: path.encode() for path in paths})
    walked = [path for path, entry in walk(made) if entry.kind == "file"]
    assert walked == sorted(paths, key=lambda path: [part.encode() for part in path.split("/")])
    assert all(made.read(path) == path.encode() and made.size(path) == len(path.encode()) for path in paths)
