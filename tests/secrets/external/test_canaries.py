"""A value is in the store and in the Secret, and nowhere else: not in what is said, noted, counted or printed."""

import asyncio
import base64

from prometheus_client import generate_latest
from tests.secrets.external.scene import (
    CLUSTER_STORES,
    EVENTS,
    EXTERNALS,
    HOUR,
    SECRETS,
    STORES,
    external,
    item,
    secret,
    store,
    story,
)

from plumbline.kube.client import Target

CANARY = "c4nary-in-the-mine"
SIGNS = (CANARY.encode(), base64.b64encode(CANARY.encode()), CANARY.encode().hex().encode())
TEMPLATES = {
    "failing": {"x": "{{ fail .password }}"},
    "unreadable": {"x": "{{ .password | fromJson | first }}"},
    "unknown": {"x": "{{ .nobody }}{{ .password }}"},
}


def leaks(content, where):
    assert not any(sign in content for sign in SIGNS), where
    return False


async def _sinks(place, capfd):
    for resource in (EXTERNALS, STORES, CLUSTER_STORES, EVENTS):
        for raw in (await place.client.list(Target(resource))).items:
            yield f"{resource.resource}: {bytes(raw)!r}", bytes(raw)
    yield "metrics", generate_latest(place.world.metrics.registry)
    async for line in place.journal.export():
        yield f"journal: {line!r}", line
    for followed in place.room._parts.collections._followed.values():
        for entry in followed.informer.cache:
            yield f"copy of {entry}", entry.raw
    printed = capfd.readouterr()
    yield "printed", (printed.out + printed.err).encode()


def test_a_value_is_nowhere_but_where_it_belongs(capfd):
    @story(db={"user": "ann", "password": CANARY}, pull={"config": CANARY})
    async def told(place):
        await place.apply(secret("token", token="letmein"), store(token="token"), external())
        for name, template in TEMPLATES.items():
            await place.apply(external(name, target={"template": {"data": template}}))
        broken = {"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "{{ .password }}"}}
        await place.apply(external("pull", target={"template": broken}))
        await place.apply(
            external(
                "undecodable",
                data=[
                    {"secretKey": "x", "remoteRef": {"key": "db", "property": "password", "decodingStrategy": "Base64"}}
                ],
            )
        )
        await place.apply({**secret("fixed", password="old"), "immutable": True}, external("fixed"))
        await place.apply(external("going", target={"deletionPolicy": "Delete"}, data=[item("x", "db", "password")]))
        await place.ready()
        await place.patch({"data": {"password": base64.b64encode(b"spoiled").decode()}}, resource=SECRETS)
        await asyncio.sleep(HOUR / 2)
        assert (await place.values())["password"] == CANARY
        for name in (*TEMPLATES, "pull", "undecodable", "fixed"):
            await place.ready("False", name=name)
        looked_at = [where async for where, content in _sinks(place, capfd) if not leaks(content, where)]
        assert {where.partition(":")[0] for where in looked_at} >= {
            "externalsecrets",
            "events",
            "metrics",
            "journal",
            "printed",
        }

    told()
