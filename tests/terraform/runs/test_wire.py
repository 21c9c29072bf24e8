"""What is sent to a runner comes out of it as it went in, secrets included; what was tampered with does not come in."""

import base64
import gzip
import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import (
    ApplyFailed,
    Corrupted,
    Forbidden,
    LimitExceeded,
    Refused,
    StateLocked,
    Throttled,
    TimedOut,
    ToolFailed,
    TooNew,
    Transient,
    Unresolved,
)
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.policies import Policy
from plumbline.terraform.runs import wire
from plumbline.terraform.runs.values import Failure, Order, Report
from plumbline.terraform.runs.wire import Written, read_order, read_report, written_order, written_report
from plumbline.terraform.state import Mark, Place
from plumbline.terraform.work import Argument, Output, Placed, Planned, Planning, Step, Workplace


def made(type_, *parts, **named):
    """Hypothesis looks for strategies of whatever has a default; nothing here is to be guessed."""
    return st.tuples(*parts).flatmap(lambda given: st.fixed_dictionaries(named).map(lambda said: type_(*given, **said)))


words = st.text(st.characters(codec="utf-8"), max_size=8)
secrets = st.binary(max_size=20).map(Plaintext)
arguments = st.lists(made(Argument, words, secrets), max_size=3).map(tuple)
workplaces = made(
    Workplace,
    path=words,
    files=st.lists(made(Placed, st.sampled_from(["module", "home"]), words, secrets), max_size=3).map(tuple),
    environment=arguments,
    backend=arguments,
    upgrade=st.booleans(),
)
marks = made(Mark, st.integers(0, 10**9), words)
orders = made(
    Order,
    id=st.uuids(version=4).map(str),
    key=st.tuples(words, words),
    operation=st.sampled_from(["plan", "apply", "drift"]),
    tree=st.just(MemoryTree({})),
    revision=words,
    inputs=words,
    workplace=workplaces,
    policy=made(
        Policy,
        providers=st.lists(st.lists(words, max_size=2).map(tuple), max_size=2).map(tuple),
        external_data=st.booleans(),
        provisioners=st.booleans(),
    ),
    generation=st.integers(0, 10**6),
    planning=made(Planning, destroy=st.booleans(), targets=st.lists(words, max_size=2).map(tuple)),
    outputs=st.booleans(),
    digest=words,
    parallelism=st.integers(0, 99),
    refresh=st.booleans(),
    place=st.one_of(st.none(), st.just(Place("infra", "default", "network", (("a", "b"),)))),
    expected=st.one_of(st.none(), marks),
    unlock=words,
    account=words,
    deadline_s=st.floats(1, 86400),
    artifact=st.one_of(st.none(), st.dictionaries(words, words, max_size=3)),
)
errors = st.one_of(
    made(ToolFailed, words, why=words, hint=words),
    made(Forbidden, words, why=words, hint=words),
    made(TimedOut, words, why=words, hint=words),
    made(StateLocked, words, lock_id=words, dead=st.booleans(), why=words, hint=words),
)
reports = made(
    Report,
    order=orders,
    planned=st.one_of(st.none(), made(Planned, plan=secrets, json=secrets, text=secrets, changes=st.booleans())),
    mark=st.one_of(st.none(), marks),
    outputs=st.one_of(
        st.none(), st.dictionaries(words, made(Output, type=words, value=secrets, sensitive=st.booleans()), max_size=2)
    ),
    steps=st.lists(
        made(Step, address=words, action=words, stage=st.sampled_from(["started", "completed", "failed"])), max_size=3
    ).map(tuple),
    state=st.one_of(st.none(), secrets),
    failure=st.one_of(st.none(), made(Failure, st.sampled_from(["init", "lock", "plan", "apply", "output"]), errors)),
    guards=st.frozensets(words, max_size=3),
)


@given(orders)
def test_an_order_comes_out_as_it_went_in(order):
    assert read_order(written_order(order))._replace(tree=None) == order._replace(tree=None)


@given(reports)
def test_a_report_comes_out_as_it_went_in(report):
    found = read_report(written_report(report), report.order)
    assert found._replace(failure=None) == report._replace(failure=None)
    assert (found.failure is None) == (report.failure is None)
    if report.failure is not None and found.failure is not None:
        sent, came = report.failure.error, found.failure.error
        assert found.failure.stage == report.failure.stage
        assert (type(came), came.what, came.why, came.hint) == (type(sent), sent.what, sent.why, sent.hint)


