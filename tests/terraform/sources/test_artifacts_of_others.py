"""Artifacts that other controllers serve: fetched once, held against what their object says, and never trusted further."""

import hashlib
import io
import tarfile

import pytest
from tests.source.charts.server import Server

from plumbline.base.clock import SystemClock
from plumbline.base.errors import (
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    PlumblineError,
    Refused,
    ServerFault,
    Unresolved,
)
from plumbline.base.json import encode
from plumbline.base.tree import resolve, walk
from plumbline.kinds.flux.common import Artifact
from plumbline.kinds.flux.terraform import SourceReference
from plumbline.kinds.timestamp import Time
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.room import secrets_of
from plumbline.terraform.sources.sources import Sources


class Files(Server):
    """Serves what it is given by path."""

    def __init__(self):
        super().__init__()
        self.files = {}

    def answer(self, asked):
        found = self.files.get(asked.path)
        return (404, {}, b"no") if found is None else (200, {}, found)


@pytest.fixture
def server():
    with Files().running() as running:
        yield running


@pytest.fixture
def downloads(tmp_path):
    return Downloads(tmp_path / "downloads", SystemClock())


def archive(*members, compressed=True):
    """Members are names with contents, or whole headers."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz" if compressed else "w") as tar:
        for name, content in members:
            if isinstance(content, tarfile.TarInfo):
                content.name = name
                tar.addfile(content)
            else:
                header = tarfile.TarInfo(name)
                header.size = len(content)
                tar.addfile(header, io.BytesIO(content))
    return out.getvalue()


def special(kind, target=""):
    header = tarfile.TarInfo("x")
    header.type, header.linkname = kind, target
    return header


def artifact(server, content, path="/a.tar.gz", **more):
    server.files[path] = content
    said = {
        "path": path,
        "url": server.base + path,
        "revision": "v1@sha256:abc",
        "digest": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "size": len(content),
        **more,
    }
    return Artifact(last_update_time=Time.read("2026-01-01T00:00:00Z"), **said)


GOOD = archive(("./main.tf", b"# main\n"), ("modules/a.tf", b"# a\n"))


async def test_an_artifact_is_fetched_once(downloads, server, tmp_path):
    wanted = artifact(server, GOOD)
    found = await downloads.tree(wanted)
    assert [path for path, entry in walk(found) if entry.kind == "file"] == ["main.tf", "modules/a.tf"]
    assert await downloads.tree(wanted) is found
    again = Downloads(tmp_path / "downloads", SystemClock())
    assert (await again.tree(wanted)).digest == found.digest
    assert len(server.asked) == 1


async def test_an_artifact_without_a_size_is_fetched_within_the_bound(downloads, server):
    assert await downloads.tree(artifact(server, GOOD, size=None))


UNTRUE = [
    ({"digest": "sha256:" + "0" * 64}, GarbledReply, "another digest"),
    ({"size": 7}, LimitExceeded, "larger than it says"),
    ({"size": len(GOOD) + 1}, GarbledReply, "smaller than it says"),
    ({"size": 1 << 40}, LimitExceeded, "too large to be fetched"),
    ({"size": -1}, LimitExceeded, "no size at all"),
    ({"digest": "md5:abc"}, InvalidInput, "a digest that proves nothing"),
    ({"url": "file:///etc/passwd"}, InvalidInput, "on our own disk"),
    ({"url": "ftp://forge/x"}, Refused, "no address that is used"),
]


@pytest.mark.parametrize(("said", "error", "why"), UNTRUE, ids=[each[2] for each in UNTRUE])
async def test_what_is_not_what_the_object_says_is_not_used(downloads, server, said, error, why):
    with pytest.raises(error):
        await downloads.tree(artifact(server, GOOD, **said))


async def test_what_is_not_there_and_a_server_that_fails(downloads, server):
    wanted = artifact(server, GOOD)
    server.files.clear()
    with pytest.raises(NotFound):
        await downloads.tree(wanted)
    server.status = 500
    with pytest.raises(ServerFault):
        await downloads.tree(artifact(server, archive(("b.tf", b"b"))))


HOSTILE = [
    (archive(("../out.tf", b"x")), "leads out"),
    (archive(("/etc/passwd", b"x")), "begins at the root"),
    (archive(("a/../../out.tf", b"x")), "leads out on a detour"),
    (archive(("dev", special(tarfile.CHRTYPE))), "a device"),
    (archive(("fifo", special(tarfile.FIFOTYPE))), "a pipe"),
    (archive(("hard", special(tarfile.LNKTYPE, "/etc/passwd"))), "a hard link"),
    (archive(("a.tf", b"1"), ("a.tf", b"2")), "the same file twice"),
    (archive(("a", b"1"), ("a/b", b"2")), "a file that is a folder"),
    (GOOD[: len(GOOD) // 2], "ends in the middle"),
    (b"\x1f\x8bnonsense", "no archive"),
    (lambda: archive(("zeros", b"\0" * (64 << 20))), "unpacks to a thousand times its size"),
    (lambda: archive(*((f"f{n}", b"") for n in range(20_001))), "too many files"),
]
"""Those that take long to make are made when they are needed."""


@pytest.mark.parametrize(("content", "why"), HOSTILE, ids=[each[1] for each in HOSTILE])
async def test_hostile_archives_are_refused(downloads, server, content, why):
    with pytest.raises(PlumblineError):
        await downloads.tree(artifact(server, content() if callable(content) else content))


LINKS = [("../../etc/passwd", "out of it"), ("/etc/passwd", "to the root of the disk"), ("l.tf", "to itself")]


@pytest.mark.parametrize(("target", "why"), LINKS, ids=[each[1] for each in LINKS])
async def test_a_link_that_leads_out_leads_nowhere(downloads, server, target, why):
    found = await downloads.tree(artifact(server, archive(("l.tf", special(tarfile.SYMTYPE, target)))))
    with pytest.raises(InvalidInput):
        resolve(found, "l.tf")


def source(kind, status=None, name="app", version="v1"):
    return {
        "apiVersion": f"source.toolkit.fluxcd.io/{version}",
        "kind": kind,
        "metadata": {"name": name, "namespace": "shop"},
        "status": status or {},
    }


class Objects:
    """A client that knows some objects."""

    def __init__(self, *objects):
        self.known = {(each["kind"].lower(), each["metadata"]["name"]): each for each in objects}
        self.asked = []

    async def get(self, target):
        self.asked.append(target.resource.version)
        kinds = {"ocirepositories": "ocirepository", "buckets": "bucket", "gitrepositories": "gitrepository", "externalartifacts": "externalartifact", "secrets": "secret"}  # fmt: skip
        found = self.known.get((kinds[target.resource.resource], target.name))
        if found is None:
            raise NotFound(f"no {target}")
        return encode(found)


def said(wanted):
    return {
        "artifact": {
            "path": wanted.path, "url": wanted.url, "revision": wanted.revision, "digest": wanted.digest,
            "size": wanted.size, "lastUpdateTime": "2026-01-01T00:00:00Z",
        }
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["OCIRepository", "Bucket", "GitRepository"])
async def test_every_kind_of_source_is_read_by_its_artifact(downloads, server, kind):
    wanted = artifact(server, GOOD)
    sources = Sources(Objects(source(kind, said(wanted))), downloads)
    found = await sources.tree(SourceReference(kind=kind, name="app"), "shop")
    assert (found.revision, found.digest) == (wanted.revision, wanted.digest)
    assert found.artifact["url"] == wanted.url
    assert found.tree.entry("main.tf") is not None


async def test_a_version_may_be_named(downloads, server):
    objects = Objects(source("OCIRepository", said(artifact(server, GOOD))))
    ref = SourceReference(api_version="source.toolkit.fluxcd.io/v1beta2", kind="OCIRepository", name="app")
    await Sources(objects, downloads).tree(ref, "shop")
    assert objects.asked == ["v1beta2"]


class Named:
    def __init__(self, kind, api_version=""):
        self.kind, self.api_version, self.name = kind, api_version, "app"


MISSING = [
    (Named("GitRepository"), (), NotFound, "there is no such object"),
    (Named("Bucket"), (source("Bucket"),), Unresolved, "it has no artifact yet"),
    (Named("Bucket"), (source("Bucket", {"artifact": {"path": "x"}}),), InvalidInput, "half of an artifact"),
    (Named("HelmChart"), (), InvalidInput, "no source of files"),
    (Named("Bucket", "example.org/v1"), (), InvalidInput, "the kind of somebody else"),
]


@pytest.mark.parametrize(("ref", "objects", "error", "why"), MISSING, ids=[each[3] for each in MISSING])
async def test_what_is_missing_is_said(downloads, ref, objects, error, why):
    with pytest.raises(error):
        await Sources(Objects(*objects), downloads).tree(ref, "shop")


async def test_a_secret_that_is_not_there_is_none():
    read = secrets_of(Objects())
    assert await read("shop", "nope") is None
