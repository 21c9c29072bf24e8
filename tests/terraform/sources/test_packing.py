"""Archives: the same files are always the same bytes, and what comes back is what went in."""

import gzip
import io
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput, LimitExceeded, StorageFailed
from plumbline.base.tree import MemoryTree, walk
from plumbline.source.charts.archives import unpacked
from plumbline.terraform.sources import artifacts as artifacts_module
from plumbline.terraform.sources import packing
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.gathered import Content, Gathered, Mount, gathered
from plumbline.terraform.sources.packing import packed

NAMES = st.text(alphabet="abcé.-_ \udce9", min_size=1, max_size=8).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
FILES = st.dictionaries(PATHS, st.binary(max_size=40), max_size=8)
KEY = ("shop", "app")


def tree(files, links=None, executables=()):
    try:
        return MemoryTree(files, links, frozenset(executables))
    except InvalidInput:
        return None  # a path is a file and a folder at once


@settings(max_examples=50)
@given(FILES, st.sets(PATHS))
def test_what_is_packed_is_what_comes_out(files, executables):
    names = {path.casefold() for path in files}
    made = tree(files, {}, executables & files.keys())
    if made is None or len(names) < len(files):
        return
    out = io.BytesIO()
    packed(made, out)
    assert unpacked(out.getvalue()).tree().digest == made.digest


@settings(max_examples=50)
@given(FILES, st.randoms())
def test_the_order_in_which_files_are_found_does_not_matter(files, random):
    shuffled = list(files.items())
    random.shuffle(shuffled)
    one, other = tree(files), tree(dict(shuffled))
    if one is None:
        return
    first, second = io.BytesIO(), io.BytesIO()
    assert packed(one, first) == packed(other, second)
    assert first.getvalue() == second.getvalue()


def test_an_archive_tells_nothing_of_where_and_when_it_was_made():
    out = io.BytesIO()
    made = packed(MemoryTree({"a.tf": b"a", "x/" * 60 + "b.tf": b"b"}, {"l.tf": "a.tf"}, frozenset({"a.tf"})), out)
    assert made.size_bytes == len(out.getvalue())
    assert out.getvalue()[4:8] == b"\0\0\0\0"  # the time of a gzip stream
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as archive:
        members = {each.name: each for each in archive.getmembers()}
    assert {(each.mtime, each.uid, each.gid, each.uname) for each in members.values()} == {(0, 0, 0, "")}
    assert (members["a.tf"].mode, members["l.tf"].linkname) == (0o755, "a.tf")
    assert members["x/" * 60 + "b.tf"].size == 1


def test_more_than_a_runner_could_take_is_not_packed(monkeypatch):
    monkeypatch.setattr(packing, "TOTAL_BYTES", 10)
    with pytest.raises(LimitExceeded):
        packed(MemoryTree({"a": b"123456", "b": b"123456"}), io.BytesIO())


@pytest.fixture
def store(tmp_path):
    return Artifacts(tmp_path / "artifacts", "http://here/artifacts")


def test_an_artifact_is_there_whole_or_not_at_all(store, tmp_path, monkeypatch):
    class Broken(MemoryTree):
        def read(self, path):
            raise StorageFailed("Cannot read")

    with pytest.raises(StorageFailed):
        store.add(KEY, Broken({"a": b"a"}))
    assert list((tmp_path / "artifacts" / "gitrepository" / "shop" / "app").iterdir()) == []

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(artifacts_module, "packed", full)
    with pytest.raises(StorageFailed, match="No space left"):
        store.add(KEY, MemoryTree({"a": b"a"}))


WRONG = [
    "gitrepository/shop/app/../../../etc/passwd",
    "gitrepository/../../x/" + "0" * 64 + ".tar.gz",
    "gitrepository/shop/app/" + "0" * 64 + ".tar.gz",
    "gitrepository/shop/app/latest.tar.gz",
    "bucket/shop/app/" + "0" * 64 + ".tar.gz",
    "/gitrepository/shop/app/" + "0" * 64 + ".tar.gz",
    "gitrepository/shop/app/" + "0" * 64 + ".tar.gz\n",
    "",
]


