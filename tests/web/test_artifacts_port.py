"""`/artifacts/`: packed files by their digest, and nothing else."""

import hashlib

from tests.web.ports import opened

from plumbline.base.tree import MemoryTree
from plumbline.terraform.sources.artifacts import Artifacts as Kept
from plumbline.web import Artifacts

KEY = ("infra", "network")


async def test_what_was_packed_is_served_under_its_digest(tmp_path):
    kept = Kept(tmp_path, "")
    made = kept.add(KEY, MemoryTree({"main.tf": b"# " + bytes(range(32, 127)) * 9000}))
    async with opened(Artifacts(kept.opened)) as port:
        answer = await port.ask("GET", f"/artifacts/{kept.path(KEY, made.digest)}")
    assert answer.status == 200
    assert f"sha256:{hashlib.sha256(answer.body).hexdigest()}" == made.digest
    assert answer.headers["content-length"] == str(made.size_bytes)


async def test_nothing_else_is_found_and_nothing_is_listed(tmp_path):
    kept = Kept(tmp_path, "")
    made = kept.add(KEY, MemoryTree({"main.tf": b""}))
    (tmp_path / "secret").write_text("hunter2")
    path = kept.path(KEY, made.digest)
    async with opened(Artifacts(kept.opened)) as port:
        for each in (
            "",
            "gitrepository/",
            "secret",
            "../secret",
            "%2e%2e/secret",
            path + "/",
            path.replace(path[-12], "0"),
        ):
            if each == path:
                continue
            answer = await port.ask("GET", f"/artifacts/{each}")
            assert answer.status == 404, each
        assert (await port.ask("PUT", f"/artifacts/{path}", b"x")).status == 405
