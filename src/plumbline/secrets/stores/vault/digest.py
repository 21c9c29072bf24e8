"""Whether two secrets are the same, for those who may not keep them."""

import hashlib
import hmac

from plumbline.base.plaintext import unguessable


class Digest:
    """Keyed anew with each start, so that a digest tells nothing to whoever finds one."""

    def __init__(self) -> None:
        self._key = unguessable()

    def __call__(self, *parts: bytes) -> bytes:
        made = hmac.new(self._key.reveal(), digestmod=hashlib.sha256)
        for each in parts:
            made.update(len(each).to_bytes(8) + each)
        return made.digest()
