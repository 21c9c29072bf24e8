"""Which state a plan was made for, read from the plan itself."""

import io
import zipfile
from typing import Final, NamedTuple

from plumbline.base.errors import BadDocument
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state.document import parsed

_MEMBER: Final = "tfstate"
_STATE_BYTES: Final = 1 << 30


class Mark(NamedTuple):
    lineage: str = ""
    serial: int = 0

    def __str__(self) -> str:
        return f"serial {self.serial} of {self.lineage}" if self.lineage else "no state"


def mark_of_plan(plan: Plaintext) -> Mark | None:
    """None where it cannot be told: a plan that OpenTofu has encrypted, or one of a cloud."""
    try:
        with zipfile.ZipFile(io.BytesIO(plan.reveal())) as archive:
            if archive.getinfo(_MEMBER).file_size > _STATE_BYTES:
                return None
            return mark_of_state(Plaintext(archive.read(_MEMBER)))
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError):
        return None


def mark_of_state(state: Plaintext) -> Mark | None:
    if not state.reveal().strip():
        return Mark()
    try:
        document = parsed(state.reveal())
    except BadDocument:
        return None
    return Mark(document.lineage, document.serial)
