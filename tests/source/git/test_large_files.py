"""Large files: pointers in the repository, contents from a server."""

import hashlib

import msgspec
import pytest
from tests.source.git.conftest import URL
from tests.source.git.origins import Origin

from plumbline.base.errors import (
    Corrupted,
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    ServerFault,
    StorageFailed,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.source.git import downloads, large
from plumbline.source.git.downloads import download
from plumbline.source.git.large import Pointer, Pointers, Store, pointer
from plumbline.source.repository import Credentials, Repository

CONTENT = b"kind: Large\n" * 1000
OID = hashlib.sha256(CONTENT).hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize {len(CONTENT)}\n"
BATCH = "/app.git/info/lfs/objects/batch"


@pytest.fixture
def offered(server):
    """A server that has the content."""
    answer = {
        "objects": [{"oid": OID, "actions": {"download": {"href": server.url("blob"), "header": {"X-Key": "k"}}}}]
    }
    server.answers = {BATCH: (200, {}, msgspec.json.encode(answer)), "/blob": (200, {}, CONTENT)}
    return server


def _large(url, project):
    return Repository(url=url, lfs=True, credentials=Credentials(password=Plaintext("canary")))


async def test_large_files_are_in_the_place_of_their_pointers(make, origin, offered):
    sha = origin.push({"big/file.yaml": POINTER, "big/small": "x"})
    sources = make(_large)
    url = offered.url("app.git")
    tree = await sources.tree(url, sha)
    assert tree.read("big/file.yaml") == CONTENT
    assert tree.size("big/file.yaml") == len(CONTENT)
    assert (tree.read("big/small"), tree.size("big/small")) == (b"x", 1)
    assert [name for name, _ in tree.children("big")] == ["file.yaml", "small"]
    assert tree.entry("nothing") is None
    plain = await make(folder="others").tree(url, sha)
    assert plain.read("big/file.yaml") == POINTER.encode()
    assert {plain.digest, plain.entry("big").digest} & {tree.digest, tree.entry("big").digest} == set()
    assert tree.entry("").digest == tree.digest


async def test_a_content_comes_once_and_our_credentials_stay_home(make, origin, offered):
    first = origin.push({"file": POINTER})
    second = origin.push({"other": POINTER})
    sources = make(_large)
    await sources.tree(offered.url("app.git"), first)
    await sources.tree(offered.url("app.git"), second)
    asked = dict(zip(offered.asked, offered.authorizations, strict=True))
    assert offered.asked.count("/blob") == offered.asked.count(BATCH) == 1
    assert asked[BATCH].startswith("Basic ")
    assert asked["/blob"] is None


async def _download(server, tmp_path, pointers=None, repository=None):
    store = Store(tmp_path / "large")
    wanted = [Pointer(OID, len(CONTENT))] if pointers is None else pointers
    await download(repository or Repository(url=server.url("app.git")), Credentials(), wanted, store)
    return store


FAULTS = [
    (BATCH, (401, {}, b""), Unauthenticated, "who are we"),
    (BATCH, (403, {}, b""), Forbidden, "not for us"),
    (BATCH, (404, {}, b""), NotFound, "no large files here"),
    (BATCH, (500, {}, b""), ServerFault, "it failed"),
    (BATCH, (200, {}, b"<html>"), GarbledReply, "not the protocol"),
    (BATCH, (200, {}, b'{"objects": []}'), NotFound, "it does not have them"),
    (BATCH, (200, {}, msgspec.json.encode({"objects": [
        {"oid": OID, "actions": {"download": {"href": "file:///etc/passwd"}}}]})), InvalidInput, "somewhere on our disk"),
    ("/blob", (200, {}, CONTENT[:-1]), GarbledReply, "too short"),
    ("/blob", (200, {}, CONTENT + b"x"), GarbledReply, "too long"),
    ("/blob", (200, {}, CONTENT[:-1] + b"x"), GarbledReply, "something else"),
    ("/blob", (404, {}, b""), NotFound, "gone"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "answer", "error", "why"), FAULTS, ids=[why for *_, why in FAULTS])
async def test_nothing_is_kept_of_what_is_not_right(offered, tmp_path, path, answer, error, why):
    offered.answers[path] = answer
    with pytest.raises(error):
        await _download(offered, tmp_path)
    assert [each for each in (tmp_path / "large").rglob("*") if each.is_file()] == []


async def test_whoever_names_a_content_of_another_repository_is_not_given_it(make, origin, offered):
    """A pointer is no more than a hash, which whoever may push can write down."""
    sources = make(_large)
    await sources.tree(offered.url("app.git"), origin.push({"file": POINTER}))
    mine = Origin(origin.path.with_name("mine.git"))
    sha = mine.push({"file": POINTER})
    offered.answers["/mine.git/info/lfs/objects/batch"] = (200, {}, b'{"objects": []}')
    with pytest.raises(NotFound):
        await sources.tree(offered.url("mine.git"), sha)


NOBODYS = "http://169.254.169.254/latest/meta-data/"


@pytest.mark.parametrize("away", ["href", "redirect", "batch"])
async def test_no_server_of_large_files_sends_us_where_only_we_get(offered, tmp_path, away):
    moved = (307, {"Location": NOBODYS}, b"")
    offer = {"objects": [{"oid": OID, "actions": {"download": {"href": NOBODYS, "header": {"Metadata-Flavor": "x"}}}}]}
    answers = {
        "href": (BATCH, (200, {}, msgspec.json.encode(offer))),
        "redirect": ("/blob", moved),
        "batch": (BATCH, moved),
    }
    path, answer = answers[away]
    offered.answers[path] = answer
    with pytest.raises(InvalidInput) as refused:
        await _download(offered, tmp_path)
    assert "169.254.169.254" in refused.value.why


async def test_a_redirect_is_followed_without_telling_others_who_we_are(offered, tmp_path):
    there = offered.url("there").replace("127.0.0.1", "localhost")
    offered.answers |= {"/blob": (302, {"Location": there}, b""), "/there": (200, {}, CONTENT)}
    offered.answers["/app.git/info/lfs/objects/moved"] = offered.answers[BATCH]
    offered.answers[BATCH] = (307, {"Location": "moved"}, b"")
    repository = Repository(url=offered.url("app.git"))
    store = Store(tmp_path / "large")
    who = Credentials(password=Plaintext("canary"))
    await download(repository, who, [Pointer(OID, len(CONTENT))], store)
    assert store.holds(OID)
    assert [bool(each) for each in offered.authorizations] == [True, True, False, False]
    offered.answers["/there"] = (302, {"Location": "/there"}, b"")
    with pytest.raises(GarbledReply):
        await _download(offered, tmp_path / "other")


async def test_a_server_that_is_not_there(tmp_path):
    repository = Repository(url="http://127.0.0.1:1/app.git", insecure=True)
    with pytest.raises(Unreachable):
        await _download(None, tmp_path, repository=repository)


async def test_certificates_that_are_none_are_said(tmp_path):
    repository = Repository(url="http://127.0.0.1:1/app.git", ca_pem="garbage")
    with pytest.raises(InvalidInput):
        await _download(None, tmp_path, repository=repository)


async def test_a_proxy_is_asked_where_settings_name_one(offered, tmp_path):
    proxy = offered.base.replace("://", "://ada:secret@")
    repository = Repository(url="http://forge.invalid/app.git", proxy=proxy)
    offered.answers[BATCH] = (500, {}, b"")
    with pytest.raises(ServerFault):
        await _download(offered, tmp_path, repository=repository)
    assert offered.asked == ["http://forge.invalid" + BATCH]


async def test_too_large_is_too_large(offered, tmp_path):
    with pytest.raises(LimitExceeded):
        await _download(offered, tmp_path, [Pointer(OID, 1 << 40)])
    assert offered.asked == []


async def test_only_http_has_large_files(make, origin, local):
    sha = origin.push({"file": POINTER})
    sources = make(lambda url, project: Repository(url=url, lfs=True, stands_at=str(origin.path)))
    with pytest.raises(InvalidInput):
        await sources.tree(URL, sha)


async def test_a_disk_without_space_is_said(offered, tmp_path, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(downloads.tempfile, "mkstemp", full)
    with pytest.raises(StorageFailed):
        await _download(offered, tmp_path)


async def test_a_content_that_changed_on_disk_is_not_used(offered, tmp_path):
    store = await _download(offered, tmp_path)
    store.path(OID).write_bytes(b"evil")
    with pytest.raises(Corrupted):
        store.read(Pointer(OID, len(CONTENT)))
    assert not store.holds(OID)


async def test_an_answer_that_comes_in_pieces_is_read_to_its_end(offered, tmp_path):
    """A hundred offers are more than one packet."""
    status, headers, answer = offered.answers[BATCH]
    offered.answers[BATCH] = (status, headers, answer[:-1] + b" " * 500_000 + answer[-1:])
    store = await _download(offered, tmp_path)
    assert store.holds(OID)


@pytest.mark.parametrize("harm", [lambda path: path.write_bytes(b"evil"), lambda path: path.unlink()])
async def test_a_content_that_is_lost_or_changed_comes_again(make, origin, offered, harm, tmp_path):
    sha = origin.push({"file": POINTER})
    sources = make(_large)
    url = offered.url("app.git")
    tree = await sources.tree(url, sha)
    harm(next((tmp_path / "mirrors" / "large").rglob(OID)))
    with pytest.raises(Corrupted):
        tree.read("file")
    assert (await sources.tree(url, sha)).read("file") == CONTENT
    assert offered.asked.count("/blob") == 2


def test_what_is_remembered_of_folders_has_a_bound(monkeypatch):
    monkeypatch.setattr(large, "_FOLDERS", 4)
    found = Pointers()
    for number in range(20):
        found.of(MemoryTree({f"a/{number}": POINTER.encode(), "c": b"2"}))
    assert len(found._found) <= 4


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:../../x\nsize 1\n", "no hash"),
        (b"version https://git-lfs.github.com/spec/v1\nsize 1\n", "no content"),
        (POINTER.encode() + b"x" * 1000, "far too long"),
        (b"kind: ConfigMap\n", "a file like any other"),
    ],
)
def test_what_is_no_pointer_is_a_file(content, why):
    assert pointer(content) is None


def test_folders_are_searched_once(monkeypatch):
    looked = []
    monkeypatch.setattr(large, "pointer", looked.append)
    found = Pointers()
    for _ in range(3):
        assert found.of(MemoryTree({"a/b": b"1", "c": b"2"})) == {}
    assert len(looked) == 2
    monkeypatch.setattr(large, "_FILES", 1)
    with pytest.raises(LimitExceeded):
        found.of(MemoryTree({"a/b": b"1", "c": b"2"}))
