"""Applications are told about once, from beside the controller."""

import asyncio
import base64

from tests.delivery.town import config_map, story

from plumbline.base.errors import Conflict
from plumbline.base.json import decode, encode
from plumbline.delivery.notifications.services.outbound import Reply
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource

CONFIG_MAPS = "v1/configmaps"
APPLICATIONS = "argoproj.io/v1alpha1/applications"
NOTIFIED = "notified.notifications.argoproj.io"
FILES = {"web/cm.yaml": config_map("web"), "api/cm.yaml": config_map("api")}
SUBSCRIBED = {"annotations": {"notifications.argoproj.io/subscribe.on-deployed.hook": ""}}
PLAIN = {
    "service.webhook.hook": "url: https://hooks.example.org/x\nheaders: [{name: Key, value: $key}]",
    "template.app-deployed": "webhook:\n  hook: {method: POST, body: '{{.app.metadata.name}} {{.app.status.sync.revision}}'}",
}


class Outside:
    """Takes every request, or refuses as often as it was told to."""

    def __init__(self, *statuses):
        self.statuses = list(statuses)
        self.calls = []

    async def send(self, call):
        self.calls.append(call)
        await asyncio.sleep(0.01)
        return Reply(self.statuses.pop(0) if self.statuses else 200, {}, b"")

    @property
    def bodies(self):
        return [call.body.decode() for call in self.calls]


async def configured(town, data=PLAIN, *statuses):
    outside = Outside(*statuses)
    town.delivery.notifier._desk._outbound = outside
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "argocd-notifications-secret"}, "data": {"key": base64.b64encode(b"s3cret").decode()}}  # fmt: skip
    await town.create("v1/secrets", secret, "argocd")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-notifications-cm"}, "data": data}
    await town.create(CONFIG_MAPS, body, "argocd")
    return outside


async def noted(town, name="web"):
    app = await town.app(name)
    return decode((app["metadata"].get("annotations") or {}).get(NOTIFIED, "{}"))


async def complaints(town):
    listed = await town.client.list(Target(GroupVersionResource("", "v1", "events"), "argocd"))
    told = [decode(each) for each in listed.items]
    return [each["message"] for each in told if each["reason"] == "NotificationFailed"]


@story(files=FILES)
async def test_a_deployment_is_told_once_per_commit(town):
    outside = await configured(town)
    await town.deploy(metadata=SUBSCRIBED)
    await town.deploy("api")
    await town.synced()
    await town.settle(30)
    assert outside.bodies == [f"web {town.repository.head}"]
    assert dict(outside.calls[0].headers)["Key"].reveal() == b"s3cret"
    (key,) = await noted(town)
    assert key == f"{town.repository.head}:on-deployed:[0].qyWrLKXYec9qR5FVB0ylUEJLjFg:hook:"
    assert await noted(town, "api") == {}
    first = town.repository.head
    town.repository.change(web__cm_yaml=config_map("web", "2"))
    await town.synced()
    await town.settle(30)
    assert outside.bodies == [f"web {first}", f"web {town.repository.head}"]
    assert len(await noted(town)) == 2


@story(files=FILES)
async def test_what_upstream_has_told_is_not_told_again(town):
    outside = await configured(town)
    note = encode({f"{town.repository.head}:on-deployed:[0].qyWrLKXYec9qR5FVB0ylUEJLjFg:hook:": 1}).decode()
    await town.deploy(metadata={"annotations": {**SUBSCRIBED["annotations"], NOTIFIED: note}})
    await town.synced()
    await town.settle(30)
    assert outside.calls == []


@story(files=FILES, mandate=MandateSpec())
async def test_whoever_only_observes_tells_nobody(town):
    outside = await configured(town, {**PLAIN, "trigger.on-deployed": "- when: 'true'\n  send: [app-deployed]"})
    await town.deploy(metadata=SUBSCRIBED)
    await town.settle(60)
    assert outside.calls == []


@story(files=FILES)
async def test_a_message_that_failed_is_sent_when_it_can_be_and_shown_until_then(town):
    outside = await configured(town, PLAIN, *[503] * 6)
    await town.deploy(metadata=SUBSCRIBED)
    await town.synced()
    await town.settle(120)
    assert len(outside.calls) == 7
    assert len(await noted(town)) == 1
    assert any("status 503" in each for each in await complaints(town))


