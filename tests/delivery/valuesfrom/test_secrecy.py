"""Values of Secrets reach the objects that were to have them, and nobody who only reads about these."""

import base64

import pytest
from tests.delivery.town import story

from plumbline.base.errors import InvalidInput, SchemaViolation
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.status import Condition
from plumbline.delivery.valuesfrom.discretion import (
    discreet_conditions,
    discreet_gate,
    discreet_state,
    veiled,
)
from plumbline.kinds.application import Operation, OperationState, ResourceResult, SyncOperationResult
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.render.values import Values

from .charts import chart, config_map, secret, taking, with_charts

CANARY = "hunter2-canary"
EVENTS = GroupVersionResource("", "v1", "events")
VALUES = Values(Plaintext(b"{}"), "v", (Plaintext(CANARY), Plaintext("40961")))
OPEN = Values(Plaintext(b"{}"), "v")


async def everything_told(town, capsys):
    """All that anybody could read but the objects themselves."""
    page = await town.journal.page(limit=500)
    events = await town.client.list(Target(EVENTS))
    return f"{page.entries!r} {events.items!r} {await town.app()!r} {capsys.readouterr()!r}"


def told(text, where):
    return any(form in where for form in (text, base64.b64encode(text.encode()).decode()[:-4]))


def test_a_secret_value_is_in_the_object_and_nowhere_else(capsys):
    @story(files=chart("${outputs.db.password}"))
    async def happens(town):
        with_charts(town)
        await town.create("v1/secrets", secret("db", password=CANARY), "shop")
        await town.deploy(metadata=taking("secret/db"))
        await town.synced()
        assert (await town.get("v1/configmaps", "web"))["data"]["value"] == CANARY
        assert not told(CANARY, await everything_told(town, capsys))

    happens()


def test_what_a_tool_says_about_it_is_masked(capsys):
    @story(files=chart("BROKEN ${outputs.db.password}"))
    async def happens(town):
        with_charts(town)
        await town.create("v1/secrets", secret("db", password=CANARY), "shop")
        await town.deploy(metadata=taking("secret/db"))

        async def failed():
            return [each["message"] for each in (await town.app()).get("status", {}).get("conditions", ())]

        (message,) = await town.until(failed)
        assert message.startswith("helm failed: cannot make anything of")
        assert "BROKEN ***" in message
        assert not told(CANARY, await everything_told(town, capsys))

    happens()


REFUSED = {
    "web/Chart.yaml": "name: web\n",
    "web/template.json": '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},'
    ' "spec": {"type": "${outputs.db.password}", "ports": [{"port": 80}]}}',
}


def test_what_the_server_says_about_it_is_masked(capsys):
    @story(files=REFUSED)
    async def happens(town):
        with_charts(town)
        await town.create("v1/secrets", secret("db", password=CANARY), "shop")
        await town.deploy(metadata=taking("secret/db"), options=("Validate=false",))

        async def failed():
            status = (await town.app()).get("status", {})
            rows = ((status.get("operationState") or {}).get("syncResult") or {}).get("resources", ())
            return any(each["status"] == "SyncFailed" for each in rows)

        await town.until(failed)
        await town.settle(60)
        text = await everything_told(town, capsys)
        assert "***" in text
        assert not told(CANARY, text)

    happens()


@story(files=chart("${outputs.net.vpc}"))
async def test_what_is_in_a_config_map_may_be_told(town):
    with_charts(town)
    await town.create("v1/configmaps", config_map("net", vpc="vpc-1"), "shop")
    await town.deploy(metadata=taking("configmap/net"))
    await town.synced()
    assert (await town.app())["status"]["operationState"]["phase"] == "Succeeded"


