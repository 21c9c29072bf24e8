"""After a run that died: what may exist that nobody knows of, and what may be gone that is still written down."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state.document import Document, Instance
from plumbline.terraform.state.orphans import orphaned
from plumbline.terraform.state.reading import State
from plumbline.terraform.work import Step

from .stage import PLACE

CREATE, DELETE, REPLACE, NEXT = ("create",), ("delete",), ("delete", "create"), ("create", "delete")


class Change(NamedTuple):
    address: str
    actions: tuple[str, ...]
    deposed: str = ""


def after(*instances):
    document = Document(serial=1, lineage="one", instances=instances)
    return State(place=PLACE, text=Plaintext(""), document=document, parts=())


def there(address="a.b", id_="old", deposed=""):
    return Instance(address=address, type="a", deposed=deposed, id=Plaintext(id_) if id_ else None)


def step(action, stage, address="a.b", id_=""):
    return Step(address=address, action=action, stage=stage, id_key="id" if id_ else "", id_value=id_)


ELSEWHERE = step("create", "completed", "else.where")


@pytest.mark.parametrize(
    ("actions", "state", "steps", "found", "why"),
    [
        (CREATE, (), (step("create", "started"),), ["unrecorded"], "died while it was being made"),
        (CREATE, (), (step("create", "started"), step("create", "completed", id_="new")), ["unrecorded"], "made, and the state was not written yet"),
        (CREATE, (there(),), (step("create", "started"), step("create", "completed")), [], "made and recorded"),
        (CREATE, (), (ELSEWHERE,), [], "its turn never came"),
        (CREATE, (), (), ["unrecorded"], "nobody heard anything"),
        (CREATE, (there(),), (), [], "it is recorded"),
        (CREATE, (), (step("create", "started"), step("create", "failed")), [], "the provider said what there is of it"),
        (DELETE, (there(),), (step("delete", "started"),), ["vanished"], "died while it was being deleted"),
        (DELETE, (there(),), (step("delete", "completed"), step("delete", "started")), ["vanished"], "deleted, and the state was not written yet"),
        (DELETE, (), (step("delete", "started"), step("delete", "completed")), [], "deleted and forgotten"),
        (DELETE, (there(),), (ELSEWHERE,), [], "its turn never came"),
        (DELETE, (there(),), (), ["vanished"], "nobody heard anything"),
        (DELETE, (there(),), (step("delete", "failed"),), [], "it said that it is still there"),
        (("update",), (there(),), (step("update", "started"),), [], "it is where it was, and the next plan looks at it"),
        (("no-op",), (there(),), (), [], "nothing was to be done"),
        (REPLACE, (there(),), (step("delete", "started"),), ["vanished"], "the old one may be gone"),
        (REPLACE, (), (step("delete", "completed"), step("create", "started")), ["unrecorded"], "the new one may exist"),
        (REPLACE, (there(),), (step("delete", "completed"), step("create", "started")), ["unrecorded", "vanished"], "the state is from before"),
        (REPLACE, (there(id_="new"),), (step("delete", "completed"), step("create", "completed", id_="new")), [], "all done"),
        (REPLACE, (there(),), (step("delete", "completed"), step("create", "completed", id_="new")), ["unrecorded", "vanished"], "all done, and the state is from before"),
        (REPLACE, (there(id_=""),), (step("delete", "completed"), step("create", "completed")), [], "without ids it is taken at its word"),
        (REPLACE, (there(),), (), ["unrecorded", "vanished"], "nobody heard anything"),
        (REPLACE, (there(),), (ELSEWHERE,), [], "its turn never came"),
        (NEXT, (there(),), (step("create", "started"),), ["unrecorded"], "the new one may exist beside the old one"),
        (NEXT, (there(id_="new"), there(deposed="k")), (step("create", "completed", id_="new"), step("delete", "started")), ["vanished"], "the old one may be gone"),
        (NEXT, (there(id_="new"),), (step("create", "completed", id_="new"), step("delete", "completed")), [], "all done"),
        (NEXT, (there(),), (step("create", "completed", id_="new"),), ["unrecorded"], "made, and the state is from before"),
        (NEXT, (there(id_="new"), there(deposed="k")), (), ["vanished"], "the old one is set aside, so the new one is recorded"),
    ],
)  # fmt: skip
def test_suspects_follow_from_what_was_begun_and_what_is_recorded(actions, state, steps, found, why):
    suspects = orphaned([Change("a.b", actions)], after(*state), steps)
    assert [each.what for each in suspects] == found, why
    assert all("a.b" in each.sentence for each in suspects)


def test_an_object_that_was_set_aside_is_meant_by_its_key():
    changes = [Change("a.b", DELETE, "k1"), Change("a.b", DELETE, "k2")]
    suspects = orphaned(changes, after(there(), there(deposed="k2")), (step("delete", "started"),))
    assert [each.sentence for each in suspects] == [
        "a.b (replaced object k2) was being deleted: it may be gone, and the state still has it"
    ]


def test_what_the_tool_said_helps_to_find_it():
    (suspect,) = orphaned([Change("a.b", CREATE)], None, (step("create", "completed", id_="i-123"),))
    assert suspect.id == "i-123"
    assert suspect.sentence == "a.b was created as id i-123, and the state does not know it"


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([CREATE, DELETE, REPLACE, NEXT, ("update",)])), max_size=3, unique_by=lambda each: each[0]),
    st.sets(st.sampled_from("abc")),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["create", "delete"]), st.sampled_from(["started", "completed", "failed"])), max_size=6),
)  # fmt: skip
def test_only_what_was_planned_is_suspected_and_what_never_began_is_not(planned, recorded, said):
    steps = tuple(step(action, stage, address) for address, action, stage in said)
    suspects = orphaned([Change(*each) for each in planned], after(*(there(each) for each in recorded)), steps)
    actions = dict(planned)
    for each in suspects:
        verb = "create" if each.what == "unrecorded" else "delete"
        assert verb in actions[each.address]
        assert not steps or any((address, action) == (each.address, verb) for address, action, _ in said)
        assert each.what == "unrecorded" or each.address in recorded
