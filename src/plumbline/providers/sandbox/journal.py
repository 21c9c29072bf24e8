"""What was written, kept so that the next start finds the same cloud: requests, replayed with the same ids.

Lines of JSON in one file of the data folder, readable by its owner alone: requests hold passwords. A line that was cut off is
dropped, as is all after it. Times of creation are those of the replay; messages in queues are not kept.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.json import encode
from plumbline.providers.sandbox.calls import Call, Request, reads

_NOT_KEPT: Final = frozenset(
    {
        "AssumeRole",
        "AssumeRoleWithSAML",
        "AssumeRoleWithWebIdentity",
        "ChangeMessageVisibility",
        "Decrypt",
        "DeleteMessage",
        "DeleteMessageBatch",
        "Encrypt",
        "GenerateDataKey",
        "Publish",
        "PublishBatch",
        "PurgeQueue",
        "ReceiveMessage",
        "SendMessage",
        "SendMessageBatch",
        "Sign",
        "Verify",
    }
)
_HEADERS: Final = ("content-type", "content-encoding", "x-amz-")
_SIGNATURE: Final = re.compile(r"Signature=[0-9a-f]+")


class Entry(msgspec.Struct, frozen=True):
    seed: str
    request: Request


_decoder: Final = msgspec.json.Decoder(Entry)


def kept(call: Call) -> bool:
    return not reads(call.operation) and call.operation not in _NOT_KEPT


class Journal:
    def __init__(self, path: Path, limit_bytes: int) -> None:
        self._path = path
        self._limit_bytes = limit_bytes
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._file = os.fdopen(descriptor, "r+b")
        self._size = 0

    @property
    def full(self) -> bool:
        return self._size >= self._limit_bytes

    def entries(self) -> Iterator[Entry]:
        """All from the beginning; what follows the last whole one is cut off."""
        self._file.seek(0)
        self._size = 0
        for line in self._file:
            try:
                entry = _decoder.decode(line)
            except msgspec.DecodeError:
                break
            if not line.endswith(b"\n"):
                break
            self._size += len(line)
            yield entry
        self._file.truncate(self._size)
        self._file.seek(self._size)

    def append(self, entry: Entry) -> None:
        line = encode(Entry(entry.seed, _without_credentials(entry.request))) + b"\n"
        self._file.write(line)
        self._file.flush()
        self._size += len(line)

    def clear(self) -> None:
        self._file.truncate(0)
        self._file.seek(0)
        self._size = 0

    def close(self) -> None:
        self._file.close()


def _without_credentials(request: Request) -> Request:
    """With who signed it, but not the signature: somebody may have come with the keys of a real account."""
    headers = {name: value for name, value in request.headers.items() if name.startswith(_HEADERS)}
    headers.pop("x-amz-security-token", None)
    if "authorization" in request.headers:
        headers["authorization"] = _SIGNATURE.sub("Signature=0", request.headers["authorization"])
    return msgspec.structs.replace(request, headers=headers)
