"""Clusters that people register, change, renew and forget by the API: what is written, who may, and what is never told."""

import asyncio
import base64

import pytest

from plumbline.base.errors import NotFound, Unreachable
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.delivery.settings.connections import allowing
from plumbline.kube.client import Target

from .yard import SECRETS, at, until

CLUSTERS = "/api/v1/clusters"
EU = "https://eu.example.org:6443"
BODY = {
    "name": "eu",
    "server": f"{EU}/",
    "config": {"bearerToken": "CANARY", "tlsClientConfig": {"insecure": False}},
    "namespaces": ["a", "b"],
    "shard": 2,
    "labels": {"tier": "x"},
    "annotations": {"note": "y"},
}


async def known(place, count=1):
    await until(lambda: len(place.desk.installation.clusters.by_server) == count)


async def added(place, **more):
    answer = await place.ask("POST", CLUSTERS, {**BODY, **more})
    assert answer.status == 200, answer.body
    await known(place)
    return answer


async def secret(place):
    (found,) = place.desk.installation.secrets("cluster")
    live = await place.get(SECRETS, found["metadata"]["name"])
    return live, {key: base64.b64decode(value).decode() for key, value in live["data"].items()}


async def test_one_is_registered_as_argo_cd_writes_it_and_never_told_in_full(place):
    answer = await added(place)
    assert b"CANARY" not in answer.body
    assert answer.json["info"]["connectionState"]["status"] == "Successful"
    assert answer.json["info"]["serverVersion"] == "v1.36.3"
    live, values = await secret(place)
    assert live["metadata"]["name"].startswith("cluster-eu.example.org-")
    assert live["metadata"]["labels"] == {"tier": "x", "argocd.argoproj.io/secret-type": "cluster"}
    assert live["metadata"]["annotations"] == {"note": "y", "managed-by": "argocd.argoproj.io"}
    assert decode(values["config"].encode())["bearerToken"] == "CANARY"
    assert (values["server"], values["namespaces"], values["shard"]) == (EU, "a,b", "2")
    assert ("person:ada", "create", live["metadata"]["name"]) in await place.written()
    for path in (CLUSTERS, f"{CLUSTERS}/{at(EU)}"):
        assert b"CANARY" not in (await place.ask("GET", path)).body


async def test_one_that_is_described_otherwise_is_replaced_only_where_that_is_asked_for(place):
    await added(place)
    assert (await place.ask("POST", CLUSTERS, BODY)).status == 200, "the same again"
    other = {**BODY, "namespaces": []}
    refused = await place.ask("POST", CLUSTERS, other)
    assert refused.status == 400
    assert "use upsert flag" in refused.json["message"]
    place.allow("p, maker, clusters, create, *, allow\n")
    assert (await place.ask("POST", f"{CLUSTERS}?upsert=true", other, who="maker")).status == 403, "that is a change"
    assert (await place.ask("POST", f"{CLUSTERS}?upsert=true", other)).status == 200
    assert "namespaces" not in (await secret(place))[1]


async def test_whoever_registers_clusters_for_a_project_gets_none_that_is_there_for_others(place):
    place.allow("p, lead, clusters, *, shop/*, allow\n")
    await added(place)
    mine = {**BODY, "project": "shop"}
    at_hand = {"name": "in-cluster", "server": "https://kubernetes.default.svc", "config": {}, "project": "shop"}
    for body in (at_hand, mine, {**mine, "server": "https://mine.example.org", "name": "eu"}):
        answer = await place.ask("POST", f"{CLUSTERS}?upsert=true", body, who="lead")
        assert answer.status == 403, body["server"]
    own = {**mine, "server": "https://mine.example.org", "name": "mine"}
    assert (await place.ask("POST", CLUSTERS, own, who="lead")).status == 200
    await known(place, 2)
    renamed = f"{CLUSTERS}/{at(own['server'])}?updatedFields=name"
    assert (await place.ask("PUT", renamed, {"name": "eu"}, who="lead")).status == 403
    assert (await place.ask("PUT", renamed, {"name": "my-own"}, who="lead")).status == 200


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({**BODY, "server": "eu"}, "no address"),
        ({**BODY, "shard": "many"}, "no number"),
        ({**BODY, "config": {"execProviderConfig": {"command": "rm"}}}, "a command of somebody else"),
        ({**BODY, "config": {"tlsClientConfig": {"insecure": True}}}, "no certificate is checked"),
    ],
)
async def test_what_cannot_be_used_is_refused(place, body, why):
    answer = await place.ask("POST", CLUSTERS, body)
    assert answer.status == 400, why
    assert b"CANARY" not in answer.body
    assert await place.written() == []


