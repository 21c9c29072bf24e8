import copy
import pickle
from dataclasses import asdict, dataclass

import msgspec
import pytest

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext

CANARY = "canary-7f3b9"


@pytest.mark.parametrize("given", [CANARY, CANARY.encode(), bytearray(CANARY.encode())])
def test_it_gives_back_what_was_put_in_and_only_when_asked(given):
    assert Plaintext(given).reveal() == CANARY.encode()


def test_what_was_put_in_can_change_without_changing_it():
    buffer = bytearray(b"before")
    secret = Plaintext(buffer)
    buffer[:] = b"behind"
    assert secret.reveal() == b"before"


@pytest.mark.parametrize(
    "shown",
    [
        repr(Plaintext(CANARY)),
        str(Plaintext(CANARY)),
        f"{Plaintext(CANARY)}",
        f"{Plaintext(CANARY)!r:>20}",
        f"{Plaintext(CANARY):>20}",
        "%s %r" % (Plaintext(CANARY), Plaintext(CANARY)),  # noqa: UP031 - this way of formatting is tried too
        str([Plaintext(CANARY)]),
        str({"a": Plaintext(CANARY)}),
        str(ValueError(Plaintext(CANARY))),
        ascii(Plaintext(CANARY)),
    ],
)
def test_however_it_is_shown_it_shows_nothing(shown):
    assert "canary" not in shown
    assert "***" in shown


@dataclass
class Holder:
    secret: Plaintext


@pytest.mark.parametrize(
    "escape",
    [
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        lambda secret: asdict(Holder(secret)),
        encode,
        msgspec.msgpack.encode,
        msgspec.to_builtins,
        hash,
        len,
        list,
        vars,
        bytes,
    ],
)
def test_it_cannot_be_copied_encoded_or_measured_by_accident(escape):
    with pytest.raises((TypeError, NotImplementedError)) as refused:
        escape(Plaintext(CANARY))
    assert "canary" not in str(refused.value)


def test_it_can_be_compared_and_asked_whether_it_is_empty():
    assert Plaintext("a") == Plaintext(b"a")
    assert Plaintext("a") != Plaintext("b")
    assert Plaintext("a") != "a"
    assert Plaintext("a")
    assert not Plaintext("")
