"""Trees as real files: nothing is written outside, and no link at all."""

import stat

import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded, StorageFailed
from plumbline.base.tree import Entry, MemoryTree, writing, written


def on_disk(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_everything_is_written_in_its_place(tmp_path):
    written(MemoryTree({"a/x": b"1", "a/run": b"#!", "b": b"2"}, executables=frozenset({"a/run"})), tmp_path)
    assert on_disk(tmp_path) == {"a/x": b"1", "a/run": b"#!", "b": b"2"}
    assert stat.S_IMODE((tmp_path / "a/run").stat().st_mode) == 0o700
    assert not stat.S_IMODE((tmp_path / "a/x").stat().st_mode) & stat.S_IXUSR


def test_only_what_is_asked_for_is_written(tmp_path):
    written(MemoryTree({"a/x": b"1", "b/y": b"2", "c/z": b"3"}), tmp_path, ("a", "c/z"))
    assert on_disk(tmp_path) == {"a/x": b"1", "c/z": b"3"}


def test_links_become_what_they_lead_to(tmp_path):
    links = {"a/file": "../b/y", "a/folder": "../b", "a/chain": "folder", "a/gone": "nothing"}
    written(MemoryTree({"b/y": b"1", "b/c/z": b"2", "a/x": b"3"}, links), tmp_path, ("a",))
    assert on_disk(tmp_path) == {
        "a/x": b"3", "a/file": b"1",
        "a/folder/y": b"1", "a/folder/c/z": b"2", "a/chain/y": b"1", "a/chain/c/z": b"2",
    }  # fmt: skip
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_a_root_that_is_a_link_is_written_where_it_was_asked_for(tmp_path):
    written(MemoryTree({"b/y": b"1"}, {"a/l": "../b", "b/m": "y"}), tmp_path, ("a/l",))
    assert on_disk(tmp_path) == {"a/l/y": b"1", "a/l/m": b"1"}


def test_a_root_that_is_reached_through_a_link_is_written_where_it_was_asked_for(tmp_path):
    written(MemoryTree({"b/c/y": b"1"}, {"l": "b"}), tmp_path, ("l/c", "l/c/y"))
    assert on_disk(tmp_path) == {"l/c/y": b"1"}


def test_links_within_linked_folders_are_followed_too(tmp_path):
    written(MemoryTree({"c/z": b"1"}, {"a/l": "../b", "b/m": "../c", "c/n": "z"}), tmp_path, ("a",))
    assert on_disk(tmp_path) == {"a/l/m/z": b"1", "a/l/m/n": b"1"}


def test_a_folder_within_itself_is_left_out(tmp_path):
    written(MemoryTree({"a/x": b"1", "y": b"2"}, {"a/up": "..", "a/here": "."}), tmp_path)
    assert on_disk(tmp_path) == {"a/x": b"1", "y": b"2"}


def test_two_folders_that_hold_each_other_end(tmp_path):
    written(MemoryTree({"a/x": b"1", "b/y": b"2"}, {"a/b": "../b", "b/a": "../a"}), tmp_path, ("a",))
    assert on_disk(tmp_path) == {"a/x": b"1", "a/b/y": b"2"}


@pytest.mark.parametrize("target", ["../x", "/etc/passwd", "b/../../x"])
def test_one_link_that_leads_out_refuses_everything(tmp_path, target):
    with pytest.raises(InvalidInput):
        written(MemoryTree({"a/x": b"1", "b/y": b"2"}, {"l": target}), tmp_path)
    assert not (tmp_path.parent / "x").exists()


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "no", "l"])
def test_roots_that_are_not_there_are_refused(tmp_path, path):
    with pytest.raises(InvalidInput):
        written(MemoryTree({"a/x": b"1"}, {"l": "gone"}), tmp_path, (path,))


def test_links_that_multiply_end_at_the_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "FILES", 200)
    folders = [f"f{number}" for number in range(8)]
    links = {f"{one}/{other}": f"../{other}" for one in folders for other in folders if one != other}
    with pytest.raises(LimitExceeded, match="files"):
        written(MemoryTree({f"{name}/x": b"" for name in folders}, links), tmp_path)


def test_bytes_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_TOTAL_BYTES", 10)
    with pytest.raises(LimitExceeded, match="bytes"):
        written(MemoryTree({"a": b"123456", "b": b"123456"}), tmp_path)


def test_odd_names_are_written_as_they_are(tmp_path):
    names = {" ": b"1", "-rf": b"2", "ä\n": b"3", "...": b"4", "\udcff": b"5"}
    written(MemoryTree(names), tmp_path)
    assert on_disk(tmp_path) == names


class Forged:
    """A tree whose archive holds names that no folder can have."""

    digest = "d"

    def __init__(self, name, kind="file"):
        self._name = name
        self._kind = kind

    def entry(self, path):
        return Entry("folder", "d") if not path else Entry(self._kind, "e")

    def children(self, path):
        return [(self._name, Entry(self._kind, "e"))] if not path else []

    def size(self, path):
        return 1

    def read(self, path):
        return b"x"


@pytest.mark.parametrize("name", ["..", ".", "", "../x", "/x", "a/b", "a\0b"])
def test_forged_names_are_refused(tmp_path, name):
    with pytest.raises(InvalidInput):
        written(Forged(name), tmp_path)


def test_a_name_that_looks_like_a_path_elsewhere_is_a_name(tmp_path):
    written(Forged("..\\x"), tmp_path)
    assert on_disk(tmp_path) == {"..\\x": b"x"}


def test_submodules_whose_files_are_not_here_are_left_out(tmp_path):
    written(Forged("m", "module"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_does_not_take_it_is_an_error_of_ours(tmp_path):
    with pytest.raises(StorageFailed):
        written(Forged("x" * 300), tmp_path)