def test_every_part_of_an_order_is_sent_or_known_to_be_elsewhere():
    """The tree and the plan are fetched from where they are, and the object is for whoever makes the Job."""
    policy = {"providers", "external_data", "provisioners"}
    sent = {each.name for each in msgspec.structs.fields(wire._Order)}
    assert set(Order._fields) - {"tree", "plan", "object", "key", "policy"} == sent - policy - {
        "version",
        "namespace",
        "name",
    }
    assert set(Report._fields) - {"order"} == {each.name for each in msgspec.structs.fields(wire._Report)} - {
        "version",
        "id",
    }


ORDER = Order("id", ("infra", "network"), "plan", MemoryTree({}), "main", "", Workplace(), Policy())


def test_a_lock_that_was_in_the_way_keeps_its_id():
    sent = Failure("lock", StateLocked("locked", lock_id="0f", dead=True))
    found = read_report(written_report(Report(ORDER, failure=sent)), ORDER).failure.error
    assert (found.lock_id, found.dead) == ("0f", True)


def test_an_apply_that_failed_says_what_it_left_unfinished():
    error = ApplyFailed("terraform apply failed", why="quota", exit_code=1)
    error.unfinished = ("create aws_instance.web",)
    found = read_report(written_report(Report(ORDER, failure=Failure("apply", error))), ORDER).failure.error
    assert type(found) is ApplyFailed
    assert found.unfinished == ("create aws_instance.web",)


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (Unresolved("x", sought=("", "Secret", "infra", "a")), Refused),
        (Throttled("x", after_s=5.0), Transient),
    ],
    ids=["what names more than words", "what says when to come again"],
)
def test_an_error_of_more_than_words_comes_back_as_the_nearest_that_is(error, becomes):
    found = read_report(written_report(Report(ORDER, failure=Failure("plan", error))), ORDER).failure.error
    assert type(found) is becomes


def test_a_plan_of_more_than_a_secret_holds_comes_in_pieces():
    noise = Plaintext(bytes(range(256)) * 4096 + Plaintext(b"").reveal())
    hard = Plaintext(gzip.compress(noise.reveal()) + _noise(3 << 20))
    written = written_report(Report(ORDER, planned=Planned(plan=hard, json=noise, text=noise, changes=True)))
    assert len(written.pieces) > 3
    assert all(len(each) <= 1 << 20 for each in written.pieces)
    assert read_report(written, ORDER).planned.plan == hard


def _noise(count):
    return b"".join(hashlib.sha256(str(at).encode()).digest() for at in range(count // 32))


def test_what_is_too_large_for_an_order_is_refused_with_a_way_out():
    large = Workplace(files=(Placed("home", "a", Plaintext(_noise(2 << 20))),))
    with pytest.raises(LimitExceeded, match="too large"):
        written_order(ORDER._replace(workplace=large))


def test_a_report_of_another_run_is_not_taken():
    with pytest.raises(Corrupted, match="another run"):
        read_report(written_report(Report(ORDER._replace(id="other"))), ORDER)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"nonsense", "no gzip"),
        (gzip.compress(b"[]"), "no order"),
        (gzip.compress(b'{"version": 1, "id": "id", "steps": 5}'), "another form"),
        (gzip.compress(b'{"version": 1, "id": "id", "state": "*"}'), "no base64"),
        (gzip.compress(b'{"version": 1, "id": "id", "state": 5}'), "no text"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_report_is_not_taken(text, why):
    written = Written((text,), wire._digest((text,)))
    with pytest.raises(Corrupted):
        read_report(written, ORDER)
    with pytest.raises(Corrupted):
        read_order(text)


def test_a_report_whose_pieces_were_changed_is_not_taken():
    written = written_report(Report(ORDER))
    with pytest.raises(Corrupted, match="not what the runner has written"):
        read_report(Written((*written.pieces, b"more"), written.digest), ORDER)


def test_a_runner_of_another_version_is_told():
    with pytest.raises(TooNew, match="another version"):
        read_order(gzip.compress(b'{"version": 2}'))


def test_what_cannot_be_kept_is_refused(monkeypatch):
    monkeypatch.setattr(wire, "REPORT_BYTES", 10)
    with pytest.raises(LimitExceeded, match="too large"):
        written_report(Report(ORDER))


def test_nothing_but_secrets_is_opened():
    with pytest.raises(NotImplementedError):
        wire._revealed(object())
    with pytest.raises(NotImplementedError):
        wire._hidden(int, "5")
    assert wire._hidden(Plaintext, base64.b64encode(b"x").decode()) == Plaintext(b"x")
