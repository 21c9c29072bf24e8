"""The files of a commit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygit2.enums import FileMode
from tests.source.git.conftest import URL
from tests.source.git.origins import AUTHOR

from plumbline.base.errors import Corrupted, InvalidInput, NotFound
from plumbline.base.tree import Entry, MemoryTree, walk
from plumbline.source.git.folders import Folders
from plumbline.source.git.touched import touched


async def _tree(make, origin, local, sha=None):
    sources = make(local)
    return sources, await sources.tree(URL, sha or str(origin.repository.references["refs/heads/main"].target))


async def test_every_kind_of_entry_is_what_it_is(make, origin, local):
    modes = {"run.sh": FileMode.BLOB_EXECUTABLE, "link": FileMode.LINK, "sub": FileMode.COMMIT}
    origin.push({"run.sh": "#!", "link": "README", "sub": "1" * 40}, modes=modes)
    _, tree = await _tree(make, origin, local)
    assert tree.entry("") == Entry("folder", tree.digest)
    assert tree.entry("run.sh").executable
    assert (tree.entry("link").kind, tree.read("link")) == ("link", b"README")
    assert tree.entry("sub") == Entry("module", "1" * 40)
    assert tree.entry("apps").kind == "folder"
    assert (tree.size("README"), tree.read("README")) == (6, b"hello\n")
    assert [tree.entry(path) for path in ("nothing", "apps/nothing/x", "README/x", "sub/x")] == [None] * 4
    assert tree.children("README") == tree.children("nothing") == []


@pytest.mark.parametrize("path", ["apps", "nothing", ""])
async def test_only_files_can_be_read(make, origin, local, path):
    _, tree = await _tree(make, origin, local)
    with pytest.raises(InvalidInput):
        tree.read(path)


async def test_names_come_in_the_order_of_their_bytes_whatever_they_are(make, origin, local):
    oid = str(origin.repository.create_blob(b"x"))
    folder = origin.raw_tree([(FileMode.BLOB, b"x", oid)])
    # Git itself sorts folders as if their names ended with a slash.
    names = [(0o100644, b"a.b", oid), (0o040000, b"a", folder), (0o100644, b"a0", oid), (0o100644, b"\xff", oid)]
    root = origin.raw_tree(names)
    origin.point("refs/heads/main", origin.repository.create_commit(None, AUTHOR, AUTHOR, "m", root, []))
    _, tree = await _tree(make, origin, local)
    assert [name for name, _ in tree.children("")] == ["a", "a.b", "a0", "\udcff"]
    assert tree.read("\udcff") == b"x"


async def test_a_thousand_folders_cost_one_process_and_one_look_each(make, origin, local, runs):
    origin.push({f"apps/app-{index:04}/app.yaml": f"n: {index}\n" for index in range(1000)})
    sources, tree = await _tree(make, origin, local)
    folders = next(iter(sources._followed.values())).remote.mirror.folders
    for _ in range(3):
        for index in range(1000):
            assert tree.entry(f"apps/app-{index:04}/app.yaml").kind == "file"
    assert folders.reads == 1000 + 2
    assert len(runs) == 1
    after = origin.push({"apps/app-0007/app.yaml": "n: seven\n"})
    changed = await sources.tree(URL, after)
    for index in range(1000):
        changed.entry(f"apps/app-{index:04}/app.yaml")
    assert folders.reads == 1000 + 2 + 3, "root, apps and the one that changed"
    assert len(runs) == 2
    same = [
        index for index in range(1000) if changed.entry(f"apps/app-{index:04}") == tree.entry(f"apps/app-{index:04}")
    ]
    assert len(same) == 999


async def test_everybody_gets_the_same_tree(make, origin, local, runs):
    sources, tree = await _tree(make, origin, local)
    assert all([await sources.tree(URL, origin.first) is tree for _ in range(100)])
    assert len(runs) == 1


async def test_few_trees_are_kept(make, origin, local):
    commits = [origin.push({"README": f"{number}"}) for number in range(40)]
    sources, _ = await _tree(make, origin, local)
    for sha in commits:
        await sources.tree(URL, sha)
    assert len(next(iter(sources._followed.values())).remote.trees) == 32


def test_the_cache_of_folders_is_bounded():
    class Listing:
        def listed(self, digest):
            return [(f"{digest}-{number}".encode(), 0o100644, "1" * 40) for number in range(10)]

    folders = Folders(Listing(), capacity=100)
    for number in range(50):
        folders.names(str(number))
    assert len(folders._names) == 10
    folders.names("49")
    assert folders.reads == 50


async def test_a_commit_that_no_branch_leads_to_is_fetched_by_its_hash(make, origin, local, runs):
    lost = origin.push({"README": "lost\n"}, "gone")
    origin.delete("refs/heads/gone")
    sources, tree = await _tree(make, origin, local, lost)
    assert tree.read("README") == b"lost\n"
    count = len(runs)
    await sources.resolve(URL, "main", fresh=True)
    assert (await sources.tree(URL, lost)).read("README") == b"lost\n"
    assert len(runs) == count + 1


async def test_a_commit_that_is_nowhere_is_not_asked_for_again_and_again(make, origin, local, runs):
    sources = make(local)
    for _ in range(10):
        with pytest.raises(NotFound):
            await sources.tree(URL, "1" * 40)
    assert len(runs) == 2


async def test_trees_are_named_by_full_hashes(make, origin, local):
    with pytest.raises(InvalidInput):
        await make(local).tree(URL, "main")


async def test_what_a_force_push_dropped_can_still_be_read(make, origin, local):
    sources = make(local)
    await sources.resolve(URL, "main")
    origin.push({"README": "other\n"}, parents=())
    assert await sources.resolve(URL, "main", fresh=True) != origin.first
    assert (await sources.tree(URL, origin.first)).read("README") == b"hello\n"


async def test_only_what_changed_is_touched(make, origin, local):
    modes = {"run": FileMode.BLOB_EXECUTABLE, "sub": FileMode.COMMIT}
    first = origin.push({"a/b/c": "1", "a/d": "2", "run": "x", "sub": "1" * 40}, modes={"sub": FileMode.COMMIT})
    second = origin.push({"a/b/c": "2", "new/x": "3", "run": "x", "sub": "2" * 40}, modes=modes, remove=["a/d"])
    sources = make(local)
    assert await sources.touched(URL, first, second) == {"a/b/c", "a/d", "new/x", "run", "sub"}
    assert await sources.touched(URL, second, second) == frozenset()
    assert await sources.touched(URL, "3" * 40, second) is None


async def test_too_many_changes_are_not_listed(make, origin, local):
    many = origin.push({f"many/{number}": "x" for number in range(3001)})
    assert await make(local).touched(URL, origin.first, many) is None


CONTENTS = st.dictionaries(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join), st.binary(max_size=1), max_size=8
)


def _consistent(files):
    return {path: held for path, held in files.items() if not any(other.startswith(f"{path}/") for other in files)}


@given(CONTENTS.map(_consistent), CONTENTS.map(_consistent))
def test_touched_is_what_a_full_comparison_finds(before, after):
    differing = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert touched(MemoryTree(before), MemoryTree(after), 100) == differing


async def test_a_tree_looks_like_one_in_memory(make, origin, local):
    files = {"b.yaml": b"1", "a/x.yaml": b"2", "a/b/c": b"3", "README": b"hello\n", "apps/one/app.yaml": b"a: 1\n"}
    origin.push({path: content for path, content in files.items() if path[:2] in {"b.", "a/"}})
    _, tree = await _tree(make, origin, local)
    twin = MemoryTree(files)
    assert [(path, entry.kind) for path, entry in walk(tree)] == [(path, entry.kind) for path, entry in walk(twin)]
    assert all(tree.read(path) == content for path, content in files.items())


async def test_a_file_that_vanished_from_the_mirror_is_damage(make, origin, local):
    sources, tree = await _tree(make, origin, local)
    followed = next(iter(sources._followed.values()))
    for pack in followed.remote.mirror.path.glob("objects/pack/pack-*"):
        pack.unlink()
    followed.remote.mirror.objects.reopen()
    with pytest.raises(Corrupted):
        tree.read("README")
