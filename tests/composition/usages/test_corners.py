"""What seldom happens to usages, and is not to matter when it does."""

import asyncio

import pytest
from tests.composition.works import message, state

from plumbline.base.errors import Conflict, ServerFault
from plumbline.base.json import encode
from plumbline.base.virtualtime import run_virtually
from plumbline.composition.usages import Reached, Service, Usages
from plumbline.composition.usages import usages as rooms
from plumbline.composition.usages.configuration import QUESTION
from plumbline.gate.webhooks import configuration
from plumbline.kube.client.transport import Response
from plumbline.kube.names import Ref

from .stage import (
    HOOKS,
    MAPS,
    ROLES,
    USAGES,
    a_map,
    a_role,
    config_map,
    founded,
    labelled,
    role,
    stage,
    story,
    told_to,
    usage,
)

CRDS = "apiextensions.k8s.io/v1/customresourcedefinitions"
HEAD = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}


def review(old):
    return {**HEAD, "request": {"uid": "r", "operation": "DELETE", "oldObject": old}}


def test_a_service_is_named_with_its_port_and_path():
    (hook,) = configuration(QUESTION, Reached(Service("argocd", "plumbline", 8444), b"PEM"))["webhooks"]
    where = {"namespace": "argocd", "name": "plumbline", "port": 8444, "path": "/validate-no-usages"}
    assert hook["clientConfig"] == {"service": where, "caBundle": "UEVN"}


@story
async def test_a_usage_may_mean_something_in_another_namespace(stage):
    await stage.create(MAPS, config_map("used", namespace="default", labels={"role": "store"}))
    await stage.create(MAPS, config_map("using"))
    of = a_map(matchLabels={"role": "store"}, namespace="default")
    await stage.create(USAGES, usage(of=of, by=a_map("using")))
    ready = await stage.ready(USAGES, "keeps")
    assert ready["spec"]["of"]["resourceRef"] == {"name": "used", "namespace": "default"}
    details = "ConfigMap/using uses ConfigMap/used in namespace default"
    assert ready["metadata"]["annotations"]["crossplane.io/usage-details"] == details
    await asyncio.sleep(61)
    assert (await stage.get(USAGES, "keeps"))["metadata"]["annotations"]["crossplane.io/usage-details"] == details
    assert labelled(await stage.get(MAPS, "used", "default"))


@story
async def test_the_same_controller_is_asked_for_where_labels_alone_would_do(stage):
    await stage.create(MAPS, config_map("used", labels={"role": "store"}))
    of = a_map(matchLabels={"role": "store"}, matchControllerRef=True)
    await stage.create(USAGES, usage(of=of, reason="so"))
    told = message(await stage.ready(USAGES, "keeps", "False", "ResolveSelectors"), "Ready")
    assert told.endswith('map["role":"store"] and with same controller reference')