def test_states_and_conditions_are_told_without_them():
    rows = (ResourceResult(group="", version="v1", kind="A", namespace="", name="a", message=f"a {CANARY}"),)
    state = OperationState(
        operation=Operation(),
        phase="Failed",
        message=f"b {CANARY}",
        started_at="",
        sync_result=SyncOperationResult(revision="", resources=rows),
    )
    shown = discreet_state(state, VALUES)
    assert (shown.message, shown.sync_result.resources[0].message) == ("b ***", "a ***")
    assert discreet_state(state, OPEN) is state
    assert discreet_state(state, None) is state
    found = (Condition("A", f"c {CANARY}"),)
    assert discreet_conditions(found, VALUES) == (Condition("A", "c ***"),)
    assert discreet_conditions(found, None) is found


class Gated:
    async def perform(self, intent, act):
        return await (act.rehearse() if intent == "rehearse" else act.perform())


class Failing:
    async def perform(self):
        raise SchemaViolation("it is wrong", why=f"{CANARY} is no port") from InvalidInput(CANARY)

    async def rehearse(self):
        await self.perform()


@pytest.mark.parametrize("intent", ["perform", "rehearse"])
async def test_the_gate_never_hears_them(intent):
    gate = discreet_gate(Gated(), VALUES)
    with pytest.raises(SchemaViolation) as raised:
        await gate.perform(intent, Failing())
    assert str(raised.value) == "it is wrong: *** is no port"
    assert raised.value.__cause__ is None
    assert discreet_gate(gate, OPEN) is gate
    assert discreet_gate(gate, None) is gate


def test_more_secrets_than_can_be_looked_for_leave_nothing_to_tell():
    many = Values(Plaintext(b"{}"), "v", tuple(Plaintext(f"secret-{each}") for each in range(1001)))
    assert many.masked("secret-7 here") == "what it said may hold secret values, and is not shown"
    assert repr(many) == "Values(v)"


def env(name, value):
    return {"name": name, "value": value}


VEILED = [
    ({"a": CANARY}, {"a": CANARY}, ({"a": "++++++++"}, {"a": "++++++++"}), "equal runs for equal values"),
    ({"a": CANARY}, {"a": "older"}, ({"a": "++++++++"}, {"a": "++++++++++++"}), "the value from before is not shown"),
    ({"a": f"x={CANARY}"}, {}, ({"a": "++++++++"}, {}), "part of a text"),
    ({"a": 40961}, {"a": 1}, ({"a": "++++++++"}, {"a": "++++++++++++"}), "numbers too"),
    ({"a": True, "b": None}, {"a": True, "b": None}, ({"a": True, "b": None}, {"a": True, "b": None}), "innocent"),
    (
        {"e": [env("B", "1"), env("A", CANARY)]},
        {"e": [env("A", "older"), env("B", "1"), env("C", CANARY)]},
        (
            {"e": [env("B", "1"), env("A", "++++++++")]},
            {"e": [env("A", "++++++++++++"), env("B", "1"), env("C", "++++++++")]},
        ),
        "items by their name, and those that Git no longer has",
    ),
    ({"l": [CANARY, "b"]}, {"l": ["older"]}, ({"l": ["++++++++", "b"]}, {"l": ["++++++++++++"]}), "items by place"),
    ({"l": [CANARY]}, {"l": "text"}, ({"l": ["++++++++"]}, {"l": "text"}), "another type"),
    ({"m": {"a": CANARY}}, {"m": 1}, ({"m": {"a": "++++++++"}}, {"m": 1}), "another type"),
    ({}, {"gone": CANARY}, ({}, {"gone": "++++++++"}), "a field that Git no longer has"),
    (None, {"a": CANARY}, (None, {"a": "++++++++"}), "an object that Git no longer has"),
    ({"a": CANARY}, None, ({"a": "++++++++"}, None), "an object that is not there yet"),
]


@pytest.mark.parametrize(("desired", "live", "shown", "why"), VEILED, ids=[each[-1] for each in VEILED])
def test_differences_are_shown_without_them(desired, live, shown, why):
    assert veiled(desired, live, VALUES) == shown, why
    assert not told(CANARY, encode(list(veiled(desired, live, VALUES))).decode())
    assert veiled(desired, live, OPEN) == (desired, live)
