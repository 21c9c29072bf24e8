"""Who may read and write repositories, until there are accounts: whoever is on this machine, and whoever has the token."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plumbline.base.errors import StorageFailed
from plumbline.base.http.credentials import basic, bearer
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.web.requests import Request

_LONGEST: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    token: Plaintext
    open_writes: bool = False
    """Whether everybody on this machine may push."""

    def may_read(self, request: Request) -> bool:
        return request.local or self._knows_token(request)

    def may_write(self, request: Request) -> bool:
        return (self.open_writes and request.local) or self._knows_token(request)

    def _knows_token(self, request: Request) -> bool:
        """As a bearer token, as a password of whatever user, or as a user without a password."""
        header = request.header("authorization")
        token = bearer(header)
        given = basic(header)
        if token is None and given is not None:
            token = given.password or Plaintext(given.username)
        return bool(self.token) and token is not None and token == self.token


def token_at(path: Path) -> Plaintext:
    """The token in that file, which nobody else may read; a new one if there is no such file."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        if not path.exists():
            draft.unlink(missing_ok=True)
            draft.touch(mode=0o600)
            draft.write_bytes(unguessable().reveal())
            # Never over one that somebody else has made in between and may have handed out.
            try:
                path.hardlink_to(draft)
            except FileExistsError:
                pass
            finally:
                draft.unlink(missing_ok=True)
        with path.open() as file:
            token = file.read(_LONGEST).strip()
    except OSError as failed:
        raise StorageFailed(f"the token in {path} cannot be read", why=str(failed)) from failed
    if not token:
        raise StorageFailed(f"the token in {path} cannot be read", why="it is empty", hint="Remove the file.")
    return Plaintext(token)