@story
async def test_a_usage_that_comes_while_another_lets_go_gets_its_label(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage("early", of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "early")
    patch = stage.usages._hands.patch

    async def late(target, obj, change, *rest):
        if change == {"metadata": {"labels": {"crossplane.io/in-use": None}}}:
            stage.usages._hands.patch = patch
            await stage.create(USAGES, usage("late", of=a_map("used"), reason="so"))
            await stage.ready(USAGES, "late")
        return await patch(target, obj, change, *rest)

    stage.usages._hands.patch = late
    await stage.delete(USAGES, "early")
    await stage.gone(USAGES, "early")
    await asyncio.sleep(2)
    assert labelled(await stage.get(MAPS, "used"))


@story
async def test_a_replay_that_is_refused_is_told_and_holds_nothing_up(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so", replayDeletion=True))
    await stage.ready(USAGES, "keeps")
    assert await stage.refused(MAPS, "used")
    (hook,) = (await stage.get(HOOKS, "crossplane-no-usages"))["webhooks"]
    deny = {**hook, "name": "deny.example.org", "objectSelector": {}}
    deny["clientConfig"] = {**hook["clientConfig"], "url": "https://127.0.0.1:8444/deny"}
    deny["rules"] = [{**hook["rules"][0], "resources": ["configmaps"]}]
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    await stage.create(HOOKS, {**kind, "metadata": {"name": "deny"}, "webhooks": [deny]})
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")
    assert await stage.get(MAPS, "used")
    assert ("ReplayDeletion", "Warning") in await stage.events("keeps")


@story
async def test_what_is_gone_before_the_replay_needs_none(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so", replayDeletion=True))
    await stage.ready(USAGES, "keeps")
    assert await stage.refused(MAPS, "used")
    delete = stage.usages._hands.delete

    async def late(target, *rest):
        await stage.client.delete(target)
        return await delete(target, *rest)

    stage.usages._hands.delete = late
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")
    assert await stage.get(MAPS, "used") is None


@pytest.mark.parametrize("failure", [Conflict("somebody else wrote"), ServerFault("the server is ill")])
def test_a_configuration_that_cannot_be_written_is_tried_again(monkeypatch, failure):
    real, failures = rooms.unenforced, [failure]

    async def failing(*arguments):
        if failures:
            raise failures.pop()
        return await real(*arguments)

    async def work(stage):
        await asyncio.sleep(10)
        assert await stage.get(HOOKS, "crossplane-no-usages")

    monkeypatch.setattr(rooms, "unenforced", failing)
    told_to(work)


@story
async def test_a_deletion_that_cannot_be_judged_is_refused(stage):
    def ill(used):
        raise ServerFault("the server is ill")

    used = await stage.create(MAPS, config_map("used"))
    stage.usages._parts.admissions.known = ill
    answer = await stage.usages.validate(review(used))
    assert answer["response"]["status"] == {"metadata": {}, "message": "the server is ill", "code": 500}


@story
async def test_an_attempt_on_what_is_gone_is_not_recorded(stage):
    used = await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await asyncio.sleep(1)
    stage.asking.down = True
    await stage.patch(MAPS, "used", {"metadata": {"labels": {"crossplane.io/in-use": None}}})
    await stage.delete(MAPS, "used")
    assert not (await stage.usages.validate(review(used)))["response"]["allowed"]


@story
async def test_an_attempt_that_meets_a_write_every_time_is_refused_as_a_failure(stage):
    used = await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "keeps")
    admissions = stage.usages._parts.admissions
    patch, met = admissions._hands.patch, []

    async def busy(*arguments):
        met.append(await stage.patch(MAPS, "used", {"data": {"a": str(len(met))}}))
        return await patch(*arguments)

    admissions._hands.patch = busy
    answer = await stage.usages.validate(review(used))
    assert answer["response"]["status"]["code"] == 500
    assert len(met) == 3


@story
async def test_while_a_copy_is_behind_the_api_server_is_asked(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    await stage.ready(USAGES, "keeps")
    for informer in stage.usages._informers.values():
        informer.interrupted = ServerFault("the watch broke")
    assert "in-use by 1" in await stage.refused(MAPS, "used")


@story(runs=False)
async def test_whoever_takes_over_copies_finds_what_is_in_them(stage):
    await stage.create(MAPS, config_map("used"))
    await stage.create(USAGES, usage(of=a_map("used"), reason="so"))
    given = stage.usages._parts
    tasks = [asyncio.create_task(given.collections.run())]
    for _ in range(2):
        taken_over = Usages(given)
        task = asyncio.create_task(taken_over.run())
        await stage.ready(USAGES, "keeps")
        await asyncio.sleep(1)
        assert given.admissions.known is not None
        assert [each.ref.name for each in taken_over._register.of(Ref("", "ConfigMap", "shop", "used"))] == ["keeps"]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@story
async def test_what_cannot_be_read_says_so(stage):
    definition = await stage.get(CRDS, "usages.protection.crossplane.io")
    version = definition["spec"]["versions"][0]
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    await stage.patch(
        CRDS,
        "usages.protection.crossplane.io",
        {"spec": {"versions": [{**version, "schema": {"openAPIV3Schema": free}}]}},
    )
    await asyncio.sleep(1)
    await stage.create(USAGES, usage(of="everything"))
    found = await stage.ready(USAGES, "keeps", "False", "InvalidSpec")
    assert state(found, "Ready") == "False"
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")


class Unlistable:
    """A transport through which usages of the whole cluster cannot be listed."""

    def __init__(self, inner):
        self._inner, self.down = inner, True

    async def send(self, request):
        if self.down and request.method == "GET" and request.path.endswith("/clusterusages"):
            status = {
                "kind": "Status",
                "apiVersion": "v1",
                "status": "Failure",
                "code": 500,
                "message": "no conversion",
            }
            return Response(500, {"content-type": "application/json"}, encode(status))
        return await self._inner.send(request)

    async def close(self): ...


def test_while_a_kind_of_usages_cannot_be_listed_the_api_server_still_asks_here():
    async def main():
        async with stage(runs=False) as place:
            given = place.usages._parts
            caller = given.client._caller
            caller.transport = weather = Unlistable(caller.transport)
            tasks = [asyncio.create_task(given.collections.run()), asyncio.create_task(place.usages.run())]
            try:
                await asyncio.sleep(10)
                await place.delete(HOOKS, "crossplane-no-usages")
                await asyncio.sleep(120)
                assert await place.get(HOOKS, "crossplane-no-usages")
                await place.create(MAPS, config_map("used"))
                await place.create(USAGES, usage(of=a_map("used"), reason="so"))
                weather.down = False
                await place.ready(USAGES, "keeps")
                assert await place.refused(MAPS, "used")
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    founded()
    run_virtually(main)


@story
async def test_a_usage_in_a_namespace_neither_frees_nor_deletes_what_belongs_to_the_whole_cluster(stage):
    attempt = {"usage.crossplane.io/deletion-attempt-with-policy": "Background"}
    await stage.create(ROLES, role("admins", labels={"crossplane.io/in-use": "true"}, annotations=attempt))
    held = {"finalizers": ["usage.apiextensions.crossplane.io"]}
    await stage.create(USAGES, usage(of=a_role("admins"), reason="so", replayDeletion=True, metadata=held))
    await stage.ready(USAGES, "keeps", "False")
    await stage.delete(USAGES, "keeps")
    await stage.gone(USAGES, "keeps")
    await asyncio.sleep(30)
    assert labelled(await stage.get(ROLES, "admins"))
