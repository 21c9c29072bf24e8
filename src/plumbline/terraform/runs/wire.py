"""Orders and reports on their way to a runner and back. Pure; and nowhere else are their secrets opened to be written down.

The tree and the plan of an order are too large for it, and are where they were kept anyway: it says where, and by which
digest they are known. What comes back was written by a pod that ran somebody's module: it is bounded and checked.
"""

import binascii
import hashlib
import inspect
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from plumbline.base.errors import (
    ApplyFailed,
    BadDocument,
    Corrupted,
    LimitExceeded,
    PlumblineError,
    Refused,
    StateLocked,
    TooNew,
    Transient,
)
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.policies import Policy
from plumbline.terraform.runs.values import Failure, Order, Report, Stage
from plumbline.terraform.state import Mark, Place
from plumbline.terraform.state.packing import packed, pieces, unpacked
from plumbline.terraform.work import Operation, Output, Planned, Planning, Step, Workplace

VERSION: Final = 1
MOST_PIECES: Final = 256
ORDER_BYTES: Final = 16 * MIB
REPORT_BYTES: Final = 768 * MIB
"""A plan, the same as JSON and as text, and a state, each as large as it may be, come to less."""
_LONGEST: Final = 20_000
"""Of each sentence of a failure."""


class _Order(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    id: str
    namespace: str
    name: str
    operation: Operation
    revision: str
    inputs: str
    workplace: Workplace
    providers: tuple[tuple[str, ...], ...]
    external_data: bool
    provisioners: bool
    generation: int
    asked: str
    planning: Planning
    outputs: bool
    digest: str
    parallelism: int
    refresh: bool
    place: Place | None
    expected: Mark | None
    unlock: str
    account: str
    deadline_s: float
    artifact: dict[str, Any] | None


class _Failure(msgspec.Struct, frozen=True, kw_only=True):
    stage: Stage
    code: str
    what: str
    why: str = ""
    hint: str = ""
    lock_id: str = ""
    dead: bool = False
    unfinished: tuple[str, ...] = ()


class _Report(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    id: str
    planned: Planned | None = None
    mark: Mark | None = None
    outputs: dict[str, Output] | None = None
    steps: tuple[Step, ...] = ()
    state: Plaintext | None = None
    failure: _Failure | None = None
    guards: tuple[str, ...] = ()


class _Version(msgspec.Struct, frozen=True):
    version: int


class Written(msgspec.Struct, frozen=True):
    """Something in pieces of what one Secret holds; *digest* is that of all of them together."""

    pieces: tuple[bytes, ...]
    digest: str


def written_order(order: Order) -> bytes:
    """All but the tree, the plan and the object. Raises LimitExceeded for what does not fit into one Secret."""
    said = _Order(
        version=VERSION,
        id=order.id,
        namespace=order.key[0],
        name=order.key[1],
        operation=order.operation,
        revision=order.revision,
        inputs=order.inputs,
        workplace=order.workplace,
        providers=order.policy.providers,
        external_data=order.policy.external_data,
        provisioners=order.policy.provisioners,
        generation=order.generation,
        asked=order.asked,
        planning=order.planning,
        outputs=order.outputs,
        digest=order.digest,
        parallelism=order.parallelism,
        refresh=order.refresh,
        place=order.place,
        expected=order.expected,
        unlock=order.unlock,
        account=order.account,
        deadline_s=order.deadline_s,
        artifact=order.artifact,
    )
    made = pieces(packed(_encoded(said)))
    if len(made) > 1:
        raise LimitExceeded(
            "The run cannot be begun in a Job",
            why="its variables and files are together too large for one Secret",
            hint="Put large files into the source, and only what is secret into Secrets.",
        )
    return made[0]


def read_order(content: bytes) -> Order:
    """The order as it was, with neither tree nor plan. Raises Corrupted, TooNew."""
    said = _decoded(_unpacked((content,), ORDER_BYTES, "The order"), _Order, "The order")
    policy = Policy(providers=said.providers, external_data=said.external_data, provisioners=said.provisioners)
    return Order(
        id=said.id,
        key=(said.namespace, said.name),
        operation=said.operation,
        tree=MemoryTree({}),
        revision=said.revision,
        inputs=said.inputs,
        workplace=said.workplace,
        policy=policy,
        generation=said.generation,
        asked=said.asked,
        planning=said.planning,
        outputs=said.outputs,
        digest=said.digest,
        parallelism=said.parallelism,
        refresh=said.refresh,
        place=said.place,
        expected=said.expected,
        unlock=said.unlock,
        account=said.account,
        deadline_s=said.deadline_s,
        artifact=said.artifact,
    )


def written_report(report: Report) -> Written:
    """Raises LimitExceeded where it is more than can be kept."""
    said = _Report(
        version=VERSION,
        id=report.order.id,
        planned=report.planned,
        mark=report.mark,
        outputs=dict(report.outputs) if report.outputs is not None else None,
        steps=report.steps,
        state=report.state,
        failure=_told(report.failure) if report.failure is not None else None,
        guards=tuple(sorted(report.guards or ())),
    )
    text = _encoded(said)
    made = pieces(packed(text))
    if len(made) > MOST_PIECES or len(text) > REPORT_BYTES:
        raise LimitExceeded("The result of the run is too large to be kept", why=f"it has {len(text):,} bytes")
    return Written(made, _digest(made))


def read_report(written: Written, order: Order) -> Report:
    """The report on *order*. Raises Corrupted where it is none, TooNew."""
    what = "The result of the run"
    if len(written.pieces) > MOST_PIECES or _digest(written.pieces) != written.digest:
        raise _damaged(what, "it is not what the runner has written")
    said = _decoded(_unpacked(written.pieces, REPORT_BYTES, what), _Report, what)
    if said.id != order.id:
        raise _damaged(what, "it is that of another run")
    return Report(
        order,
        planned=said.planned,
        mark=said.mark,
        outputs=said.outputs,
        steps=said.steps,
        state=said.state,
        failure=_heard(said.failure) if said.failure is not None else None,
        guards=frozenset(said.guards),
    )


def _told(failure: Failure) -> _Failure:
    error = failure.error
    locked = error if isinstance(error, StateLocked) else None
    return _Failure(
        stage=failure.stage,
        code=error.code,
        what=error.what[:_LONGEST],
        why=error.why[:_LONGEST],
        hint=error.hint[:_LONGEST],
        lock_id=locked.lock_id if locked else "",
        dead=locked.dead if locked else False,
        unfinished=error.unfinished if isinstance(error, ApplyFailed) else (),
    )


def _heard(told: _Failure) -> Failure:
    said = {"why": told.why[:_LONGEST], "hint": told.hint[:_LONGEST]}
    error: PlumblineError
    if told.code == StateLocked.code:
        error = StateLocked(told.what, lock_id=told.lock_id[:_LONGEST], dead=told.dead, **said)
    else:
        error = _KNOWN.get(told.code, Refused)(told.what[:_LONGEST], **said)
    if isinstance(error, ApplyFailed):
        error.unfinished = told.unfinished
    return Failure(told.stage, error)


def _errors(root: type[PlumblineError]) -> Iterator[type[PlumblineError]]:
    yield root
    for each in root.__subclasses__():
        yield from _errors(each)


def _made_of_words(error: type[PlumblineError]) -> bool:
    parameters = inspect.signature(error).parameters
    return "what" in parameters and all(
        each.default is not each.empty for name, each in parameters.items() if name != "what"
    )


_KNOWN: Final = {
    each.code: each if _made_of_words(each) else root for root in (Transient, Refused) for each in _errors(root)
}
"""Errors by their codes; one that is more than words comes back as the root that it belongs to."""


def _encoded(said: msgspec.Struct) -> bytes:
    return msgspec.json.encode(said, enc_hook=_revealed)


def _revealed(value: Any) -> str:
    if not isinstance(value, Plaintext):
        raise NotImplementedError(f"{type(value).__name__} cannot be sent")
    return b64encode(value.reveal()).decode()


def _hidden(type_: type[Any], value: Any) -> Any:
    if type_ is not Plaintext:
        raise NotImplementedError(f"{type_.__name__} cannot come")
    if not isinstance(value, str):
        raise ValueError("it is no text")  # noqa: TRY004 - msgspec makes one of its own errors of it
    return Plaintext(b64decode(value, validate=True))


def _decoded(text: bytes, type_: type[Any], what: str) -> Any:
    try:
        if msgspec.json.decode(text, type=_Version).version != VERSION:
            why = "it was written by another version of Plumbline"
            raise TooNew(
                f"{what} cannot be read", why=why, hint="Give --runner-image the version that the controller has."
            )
        return msgspec.json.decode(text, type=type_, dec_hook=_hidden)
    except (msgspec.MsgspecError, binascii.Error, UnicodeError):
        raise _damaged(what, "it is not of the form that it should have") from None


def _unpacked(parts: tuple[bytes, ...], most_bytes: int, what: str) -> bytes:
    try:
        return unpacked(parts, most_bytes)
    except (BadDocument, LimitExceeded) as error:
        raise _damaged(what, error.why) from None


def _digest(parts: tuple[bytes, ...]) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part)
    return hashed.hexdigest()


def _damaged(what: str, why: str) -> Corrupted:
    return Corrupted(
        f"{what} cannot be read", why=why, hint="Nothing of it is used; the next run looks at what is there."
    )