async def test_a_command_that_was_named_at_the_start_may_be_registered(place, monkeypatch):
    monkeypatch.setattr(place.desk.installation, "_trust", allowing(frozenset({"kubelogin"}), frozenset()))
    answer = await added(place, config={"execProviderConfig": {"command": "kubelogin", "env": {"A": "CANARY"}}})
    assert b"CANARY" not in answer.body
    assert answer.json["info"]["connectionState"]["status"] == "Successful"
    changed = {"config": {"execProviderConfig": {"command": "rm"}}}
    assert (await place.ask("PUT", f"{CLUSTERS}/{at(EU)}?updatedFields=config", changed)).status == 400


async def test_one_that_cannot_be_reached_is_not_registered(place):
    place.cut = Unreachable("eu.example.org cannot be reached", sent=False)
    answer = await place.ask("POST", CLUSTERS, BODY)
    assert answer.status == 400
    assert "cannot be reached" in answer.json["message"]
    assert await place.written() == []


async def test_only_the_named_fields_are_changed(place):
    await added(place)
    at_ = f"{CLUSTERS}/{at(EU)}"
    changed = {"name": "europe", "namespaces": [], "labels": {"z": "1"}, "annotations": {}}
    answer = await place.ask("PUT", f"{at_}?updatedFields=name&updatedFields=labels", changed)
    assert (answer.json["name"], answer.json["labels"], answer.json["namespaces"]) == ("europe", {"z": "1"}, ["a", "b"])
    live, values = await secret(place)
    assert (values["name"], values["namespaces"]) == ("europe", "a,b")
    assert live["metadata"]["annotations"]["note"] == "y"
    assert (await place.ask("PUT", f"{at_}?updatedFields=server", changed)).status == 400


async def test_the_cluster_at_hand_is_described_by_a_secret_as_soon_as_something_is_said_about_it(place):
    this, local = f"{CLUSTERS}/in-cluster?id.type=name", "https://kubernetes.default.svc"
    answer = await place.ask("PUT", f"{this}&updatedFields=labels", {"labels": {"tier": "x"}})
    assert (answer.status, answer.json["labels"]) == (200, {"tier": "x"})
    await until(lambda: place.desk.installation.clusters.by_server)
    _, values = await secret(place)
    assert (values["name"], values["server"]) == ("in-cluster", local)
    assert decode(values["config"].encode()) == {"tlsClientConfig": {"insecure": False}}
    annotated = {"annotations": {"argocd.argoproj.io/skip-reconcile": "true"}}
    assert (await place.ask("PUT", f"{CLUSTERS}/{at(local)}?updatedFields=annotations", annotated)).status == 200
    await until(lambda: place.desk.installation.clusters.by_server[local].annotations)
    told = (await place.ask("GET", this)).json
    assert (told["labels"], told["annotations"]) == ({"tier": "x"}, annotated["annotations"])


async def test_whoever_may_change_one_may_have_it_read_anew(place):
    await added(place)
    answer = await place.ask("POST", f"{CLUSTERS}/{at(EU)}/invalidate-cache")
    assert (answer.status, answer.json["name"], answer.json["annotations"]["note"]) == (200, "eu", "y")
    live, _ = await secret(place)
    assert live["metadata"]["annotations"]["argocd.argoproj.io/refresh"].endswith("Z")


async def test_what_was_told_can_be_sent_back_without_losing_the_way_there(place):
    await added(place)
    told = (await place.ask("GET", f"{CLUSTERS}/{at(EU)}")).json
    assert (await place.ask("PUT", f"{CLUSTERS}/{at(EU)}", {**told, "name": "back"})).status == 200
    _, values = await secret(place)
    assert values["name"] == "back"
    assert decode(values["config"].encode())["bearerToken"] == "CANARY"
    new = {**told, "config": {"bearerToken": "OTHER", "tlsClientConfig": {"insecure": False}}}
    place.cut = Unreachable("gone", sent=False)
    assert (await place.ask("PUT", f"{CLUSTERS}/{at(EU)}", new)).status == 400, "it does not lead there"
    place.cut = None
    assert (await place.ask("PUT", f"{CLUSTERS}/{at(EU)}", new)).status == 200
    assert decode((await secret(place))[1]["config"].encode())["bearerToken"] == "OTHER"


