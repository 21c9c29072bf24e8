"""A function at an address."""

import asyncio
import ipaddress
from pathlib import Path
from typing import Any, Final, NamedTuple

from plumbline.base.errors import (
    EvaluationFailed,
    Forbidden,
    InvalidInput,
    LimitExceeded,
    PlumblineError,
    TimedOut,
    Unreachable,
)
from plumbline.base.limits import MIB
from plumbline.composition.functions.grpc import sdk
from plumbline.composition.functions.grpc.encoding import decoded, encoded
from plumbline.composition.functions.values import Answer, Call

_METHODS: Final = tuple(
    f"/apiextensions.fn.proto.{version}.FunctionRunnerService/RunFunction" for version in ("v1", "v1beta1")
)
_MESSAGE_BYTES: Final = 64 * MIB
_DETAIL_CHARS: Final = 1_024
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", _MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.enable_retries", 0),
)


class Certificates(NamedTuple):
    """A folder as Crossplane mounts it: our certificate, its key, and the authority that functions must be of."""

    folder: Path

    def read(self) -> tuple[bytes, bytes, bytes]:
        """Certificate, key, authority."""
        try:
            certificate, key, authority = (
                (self.folder / name).read_bytes() for name in ("tls.crt", "tls.key", "ca.crt")
            )
        except OSError as fault:
            why = f"{fault.filename}: {fault.strerror}"
            hint = "A folder of certificates holds tls.crt, tls.key and ca.crt."
            raise InvalidInput("the certificates for functions were not read", why=why, hint=hint) from fault
        return certificate, key, authority

    def state(self) -> tuple[tuple[int, int, int], ...]:
        """Another one whenever one of the files was replaced; one that is missing has none."""
        return tuple(_state(self.folder / name) for name in ("tls.crt", "tls.key", "ca.crt"))


def _state(file: Path) -> tuple[int, int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


class Remote:
    """One connection, made with the first call and made again by itself. Bound to the event loop of that call."""

    def __init__(self, address: str, certificates: Certificates | None = None, *, deadline_s: float = 60.0) -> None:
        """Without *certificates* only what runs on this machine is called: what is sent may hold secrets."""
        if certificates is None and not _local(address):
            raise Forbidden(
                f"the function at {address} is not called",
                why="it is on another machine, and no certificates are configured",
                hint="Configure a folder with tls.crt, tls.key and ca.crt for it.",
            )
        self._address = address
        self._certificates = certificates
        self._deadline_s = deadline_s
        self._channel: Any = None
        self._opened_with: object = None
        """The state of the certificates when the connection was made. Those that are replaced count from then on."""
        self._method = 0

    async def run(self, call: Call) -> Answer:
        request = encoded(call)
        if len(request) > _MESSAGE_BYTES:
            raise LimitExceeded(f"what it would be sent is more than {_MESSAGE_BYTES // MIB} MiB")
        return decoded(await self._sent(request))

    async def close(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    async def _sent(self, request: bytes) -> bytes:
        grpc = sdk.grpc()
        state = self._certificates.state() if self._certificates is not None else None
        if self._channel is not None and state != self._opened_with:
            await self.close()
        if self._channel is None:
            self._channel, self._opened_with = self._opened(grpc), state
        for left in reversed(range(len(_METHODS))):
            method = self._channel.unary_unary(_METHODS[self._method])
            try:
                return bytes(await method(request, timeout=self._deadline_s, wait_for_ready=True))
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                # gRPC says so to calls whose channel is closed, which is no wish of whoever waits for them.
                raise Unreachable(f"no function answers at {self._address}", why="the connection was closed") from None
            except grpc.aio.AioRpcError as fault:
                if fault.code() is not grpc.StatusCode.UNIMPLEMENTED or not left:
                    raise self._error(grpc, fault) from None
                self._method = (self._method + 1) % len(_METHODS)  # what answers there may have been replaced
        raise AssertionError  # the last one has returned or raised

    def _opened(self, grpc: Any) -> Any:
        if self._certificates is None:
            return grpc.aio.insecure_channel(self._address, options=_OPTIONS)
        certificate, key, authority = self._certificates.read()
        credentials = grpc.ssl_channel_credentials(authority, key, certificate)
        return grpc.aio.secure_channel(self._address, credentials, options=_OPTIONS)

    def _error(self, grpc: Any, fault: Any) -> PlumblineError:
        code, said = fault.code(), str(fault.details() or "")[:_DETAIL_CHARS]
        connected = self._channel is not None and self._channel.get_state() is grpc.ChannelConnectivity.READY
        if code is grpc.StatusCode.DEADLINE_EXCEEDED and connected:
            return TimedOut(f"it did not answer within {self._deadline_s:g} s")
        if code in {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE}:
            return Unreachable(f"no function answers at {self._address}", why=said)
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            return LimitExceeded("a message was too large for it or for us", why=said)
        return EvaluationFailed("it failed", why=f"{code.name}: {said}")


def _local(address: str) -> bool:
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.rpartition("/")[2].rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
