from plumbline.composition.composites.applying import Unsynced
from plumbline.composition.composites.planning import Observation, Plan, Wanted
from plumbline.composition.composites.state import At, Chosen, Composed, Revision
from plumbline.composition.composites.status import ended, news, ready, reported
from plumbline.composition.conditions import AVAILABLE, SUCCESS, Condition, first_of, with_conditions
from plumbline.composition.functions.values import Condition as Said
from plumbline.composition.functions.values import Resource, State
from plumbline.kernel.outcomes import Done, Stuck
from plumbline.kube.names import GroupVersionKind

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"
CHOSEN = Chosen(Revision("r", "1", "c", {}), {})
KIND = GroupVersionKind("", "v1", "ConfigMap")


def at(status=None, *, ready=("a",), unready=(), said="Unspecified", **fields):
    wanted = [Wanted(name, KIND, {}, True, None) for name in ready]
    wanted += [Wanted(name, KIND, {}, False, None) for name in unready]
    composite = Resource({"status": status or {}}, {}, said)
    composed = Composed(State(composite), **{key: fields.pop(key) for key in ("conditions", "fatal") if key in fields})
    return At(CHOSEN, {}, composed=composed, plan=Plan(tuple(wanted), ()), complete=True, **fields)


def xr(status=None, owned=None):
    entries = [
        {
            "manager": "apiextensions.crossplane.io/composite",
            "subresource": "status",
            "fieldsV1": {"f:status": owned or {}},
        }
    ]
    return {"metadata": {"name": "x", "managedFields": entries}, "status": status or {}}


def test_a_composite_is_ready_when_all_that_it_is_made_of_is():
    assert ready(at()) == AVAILABLE
    assert ready(at(unready=("db", "net"))).message == "Unready resources: db, net"
    assert ready(at(unready=("e", "d", "c", "b"))).message == "Unready resources: b, c, d, and 1 more"


def test_what_the_pipeline_says_about_the_composite_itself_counts_more():
    assert ready(at(unready=("db",), said="True")) == AVAILABLE
    assert ready(at(said="False")).reason == "Creating"


def test_a_resource_that_could_not_be_applied_is_named_with_its_reason():
    condition = ended(at(unsynced=(Unsynced("db", "cannot apply: no"),)), Done())
    assert (condition.status, condition.reason) == ("False", "ReconcileError")
    assert condition.message == "Unsynced resources: db. cannot apply: no"
    assert ended(at(), Done()) == SUCCESS
    assert ended(None, Stuck("NotFound", "no composition")).message == "no composition"


def test_status_fields_come_from_the_pipeline_and_go_when_it_drops_them():
    before = {"endpoint": "old", "size": {"cpu": 1, "mem": 2}, "others": "stay"}
    owned = {"f:endpoint": {}, "f:size": {"f:cpu": {}, "f:mem": {}}}
    after = reported(xr(before, owned), at({"size": {"cpu": 3}}), (), NOW)
    assert after == {"size": {"cpu": 3}, "others": "stay", "conditions": []}


def test_a_whole_object_that_nobody_wants_any_more_goes():
    owned = {"f:size": {"f:cpu": {}}, "f:items": {}}
    after = reported(xr({"size": {"cpu": 1}, "items": [1]}, owned), at({}), (), NOW)
    assert after == {"conditions": []}
    kept = reported(xr({"size": {"cpu": 1, "theirs": 2}}, owned), at({}), (), NOW)
    assert kept["size"] == {"theirs": 2}


def test_the_pipeline_does_not_write_machinery():
    after = reported(xr(), at({"conditions": [{"type": "Ready"}], "connectionDetails": {}, "a": 1}), (), NOW)
    assert after == {"a": 1, "conditions": []}


def test_conditions_of_functions_are_kept_and_told_to_claims_where_asked():
    said = (Said("DatabaseReady", "True", "Up", "yes", "CompositeAndClaim"), Said("Ready", "True", "No"))
    after = reported(xr(), at(conditions=said), (), NOW)
    assert after["claimConditionTypes"] == ["DatabaseReady"]
    assert after["conditions"] == [
        {"type": "DatabaseReady", "status": "True", "reason": "Up", "message": "yes", "lastTransitionTime": NOW}
    ]


def test_after_a_fatal_error_nobody_knows_what_was_not_reached():
    before = {"conditions": [{"type": "Custom", "status": "True", "reason": "R", "lastTransitionTime": NOW}]}
    after = reported(xr(before), at(fatal="no")._replace(complete=False), (), LATER)
    (condition,) = after["conditions"]
    assert (condition["status"], condition["reason"], condition["lastTransitionTime"]) == (
        "Unknown",
        "FatalError",
        LATER,
    )


def test_publishing_is_dated():
    assert reported(xr(), at(published=True), (), NOW)["connectionDetails"] == {"lastPublishedTime": NOW}


def test_a_condition_is_dated_when_it_changes_and_only_then():
    first = with_conditions(None, [AVAILABLE], NOW)
    assert with_conditions(first, [AVAILABLE], LATER) == first
    changed = with_conditions(first, [Condition("Ready", "False", "Creating", "m")], LATER)
    assert changed == [
        {"type": "Ready", "status": "False", "reason": "Creating", "message": "m", "lastTransitionTime": LATER}
    ]
    assert len(with_conditions(["nonsense", *first], [SUCCESS], NOW)) == 2


def test_a_long_message_is_cut():
    (condition,) = with_conditions([], [Condition("Ready", "False", "R", "x" * 9000)], NOW)
    assert len(condition["message"]) == 4096


def test_some_names_stand_for_many():
    assert first_of(["c", "a"]) == "a, c"
    assert first_of("cba") == "a, b, and c"
    assert first_of("dcba") == "a, b, c, and 1 more"


def test_what_is_not_ready_says_why_as_far_as_it_knows():
    failing = {
        "status": {"conditions": [{"type": "Synced", "status": "False", "message": "create failed: no such class"}]}
    }
    live = Observation(KIND, None, failing, {})
    for said in ("Unspecified", "False"):  # a pipeline that holds something back says no, and not why
        state = at(unready=("db", "net"), said=said)
        wanted = tuple(each._replace(live=live) if each.name == "net" else each for each in state.plan.wanted)
        told = ready(state._replace(plan=Plan(wanted, ())))
        assert told.message == "Unready resources: db, net — net: create failed: no such class"


def test_it_is_news_what_functions_report_and_were_not_shown():
    assert news(xr(), at({"arn": "a"}))
    assert news(xr({"arn": "a"}), at({"arn": "b"}))
    assert not news(xr({"arn": "a", "conditions": []}), at({"arn": "a", "conditions": [{"type": "Ready"}]}))
    assert not news(xr({"arn": "a"}), at())