async def test_whoever_may_not_learns_nothing(place):
    await added(place)
    for method, path in (("PUT", ""), ("DELETE", ""), ("POST", "/rotate-auth"), ("POST", "/invalidate-cache")):
        body = None if method == "DELETE" else {}
        hidden = await place.ask(method, f"{CLUSTERS}/{at(EU)}{path}", body, who="dev")
        missing = await place.ask(method, f"{CLUSTERS}/{at('https://none')}{path}", body, who="dev")
        assert (hidden.status, hidden.body) == (403, missing.body)
    assert (await place.ask("POST", CLUSTERS, BODY, who="dev")).status == 403
    place.allow("p, mover, clusters, update, *, allow\n")
    moved = await place.ask("PUT", f"{CLUSTERS}/{at(EU)}?updatedFields=project", {"project": "bank"}, who="mover")
    assert moved.status == 403, "another project's clusters are made by who may make them"


async def test_one_is_forgotten(place):
    await added(place)
    assert (await place.ask("DELETE", f"{CLUSTERS}/eu?id.type=name")).json == {}
    await known(place, 0)
    assert (await place.ask("DELETE", f"{CLUSTERS}/eu?id.type=name")).status == 403
    assert (await place.ask("DELETE", f"{CLUSTERS}/in-cluster?id.type=name")).status == 400


ACCOUNT = {"kubernetes.io/service-account.name": "argocd-manager"}


def token(name):
    claims = encode({"kubernetes.io/serviceaccount/secret.name": name})
    return f"x.{base64.urlsafe_b64encode(claims).decode().rstrip('=')}.y"


async def test_a_token_is_renewed_and_the_old_one_ends(place):
    there = Target(SECRETS, "kube-system")
    await place.client.create(there, encode({"metadata": {"name": "old-token", "annotations": ACCOUNT}}))
    await added(place, config={"bearerToken": token("old-token")})

    async def fill():
        """As the cluster's controller does."""
        while True:
            for raw in (await place.client.list(there)).items:
                found = decode(raw)
                if found["metadata"]["name"] != "old-token" and not found.get("data"):
                    value = {"token": base64.b64encode(b"FRESH").decode()}
                    await place.client.patch(there._replace(name=found["metadata"]["name"]), encode({"data": value}), "merge")  # fmt: skip
                    return
            await asyncio.sleep(0.005)

    async with task_group() as group:
        filling = group.create_task(fill())
        renewed = await place.ask("POST", f"{CLUSTERS}/{at(EU)}/rotate-auth", {})
        filling.cancel()
    assert (renewed.status, renewed.json) == (200, {})
    assert decode((await secret(place))[1]["config"].encode())["bearerToken"] == "FRESH"
    with pytest.raises(NotFound):
        await place.client.get(there._replace(name="old-token"))


async def test_a_token_of_nobodys_is_not_renewed(place):
    await added(place)
    answer = await place.ask("POST", f"{CLUSTERS}/{at(EU)}/rotate-auth", {})
    assert answer.status == 400
    assert b"CANARY" not in answer.body


async def test_whether_one_can_be_reached_is_asked_once_for_many_who_ask(place):
    await added(place)
    visited = len(place.visited)
    for _ in range(3):
        await place.ask("GET", CLUSTERS)
    assert place.visited[visited:].count(EU) <= 1
    place.cut = Unreachable("gone", sent=False)
    await place.ask("PUT", f"{CLUSTERS}/{at(EU)}?updatedFields=name", {"name": "anew"})
    await until(lambda: place.desk.installation.clusters.by_server[EU].name == "anew")
    (one,) = [each for each in (await place.ask("GET", CLUSTERS)).json["items"] if each["server"] == EU]
    assert one["connectionState"]["status"] == "Failed", "described otherwise, it is asked again"
