"""What people read about objects and plans, from statuses and summaries of every kind."""

import base64
from datetime import UTC, datetime

import pytest
from tests.terraform.works import terraform

from plumbline.base.errors import BadDocument, Forbidden, InvalidInput, NotFound, PlanStale
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.cli.terraform.objects.drawing import described, listed, short
from plumbline.terraform.objects.phases import check_active, standing
from plumbline.terraform.objects.plans import Shown, meant
from plumbline.terraform.objects.states import outputs_in, place_of
from plumbline.terraform.objects.store import Terraforms
from plumbline.terraform.pending import Pending
from plumbline.terraform.plans import Danger, summarised

NOW = datetime(2026, 1, 2, tzinfo=UTC)
DIGEST = "ab" * 32


def obj(ready="Unknown", reason="TerraformPlannedWithChanges", plan=None, spec=None, **more):
    made = terraform(**(spec or {}))
    made["metadata"] |= {"uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
    ready = {"type": "Ready", "status": ready, "reason": reason, "message": "so it is"}
    return made | {"status": {"conditions": [ready], "plan": plan or {}, **more}}


PENDING = {"pending": "plan-main-1"}
ROWS = [
    (obj(plan=PENDING), "plan-main-1", "unknown", "a plan waits"),
    (obj(plan=PENDING | {"isDriftDetectionPlan": True}), "plan-main-1", "yes", "it drifted"),
    (obj("False", "DriftDetected", PENDING | {"isDriftDetectionPlan": True}), "plan-main-1", "yes", "the same"),
    (obj("True", "NoDrift", lastPlanAt="2026-01-01T00:00:00Z"), "none", "no", "all is well"),
    (obj("True", "NoDrift", spec={"disableDriftDetection": True}), "none", "ignored", "nobody looks"),
    (obj("Unknown", "Progressing"), "working", "unknown", "somebody is at work"),
    (obj("True", "NoDrift", spec={"suspend": True}), "suspended", "unknown", "it is left alone"),
]


@pytest.mark.parametrize(("found", "plan", "drift", "why"), ROWS, ids=[row[-1] for row in ROWS])
def test_a_line_says_what_waits_and_what_drifted(found, plan, drift, why):
    assert listed([found], NOW).splitlines()[1].split()[2::][:1] == [plan], why
    assert listed([found], NOW).splitlines()[1].split()[-2] == drift, why


def test_revisions_are_short_where_they_can_be():
    assert short("main@sha1:" + "1" * 40) == "main@sha1:" + "1" * 12
    assert short("v1.2") == "v1.2"


def test_an_object_that_nobody_will_look_at_is_not_waited_for():
    with pytest.raises(InvalidInput, match="suspended"):
        check_active(obj(spec={"suspend": True}))
    going = obj()
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    with pytest.raises(InvalidInput, match="being deleted"):
        check_active(going)


def shown(**more):
    found = obj(plan=PENDING)
    return Shown(found, standing(found), **more)


def test_everything_that_somebody_needs_is_shown():
    change = {
        "address": "terraform_data.db",
        "mode": "managed",
        "type": "terraform_data",
        "name": "db",
        "provider_name": "terraform.io/builtin/terraform",
        "change": {
            "actions": ["delete", "create"],
            "before": {"input": "a", "gone": "x"},
            "after": {"input": "\x1b[2Jb"},
            "after_unknown": {},
            "replace_paths": [["input"]],
        },
        "action_reason": "replace_because_cannot_update",
    }
    plan = {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "resource_changes": [change],
        "resource_drift": [change],
        "output_changes": {"word": {"actions": ["create"], "before": None, "after": "w", "after_unknown": False}},
        "applyable": True,
        "complete": True,
    }
    danger = Danger(
        kind="replace", consent="replace", severity="high", address="terraform_data.db", sentence="replaces db"
    )
    pending = Pending(
        id="plan-main-1",
        digest=DIGEST,
        revision="main@sha1:1",
        inputs="i",
        destroy=True,
        drift=True,
        dangers=(danger,),
        more=3,
    )
    found = shown(pending=pending, summary=summarised(Plaintext(encode(plan))))
    text, full = described(found), described(found, fields=True)
    for part in ("It destroys everything.", "what was changed outside", "high: replaces db", "and 3 more", DIGEST):
        assert part in text
    assert "the reason for the replacement" in full
    assert "changed outside: terraform_data.db" in full
    assert "create output word" in full
    assert "\x1b" not in text + full


def test_a_plan_is_meant_by_its_whole_name_or_not_at_all():
    with pytest.raises(Forbidden, match="cannot be told from others"):
        meant(shown(hidden=True), "ab" * 6)
    assert meant(shown(hidden=True), DIGEST) == DIGEST
    pending = Pending(id="plan-main-1", digest=DIGEST, revision="r", inputs="i")
    assert meant(shown(pending=pending), "AB" * 6) == DIGEST
    with pytest.raises(PlanStale):
        meant(shown(pending=pending), "cd" * 6)
    nothing = obj("True", "NoDrift")
    with pytest.raises(NotFound):
        meant(Shown(nothing, standing(nothing)), "")


def test_outputs_of_what_is_no_state_are_not_read():
    with pytest.raises(BadDocument):
        outputs_in(Plaintext(b'{"outputs": []}'))


class Client:
    """Holds two objects that say where a state is."""

    async def get(self, target):
        if target.name == "missing":
            raise NotFound("it is not there")
        suffix = base64.b64encode(b"elsewhere").decode()
        if target.resource.resource == "secrets":
            return encode({"kind": "Secret", "metadata": {}, "data": {"secret_suffix": suffix, "token": suffix}})
        return encode({"kind": "ConfigMap", "metadata": {}, "data": {"namespace": "states"}})


async def test_a_state_is_looked_for_where_the_backends_settings_say():
    references = [
        {"kind": "Secret", "name": "settings", "keys": ["secret_suffix"]},
        {"kind": "ConfigMap", "name": "more"},
        {"kind": "Secret", "name": "missing", "optional": True},
    ]
    place = await place_of(Terraforms(Client(), "infra"), obj(spec={"backendConfigsFrom": references}))
    assert str(place) == "states/tfstate-default-elsewhere"


def test_a_name_is_a_name():
    with pytest.raises(InvalidInput, match="no name of a Terraform object"):
        Terraforms(None, "infra").target("infra/network")
