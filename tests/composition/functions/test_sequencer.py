"""function-sequencer: what waits for what."""

import pytest
from tests.composition.functions.asking import ask, call, refusal

from plumbline.composition.functions.sequencer import Sequencer
from plumbline.composition.functions.values import Resource

WANTED = {"first": {}, "second": {}, "third": {}}


def asked(sequence, desired, observed=None, **fields):
    given = {"rules": [{"sequence": sequence, **fields.pop("rule", {})}], **fields}
    return ask(Sequencer(), call(input=given, desired=desired, observed=observed))


READY = Resource({}, ready="True")

CASES = [
    (["first", "second"], {"first": {}, "second": {}}, {}, ["first"], 'Delaying creation of resource(s) matching "second" because "first" is not fully ready (0 of 1)'),
    (["first", "second"], {"first": READY, "second": {}}, {}, ["first", "second"], ""),
    (["first", "second"], {"first": {}, "second": {}}, {"second": {}}, ["first", "second"], ""),
    (["none", "second"], {"second": {}}, {}, [], 'Delaying creation of resource(s) matching "second" because "none" does not exist yet'),
    (["a-.*", "b"], {"a-1": READY, "a-2": {}, "b": {}}, {}, ["a-1", "a-2"], 'Delaying creation of resource(s) matching "b" because "a-.*" is not fully ready (1 of 2)'),
    (["a", "b-.*"], {"a": {}, "b-1": {}, "b-2": {}}, {"b-1": {}}, ["a", "b-1"], 'Delaying creation of resource(s) matching "b-.*" because "a" is not fully ready (0 of 1)'),
    (["a", "^b"], {"a": {}, "b-1": {}, "xb": {}}, {}, ["a", "xb"], 'Delaying creation of resource(s) matching "^b" because "a" is not fully ready (0 of 1)'),
]  # fmt: skip


@pytest.mark.parametrize(("sequence", "desired", "observed", "left", "said"), CASES)
def test_what_is_not_there_waits_for_what_comes_before_it(sequence, desired, observed, left, said):
    answer = asked(sequence, desired, observed)
    assert sorted(answer.desired.resources) == left
    assert [each.message for each in answer.results] == ([said] if said else [])


def test_a_chain_stops_at_its_first_gap():
    answer = asked(["first", "second", "third"], {"first": READY, "second": {}, "third": {}})
    assert sorted(answer.desired.resources) == ["first", "second"]


def test_the_composite_is_not_ready_while_something_waits():
    assert asked(["a", "b"], {"a": {}, "b": {}}, resetCompositeReadiness=True).desired.composite.ready == "False"
    assert asked(["a", "b"], {"a": {}, "b": {}}).desired.composite.ready == "Unspecified"


def test_rules_about_deletions_hold_nothing_back():
    answer = asked(
        ["a", "b"], {"a": {}, "b": {}}, rule={"deleteOnly": True}, enableDeletionSequencing=True, cacheTTL="5s"
    )
    assert sorted(answer.desired.resources) == ["a", "b"]
    assert [each.severity for each in answer.results] == ["Warning"]
    assert answer.ttl_s == 5.0


def test_what_cannot_be_understood_is_refused():
    assert "cannot compile regex (" in refusal(asked(["(", "b"], {"b": {}}))
    assert "cannot evaluate condition" in refusal(asked(["a"], {}, rule={"condition": "true"}))
    assert "cannot get Function input" in refusal(ask(Sequencer(), call(input={"rules": 1})))
