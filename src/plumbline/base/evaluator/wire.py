"""What crosses the socket between the evaluator and a worker: one frame each way for each job."""

import struct
from collections.abc import Mapping
from typing import TypeAlias

import msgspec

LENGTH = struct.Struct("!I")


class JqTask(msgspec.Struct, tag="jq", frozen=True):
    program: str
    inputs: list[str]
    """JSON texts. Each gets an outcome of its own."""


class LuaTask(msgspec.Struct, tag="lua", frozen=True):
    script: str
    variables: bytes
    """A JSON object: what the script finds as globals."""
    open_libs: bool


class JsonnetTask(msgspec.Struct, tag="jsonnet", frozen=True):
    name: str
    """Where the program is among the files."""
    files: Mapping[str, bytes]
    libs: tuple[str, ...]
    ext_vars: Mapping[str, str]
    ext_codes: Mapping[str, str]
    tla_vars: Mapping[str, str]
    tla_codes: Mapping[str, str]


class Job(msgspec.Struct, frozen=True):
    task: JqTask | LuaTask | JsonnetTask
    cpu_s: int
    """After which the kernel ends the worker, should nobody else be there to do it."""
    output_limit_bytes: int


class Given(msgspec.Struct, tag="given", frozen=True):
    texts: list[bytes]
    """JSON."""


class Failed(msgspec.Struct, tag="failed", frozen=True):
    message: str


class Exceeded(msgspec.Struct, tag="exceeded", frozen=True):
    message: str


Outcome: TypeAlias = Given | Failed | Exceeded


class Reply(msgspec.Struct, frozen=True):
    outcomes: list[Outcome]
    peak_bytes: int


_encoder = msgspec.msgpack.Encoder()
_jobs = msgspec.msgpack.Decoder(Job)
_replies = msgspec.msgpack.Decoder(Reply)

encode = _encoder.encode
decode_job = _jobs.decode
decode_reply = _replies.decode