@pytest.mark.parametrize("path", WRONG)
def test_only_what_is_there_is_opened_and_nothing_outside(store, path):
    assert store.opened(path) is None


def test_what_is_there_is_opened(store):
    made = store.add(KEY, MemoryTree({"a.tf": b"a"}))
    opened = store.opened(store.path(KEY, made.digest))
    with opened.file as file:
        assert gzip.decompress(file.read())
    assert (opened.size_bytes, opened.digest) == (made.size_bytes, made.digest)
    assert store.url(store.path(KEY, made.digest)).startswith("http://here/artifacts/gitrepository/shop/app/")
    assert store.holds(KEY, made.digest)
    assert not store.holds(("shop", "../app"), made.digest)


def test_the_present_one_and_the_last_are_kept(store):
    made = [store.add(KEY, MemoryTree({"a.tf": str(n).encode()})).digest for n in range(4)]
    store.collect(KEY, made[0])
    assert [store.holds(KEY, digest) for digest in made] == [True, False, False, True]
    store.collect(("shop", "nobody"), made[0])


def test_what_was_left_half_written_or_by_nobody_is_removed(store, tmp_path):
    made = store.add(KEY, MemoryTree({"a.tf": b"a"}))
    gone = store.add(("shop", "gone"), MemoryTree({"a.tf": b"a"}))
    draft = tmp_path / "artifacts" / "gitrepository" / "shop" / "app" / "draft-x"
    draft.write_bytes(b"half")
    store.settle({KEY})
    assert (store.holds(KEY, made.digest), store.holds(("shop", "gone"), gone.digest), draft.exists()) == (
        True,
        False,
        False,
    )


def listed(found):
    return {path: found.read(path).decode() for path, entry in walk(found) if entry.kind != "folder"}


def test_what_is_put_in_lies_over_what_is_there():
    base = MemoryTree({"a/x.tf": b"old", "a/keep.tf": b"keep", "b": b"a file", "c/d/e.tf": b"deep"})
    put = MemoryTree({"m/x.tf": b"new", "m/y.tf": b"y"})
    mounts = (Mount(put, "m", "a"), Mount(put, "m", "b"), Mount(MemoryTree({"d": b"flat"}), "", "c"))
    found = gathered(base, Content(mounts=mounts))
    assert listed(found) == {
        "a/keep.tf": "keep", "a/x.tf": "new", "a/y.tf": "y", "b/x.tf": "new", "b/y.tf": "y", "c/d": "flat",
    }  # fmt: skip
    assert found.size("a/x.tf") == 3


def test_the_same_files_have_the_same_hash_however_they_came_together():
    whole = MemoryTree({"a/x.tf": b"x", "b.tf": b"b"})
    parts = gathered(MemoryTree({"b.tf": b"b"}), Content(mounts=(Mount(MemoryTree({"x.tf": b"x"}), "", "a"),)))
    assert gathered(whole, Content()).digest == parts.digest
    assert parts.digest != gathered(MemoryTree({"a/x.tf": b"y", "b.tf": b"b"}), Content()).digest


def test_a_gathered_tree_answers_as_any_tree_does():
    found = gathered(MemoryTree({"a/x.tf": b"x"}), Content(folders=("a/x.tf",)))
    assert found.entry("").kind == "folder"
    assert found.entry("a").kind == "folder"
    assert found.entry("a/x.tf").kind == "file"
    assert (found.entry("nope"), found.entry("a/x.tf/y"), found.children("nope")) == (None, None, [])
    with pytest.raises(InvalidInput):
        found.read("a")
    assert Gathered({}).children("") == []


def test_what_is_not_there_cannot_be_wanted():
    with pytest.raises(InvalidInput, match="nope"):
        gathered(MemoryTree({"a": b"a"}), Content(folders=("nope",)))
    with pytest.raises(InvalidInput, match="include"):
        gathered(MemoryTree({"a": b"a"}), Content(mounts=(Mount(MemoryTree({"b": b"b"}), "nope", "x"),)))


def test_folders_that_go_on_for_ever_are_refused():
    with pytest.raises(LimitExceeded):
        gathered(MemoryTree({"a/" * 300 + "x": b"x"}), Content())
