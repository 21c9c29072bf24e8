"""Functions at an address, served by real gRPC on loopback."""

import asyncio
import contextlib
import datetime as dt
import ipaddress

import grpc
import pytest
from crossplane.function import runtime
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as v1
from crossplane.function.proto.v1beta1 import run_function_pb2_grpc as v1beta1
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from plumbline.base.errors import EvaluationFailed, Forbidden, InvalidInput, LimitExceeded, TimedOut, Unreachable
from plumbline.base.tasks import task_group
from plumbline.composition.functions.grpc import Certificates, Remote
from plumbline.composition.functions.grpc import remote as module
from plumbline.composition.functions.values import Call, Resource, State

CALL = Call(observed=State(Resource({"kind": "XR"})), tag="t")


class Echo(v1.FunctionRunnerService):
    def __init__(self, answer=None):
        self._answer = answer
        self.tags = []

    async def RunFunction(self, req, context):  # noqa: N802 - the protocol's name
        self.tags.append(req.meta.tag)
        if self._answer is not None:
            return await self._answer(context)
        return fnv1.RunFunctionResponse(desired=req.observed)


@contextlib.asynccontextmanager
async def serving(function, add=v1.add_FunctionRunnerServiceServicer_to_server, credentials=None, port=0):
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    add(function, server)
    where = f"127.0.0.1:{port}"
    port = server.add_secure_port(where, credentials) if credentials else server.add_insecure_port(where)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


@contextlib.asynccontextmanager
async def reaching(address, certificates=None, **options):
    remote = Remote(address, certificates, **options)
    try:
        yield remote
    finally:
        await remote.close()


async def test_a_function_is_called_and_its_answer_is_read():
    async with serving(Echo()) as address, reaching(address) as remote:
        assert (await remote.run(CALL)).desired == CALL.observed
        assert (await remote.run(CALL)).desired == CALL.observed


async def test_a_function_that_only_knows_the_beta_protocol_is_called_by_that():
    echo = Echo()
    older = runtime.BetaFunctionRunner(wrapped=echo)
    add = v1beta1.add_FunctionRunnerServiceServicer_to_server
    async with serving(older, add) as address, reaching(address) as remote:
        assert (await remote.run(CALL)).desired == CALL.observed
        assert (await remote.run(CALL)).desired == CALL.observed
    assert echo.tags == ["t", "t"]


async def test_a_function_that_is_replaced_by_a_newer_one_is_called_by_the_newer_protocol_again():
    beta = v1beta1.add_FunctionRunnerServiceServicer_to_server
    async with serving(runtime.BetaFunctionRunner(wrapped=Echo()), beta) as address, reaching(address) as remote:
        await remote.run(CALL)
        port = address.rpartition(":")[2]
    async with reaching(address) as remote:
        async with serving(runtime.BetaFunctionRunner(wrapped=Echo()), beta, port=port):
            await remote.run(CALL)
        async with serving(Echo(), port=port):
            with contextlib.suppress(Unreachable):
                await remote.run(CALL)
            assert (await remote.run(CALL)).desired == CALL.observed


async def test_something_else_that_speaks_grpc_is_refused():
    async with serving(Echo(), lambda *_: None) as address, reaching(address) as remote:
        with pytest.raises(EvaluationFailed, match="it failed: UNIMPLEMENTED"):
            await remote.run(CALL)


async def test_a_connection_is_made_again():
    async with serving(Echo()) as address, reaching(address) as remote:
        await remote.run(CALL)
    async with reaching(address) as remote:
        for _ in range(2):
            async with serving(Echo(), port=address.rpartition(":")[2]):
                with contextlib.suppress(Unreachable):
                    await remote.run(CALL)
                assert (await remote.run(CALL)).desired == CALL.observed


async def test_what_goes_wrong_there_is_told():
    async def refuse(context):
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "because")

    async def crash(_):
        raise ValueError("boom")

    for answer, said in ((refuse, "INVALID_ARGUMENT: because"), (crash, "boom")):
        async with serving(Echo(answer)) as address, reaching(address) as remote:
            with pytest.raises(EvaluationFailed, match=said):
                await remote.run(CALL)


async def test_a_function_that_hangs_is_given_up():
    async def hang(_):
        await asyncio.sleep(60)

    async with serving(Echo(hang)) as address, reaching(address, deadline_s=0.3) as remote:
        with pytest.raises(TimedOut):
            await remote.run(CALL)


async def test_a_connection_that_is_closed_in_the_middle_of_a_call_is_not_taken_for_a_cancellation():
    reached = asyncio.Event()

    async def hang(_):
        reached.set()
        await asyncio.sleep(60)

    async with serving(Echo(hang)) as address, reaching(address) as remote, task_group() as group:

        async def close():
            await reached.wait()
            await remote.close()

        group.create_task(close())
        with pytest.raises(Unreachable, match="the connection was closed"):
            await remote.run(CALL)


