"""Actions that kinds have without anybody saying so."""

from datetime import UTC, datetime

import pytest

from plumbline.base.errors import EvaluationFailed, InvalidInput, NotFound
from plumbline.delivery.actions import Asked, offered, outcome
from plumbline.delivery.settings.customizations import ActionDefinition, Actions

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Lua:
    def __init__(self, answer=None):
        self.answer = answer

    async def lua(self, script, variables, *, open_libs=False, deadline_s=1.0):
        return self.answer


def obj(kind, group="apps", spec=None, status=None):
    metadata = {"name": "web", "namespace": "shop", "uid": "u"}
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": metadata, "spec": spec or {}, "status": status or {}}


OFFERS = [
    (obj("Deployment"), ["pause", "restart", "resume", "scale"], "a deployment"),
    (obj("StatefulSet"), ["restart", "scale"], "a stateful set"),
    (obj("DaemonSet"), ["restart"], "a daemon set"),
    (obj("CronJob", "batch"), ["create-job", "suspend"], "a schedule that runs"),
    (obj("CronJob", "batch", {"suspend": True}), ["create-job", "resume"], "a schedule that does not"),
    (obj("Job", "batch"), ["suspend", "terminate"], "a job that runs"),
    (obj("Job", "batch", {"suspend": True}), ["resume", "terminate"], "a job that waits"),
    (obj("Job", "batch", status={"conditions": [{"type": "Complete", "status": "True"}]}), [], "a job that is over"),
    (obj("ExternalSecret", "external-secrets.io"), ["refresh"], "a secret from a store"),
    (obj("Terraform", "infra.contrib.fluxcd.io"), ["reconcile", "suspend"], "a module"),
    (obj("Nonsense"), [], "what nobody knows"),
]


@pytest.mark.parametrize(("given", "expected", "why"), OFFERS, ids=[each[2] for each in OFFERS])
async def test_a_kind_offers_what_fits_its_state(given, expected, why):
    assert [each.name for each in await offered(Lua(), given, {})] == expected, why


async def done(given, action, **parameters):
    (impact,) = await outcome(Lua(), Asked(given, parameters, NOW), {}, action)
    return impact


async def test_what_actions_make_of_objects():
    restarted = (await done(obj("Deployment", spec={"template": {"metadata": {"labels": {"a": "b"}}}}), "restart")).obj
    assert restarted["spec"]["template"]["metadata"] == {
        "labels": {"a": "b"},
        "annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z"},
    }
    assert (await done(obj("Deployment"), "pause")).obj["spec"] == {"paused": True}
    assert (await done(obj("Deployment", spec={"paused": True}), "resume")).obj["spec"] == {"paused": False}
    assert (await done(obj("StatefulSet"), "scale", replicas="5")).obj["spec"] == {"replicas": 5}
    assert (await done(obj("Job", "batch"), "terminate")).obj["spec"] == {"activeDeadlineSeconds": 1}
    assert (await done(obj("ExternalSecret", "external-secrets.io"), "refresh")).obj["metadata"]["annotations"][
        "force-sync"
    ]
    app = obj("Application", "argoproj.io")
    assert (await done(app, "toggle-auto-sync")).obj["spec"] == {"syncPolicy": {"automated": {"enabled": True}}}


async def test_a_job_is_made_as_its_schedule_would_make_it():
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"template": {}}}
    operation, job = await done(obj("CronJob", "batch", {"jobTemplate": template}), "create-job")
    assert operation == "create"
    assert job["metadata"]["name"] == "web-20260102030405"
    assert job["metadata"]["ownerReferences"][0]["uid"] == "u"
    assert job["metadata"]["labels"] == {"a": "b"}
    assert job["spec"] == {"template": {}}


CUSTOM = Actions("discover", (ActionDefinition("bend", "bend"),))


async def test_what_settings_say_replaces_what_the_kind_has_unless_they_ask_for_both():
    lua = Lua({"bend": {"disabled": True, "displayName": "Bend it"}, "odd": None})
    assert [each.name for each in await offered(lua, obj("Deployment"), {"apps/Deployment": CUSTOM})] == ["bend", "odd"]
    both = Actions("discover", CUSTOM.definitions, merge_builtin_actions=True)
    names = [each.name for each in await offered(lua, obj("Deployment"), {"apps/*": both})]
    assert names == ["bend", "odd", "pause", "restart", "resume", "scale"]
    with pytest.raises(NotFound):
        await outcome(lua, Asked(obj("Deployment"), {}, NOW), {"apps/Deployment": CUSTOM}, "restart")
    assert await outcome(lua, Asked(obj("Deployment"), {}, NOW), {"apps/Deployment": both}, "restart")
    assert await offered(Lua("nonsense"), obj("Deployment"), {"apps/Deployment": CUSTOM}) == []


async def test_what_lua_made_of_empty_objects_is_what_it_was():
    """Lua has one kind of table, and an empty one comes back as a list."""
    container = {"name": "a", "resources": {}, "args": [], "ports": [{"x": {}}]}
    before = obj("Deployment", spec={"strategy": {}, "list": [], "containers": [container]})
    after = obj("Deployment", spec={"strategy": [], "list": [], "new": [], "containers": [{**container, "resources": [], "ports": [{"x": []}, {"y": []}]}, "b"]})  # fmt: skip
    (changed,) = await outcome(Lua(after), Asked(before, {}, NOW), {"apps/Deployment": CUSTOM}, "bend")
    assert changed.obj["spec"] == {
        "strategy": {},
        "list": [],
        "new": [],
        "containers": [{**container, "ports": [{"x": {}}, {"y": []}]}, "b"],
    }
    made = [{"operation": "create", "resource": after}]
    (made_,) = await outcome(Lua(made), Asked(before, {}, NOW), {"apps/Deployment": CUSTOM}, "bend")
    assert made_.obj == after


async def test_a_script_that_gives_no_objects_is_refused():
    for answer in ([{"operation": "patch"}], [{"operation": "patch", "resource": {}}], [{}] * 200, 7):
        with pytest.raises(EvaluationFailed):
            await outcome(Lua(answer), Asked(obj("Deployment"), {}, NOW), {"apps/Deployment": CUSTOM}, "bend")


@pytest.mark.parametrize("said", ["", "-1", "1.5", "many", "99999", "²"])
async def test_a_scale_is_a_whole_number(said):
    with pytest.raises(InvalidInput):
        await done(obj("Deployment"), "scale", replicas=said)