@story(files=FILES)
async def test_what_can_never_be_sent_is_an_event_and_no_storm(town):
    outside = await configured(town, {"template.app-deployed": "message: x"})
    await town.deploy(
        metadata={"annotations": {**SUBSCRIBED["annotations"], "notifications.argoproj.io/subscribe.nope.hook": ""}}
    )
    await town.synced()
    await town.settle(120)
    assert outside.calls == []
    assert await noted(town) == {}
    said = await complaints(town)
    assert len(said) <= 3
    assert any("trigger 'nope' is not configured" in each for each in said)


@story(files=FILES)
async def test_the_note_survives_others_that_write_at_the_same_time(town):
    outside = await configured(town)
    records = town.delivery.notifier._around.records
    written = records.write
    refusals = [True, True]

    async def write(target, obj, change):
        if NOTIFIED in (change.get("metadata", {}).get("annotations") or {}) and refusals:
            refusals.pop()
            raise Conflict("somebody else was first")
        return await written(target, obj, change)

    records.write = write
    await town.deploy(metadata=SUBSCRIBED)
    await town.synced()
    await town.settle(30)
    assert len(outside.calls) == 1
    assert len(await noted(town)) == 1


@story(files=FILES)
async def test_a_note_that_cannot_be_written_is_remembered_and_written_later(town):
    outside = await configured(town)
    records = town.delivery.notifier._around.records
    written = records.write
    refusals = [True] * 7

    async def write(target, obj, change):
        if NOTIFIED in (change.get("metadata", {}).get("annotations") or {}) and refusals:
            refusals.pop()
            raise Conflict("somebody else was first")
        return await written(target, obj, change)

    records.write = write
    await town.deploy(metadata=SUBSCRIBED)
    await town.synced()
    await town.settle(60)
    assert len(outside.calls) == 1
    assert len(await noted(town)) == 1


@story(files=FILES)
async def test_a_condition_that_ends_may_be_told_again(town):
    data = {
        "service.webhook.hook": "url: https://hooks.example.org/x",
        "trigger.on-label": "- when: app.metadata.labels?.broken == 'yes'\n  send: [t]",
        "template.t": "message: broken",
        "subscriptions": "- recipients: [hook]\n  triggers: [on-label]",
    }
    outside = await configured(town, data)
    await town.deploy()
    await town.synced()
    for value in ("yes", "no", "yes", None):
        await town.patch(APPLICATIONS, "web", {"metadata": {"labels": {"broken": value}}}, "argocd")
        await town.settle(10)
    assert outside.bodies == ["broken", "broken"]
    assert await noted(town) == {}


@story(files=FILES)
async def test_projects_ask_for_their_applications(town):
    outside = await configured(town)
    await town.deploy()
    await town.synced()
    await town.settle(10)
    assert outside.calls == []
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", {"metadata": SUBSCRIBED}, "argocd")
    await town.settle(10)
    assert len(outside.calls) == 1


@story(files=FILES)
async def test_triggers_that_ask_for_the_time_are_asked_again(town):
    data = {
        "service.webhook.hook": "url: https://hooks.example.org/x",
        "trigger.on-old": "- when: time.Now().Sub(time.Parse(app.metadata.creationTimestamp)).Minutes() >= 5\n  send: [t]",
        "template.t": "message: old",
        "subscriptions": "- recipients: [hook]\n  triggers: [on-old]",
    }
    outside = await configured(town, data)
    await town.deploy()
    await town.synced()
    await town.settle(60)
    assert outside.calls == []
    await town.settle(360)
    assert outside.bodies == ["old"]
    await town.delete(APPLICATIONS, "web", "argocd")
    await town.settle(10)
    assert town.delivery.notifier._timed == set()


@story(files=FILES)
async def test_a_new_configuration_counts_at_once_and_is_counted(town):
    outside = await configured(town)
    await town.deploy(metadata=SUBSCRIBED)
    await town.synced()
    await town.settle(10)
    change = {"data": {"trigger.on-deployed": "- when: 'true'\n  send: [app-deployed]"}}
    target = Target(GroupVersionResource("", "v1", "configmaps"), "argocd", "argocd-notifications-cm")
    await town.client.patch(target, encode(change), "merge", Writing(field_manager="kubectl"))
    await town.settle(10)
    assert len(outside.calls) == 2
    registry = town.world.metrics.registry
    assert registry.get_sample_value("argocd_notifications_deliveries_total", {"trigger": "on-deployed", "service": "hook", "succeeded": "true"}) == 2  # fmt: skip
    assert registry.get_sample_value("argocd_notifications_trigger_eval_total", {"name": "on-deployed", "triggered": "true"}) >= 2  # fmt: skip