async def test_who_gives_up_on_a_call_is_cancelled():
    async def hang(_):
        await asyncio.sleep(60)

    async with serving(Echo(hang)) as address, reaching(address) as remote:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await remote.run(CALL)


async def test_an_address_where_nobody_listens_is_unreachable():
    async with reaching("127.0.0.1:1", deadline_s=0.2) as remote:
        with pytest.raises(Unreachable, match=r"no function answers at 127\.0\.0\.1:1"):
            await remote.run(CALL)


async def test_messages_that_are_too_large_are_refused(monkeypatch):
    async def much(_):
        response = fnv1.RunFunctionResponse()
        response.context.update({"a": "x" * 100_000})
        return response

    monkeypatch.setattr(module, "_OPTIONS", (("grpc.max_receive_message_length", 10_000),))
    async with serving(Echo(much)) as address, reaching(address) as remote:
        with pytest.raises(LimitExceeded, match="too large"):
            await remote.run(CALL)
        monkeypatch.setattr(module, "_MESSAGE_BYTES", 5)
        with pytest.raises(LimitExceeded, match="what it would be sent"):
            await remote.run(CALL)


async def test_more_than_the_usual_four_mebibytes_are_fine():
    async def much(_):
        response = fnv1.RunFunctionResponse()
        response.context.update({"a": "x" * (6 << 20)})
        return response

    async with serving(Echo(much)) as address, reaching(address) as remote:
        assert len((await remote.run(CALL)).context["a"]) == 6 << 20


def certificates(folder, authority=None):
    """A key, a certificate for loopback, and who vouches for it."""
    folder.mkdir()
    key = ec.generate_private_key(ec.SECP256R1())
    issuer, signer = authority or (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")]), key)
    now = dt.datetime.now(dt.UTC)
    name = issuer if authority is None else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, folder.name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=None), critical=True)
        .sign(signer, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "tls.key").write_bytes(private)
    (folder / "tls.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return name, key


def signed(tmp_path):
    authority = certificates(tmp_path / "authority")
    for name in ("server", "client"):
        certificates(tmp_path / name, authority)
        (tmp_path / name / "ca.crt").write_bytes((tmp_path / "authority" / "tls.crt").read_bytes())
    pair = [((tmp_path / "server" / "tls.key").read_bytes(), (tmp_path / "server" / "tls.crt").read_bytes())]
    authority_pem = (tmp_path / "authority" / "tls.crt").read_bytes()
    return grpc.ssl_server_credentials(pair, authority_pem, require_client_auth=True)


async def test_with_certificates_both_sides_show_who_they_are(tmp_path):
    credentials = signed(tmp_path)
    async with serving(Echo(), credentials=credentials) as address:
        async with reaching(address, Certificates(tmp_path / "client")) as remote:
            assert (await remote.run(CALL)).desired == CALL.observed
        async with reaching(address, deadline_s=0.3) as stranger:
            with pytest.raises(Unreachable):
                await stranger.run(CALL)


async def test_certificates_that_are_replaced_count_from_the_next_call_on(tmp_path):
    for each in ("old", "new"):
        (tmp_path / each).mkdir()
    old, new = signed(tmp_path / "old"), signed(tmp_path / "new")
    mounted = tmp_path / "old" / "client"
    async with serving(Echo(), credentials=old) as address:
        pass
    async with reaching(address, Certificates(mounted), deadline_s=2) as remote:
        async with serving(Echo(), credentials=old, port=address.rpartition(":")[2]):
            await remote.run(CALL)
            kept = remote._channel
            await remote.run(CALL)
            assert remote._channel is kept
        for name in ("tls.crt", "tls.key", "ca.crt"):
            (mounted / name).write_bytes((tmp_path / "new" / "client" / name).read_bytes())
        async with serving(Echo(), credentials=new, port=address.rpartition(":")[2]):
            assert (await remote.run(CALL)).desired == CALL.observed


async def test_certificates_that_are_not_there_are_told(tmp_path):
    async with reaching("functions.example.org:9443", Certificates(tmp_path)) as remote:
        with pytest.raises(InvalidInput, match=r"tls\.crt"):
            await remote.run(CALL)


@pytest.mark.parametrize(
    ("address", "fine"),
    [
        ("127.0.0.1:9443", True),
        ("localhost:9443", True),
        ("[::1]:9443", True),
        ("dns:///localhost:9443", True),
        ("unix:/run/f.sock", True),
        ("10.0.0.1:9443", False),
        ("functions.example.org:9443", False),
        ("dns:///functions.example.org:9443", False),
        ("localhost.example.org:9443", False),
    ],
)
def test_without_certificates_only_this_machine_is_called(address, fine):
    if fine:
        Remote(address)
    else:
        with pytest.raises(Forbidden) as refused:
            Remote(address)
        assert "tls.crt" in refused.value.hint
