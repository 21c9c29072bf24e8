"""Plugins in sidecars, here ones that answer what the test wants them to."""

import hashlib
import io
import tarfile
from contextlib import asynccontextmanager

import grpc
import grpc.aio
import pytest
from tests.render.plugins.samples import renderer_with
from tests.render.samples import config_map, names, request_for

from plumbline.base.errors import InvalidInput, LimitExceeded, ToolFailed, Unreachable
from plumbline.base.tree import MemoryTree
from plumbline.render.plugins import Plugins
from plumbline.render.plugins.wire import _field, _fields

FILES = {"app/cm.yaml": config_map("plain"), "common/x.txt": "shared"}
MADE = (config_map("a"), config_map("b"))
YES, NO = b"\x08\x01", b""


class Sidecar(grpc.GenericRpcHandler):
    def __init__(self, *, discovers=NO, supports=NO, made=MADE, complaint=""):
        self.discovers, self.supports, self.made = discovers, supports, made
        self.complaint = complaint
        self.calls = []
        self.received = []

    def service(self, details):
        name = details.method.rpartition("/")[2]
        self.calls.append(name)
        if name == "CheckPluginConfiguration":
            return grpc.unary_unary_rpc_method_handler(self.check)
        return grpc.stream_unary_rpc_method_handler(self.match if name == "MatchRepository" else self.generate)

    async def check(self, _request, _context):
        return self.discovers

    async def match(self, pieces, _context):
        self.received = [each async for each in pieces]
        return self.supports

    async def generate(self, pieces, context):
        self.received = [each async for each in pieces]
        if self.complaint:
            await context.abort(grpc.StatusCode.UNKNOWN, self.complaint)
        if isinstance(self.made, bytes):
            return self.made
        return b"".join(_field(1, text.encode()) for text in self.made)

    def files(self):
        """What came, as metadata, members and their modes and contents."""
        (_, metadata), *_ = list(_fields(self.received[0]))
        packed = b"".join(dict(_fields(dict(_fields(each))[2]))[1] for each in self.received[1:])
        told = {}
        for number, value in _fields(metadata):
            told.setdefault(number, []).append(value)
        assert told[3] == [hashlib.sha256(packed).hexdigest().encode()]
        assert told[4] == [len(packed)]
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            members = {each.name: each for each in archive.getmembers()}
            contents = {name: archive.extractfile(each).read() for name, each in members.items() if each.isfile()}
        return told, {name: each.mode for name, each in members.items()}, contents


@asynccontextmanager
async def serving(folder, sidecar, name="mine"):
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((sidecar,))
    server.add_insecure_port(f"unix:{folder}/{name}.sock")
    await server.start()
    try:
        yield Plugins(folder)
    finally:
        await server.stop(None)


def asked(**options):
    return request_for(FILES, "app", **{"plugin": {"name": "mine"}, **options})


async def test_a_socket_is_a_plugin_of_that_name(tmp_path, evaluator):
    sidecar = Sidecar()
    async with serving(tmp_path, sidecar) as plugins:
        rendered = await renderer_with(plugins, evaluator).render(asked())
    assert names(rendered) == ["a", "b"]
    assert sidecar.calls == ["CheckPluginConfiguration", "GenerateManifest"]


async def test_it_is_sent_the_whole_repository_and_all_variables(tmp_path, evaluator):
    sidecar = Sidecar()
    tree = MemoryTree({"app/run.sh": b"run", "common/x": b"x" * 300_000}, {"app/link": "../common/x"}, {"app/run.sh"})
    async with serving(tmp_path, sidecar) as plugins:
        request = asked(tree=tree, plugin={"name": "mine", "env": [{"name": "A", "value": "b"}]})
        await renderer_with(plugins, evaluator).render(request)
    told, modes, contents = sidecar.files()
    assert (told[1], told[2]) == ([b"app"], [b"app"])
    variables = [dict(_fields(entry)) for entry in told[5]]
    assert {1: b"ARGOCD_ENV_A", 2: b"b"} in variables
    assert {1: b"ARGOCD_APP_NAME", 2: b"app"} in variables
    assert contents == {"app/run.sh": b"run", "app/link": b"x" * 300_000, "common/x": b"x" * 300_000}
    assert (modes["app/run.sh"], modes["common/x"]) == (0o755, 0o644)


async def test_sources_can_be_claimed_by_a_sidecar(tmp_path, evaluator):
    sidecar = Sidecar(discovers=YES, supports=YES)
    async with serving(tmp_path, sidecar) as plugins:
        renderer = renderer_with(plugins, evaluator)
        assert names(await renderer.render(await renderer.claimed(request_for(FILES, "app")))) == ["a", "b"]
        sidecar.supports = NO
        other = request_for(FILES | {"app/other.yaml": config_map("other")}, "app")
        assert names(await renderer.render(await renderer.claimed(other))) == ["plain", "other"]
    assert sidecar.calls.count("CheckPluginConfiguration") == 1


async def test_who_is_named_must_want_it(tmp_path, evaluator):
    async with serving(tmp_path, Sidecar(discovers=YES, supports=NO)) as plugins:
        with pytest.raises(InvalidInput, match="supporting the given repository"):
            await renderer_with(plugins, evaluator).render(asked())


async def test_what_a_sidecar_complains_of_is_told(tmp_path, evaluator):
    async with serving(tmp_path, Sidecar(complaint="error generating manifests: no")) as plugins:
        with pytest.raises(ToolFailed, match="plugin mine failed: error generating manifests: no"):
            await renderer_with(plugins, evaluator).render(asked())


async def test_an_answer_is_bounded(tmp_path, evaluator):
    async with serving(tmp_path, Sidecar(made=("#" * (33 << 20),))) as plugins:
        with pytest.raises(LimitExceeded):
            await renderer_with(plugins, evaluator).render(asked())


@pytest.mark.parametrize("garbled", [b"\x0a\xff\xff\xff\xff\x0f", b"\x0a", b"\xff" * 12, b"\x0b\x00"])
async def test_an_answer_that_is_no_message_is_refused(tmp_path, evaluator, garbled):
    async with serving(tmp_path, Sidecar(made=garbled)) as plugins:
        with pytest.raises(InvalidInput, match="no message of the protocol"):
            await renderer_with(plugins, evaluator).render(asked())


async def test_a_sidecar_that_is_gone_is_waited_for_and_not_forgotten(tmp_path, evaluator):
    async with serving(tmp_path, Sidecar(discovers=YES, supports=YES)) as plugins:
        renderer = renderer_with(plugins, evaluator)
        await renderer.claimed(request_for(FILES, "app"))
    (tmp_path / "mine.sock").unlink(missing_ok=True)
    with pytest.raises(Unreachable, match="plugin mine cannot be reached"):
        await renderer.claimed(request_for(FILES, "app"))


async def test_a_sidecar_that_started_anew_renders_anew(tmp_path, evaluator):
    keys = set()
    for _ in range(2):
        async with serving(tmp_path, Sidecar()) as plugins:
            keys.add(renderer_with(plugins, evaluator).key(asked()))
    assert len(keys) == 2
