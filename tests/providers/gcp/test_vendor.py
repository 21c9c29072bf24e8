"""The test server holds requests against the published documents: what Google would refuse, it refuses."""

import asyncio
import sys

import aiohttp
import pytest

from plumbline.base.json import decode, encode

from .vendor.cloud import Cloud
from .vendor.serving import served

TOKEN = {"authorization": "Bearer vendor-token"}
INSTANCES = "/v1/projects/shop/instances"
WRONG = [
    ("POST", INSTANCES, "", {"settings": {"teir": "x"}}, "Unknown name \"teir\" at 'settings'", "an unknown field"),
    ("POST", INSTANCES, "", {"settings": {"tier": 5}}, "Invalid value at 'settings.tier'", "a number for text"),
    ("POST", INSTANCES, "", {"settings": {"storageAutoResize": "yes"}}, "TYPE_BOOLEAN", "text for a switch"),
    ("POST", INSTANCES, "", {"settings": {"dataDiskSizeGb": "big"}}, "TYPE_INT64", "text for a number"),
    ("POST", INSTANCES, "", {"settings": {"databaseFlags": {"name": "a"}}}, "TYPE_ARRAY", "an object for a list"),
    ("POST", INSTANCES, "", {"databaseVersion": "POSTGRES_1"}, "databaseVersion", "a version that never was"),
    ("POST", INSTANCES, "dryRun=true", {}, "Cannot bind query parameter", "an unknown parameter"),
    ("GET", f"{INSTANCES}/pg", "", {"a": 1}, "takes no body", "a body where none belongs"),
    ("POST", "/storage/v1/b", "", {"name": "orders"}, "Required parameter: project", "a parameter is missing"),
    ("DELETE", "/v1/projects/shop/nothing", "", None, "was not found on this server", "no such path"),
]


@pytest.mark.parametrize(("verb", "path", "query", "body", "words", "why"), WRONG, ids=[case[-1] for case in WRONG])
def test_what_the_documents_do_not_allow_is_refused_as_google_does(verb, path, query, body, words, why):
    reply = Cloud().respond(verb, path, query, TOKEN, b"" if body is None else encode(body))
    error = decode(reply.body)["error"]
    assert error["code"] == reply.status
    assert words in error["message"]
    assert error["errors"][0]["reason"]


def test_who_has_no_token_is_sent_away():
    assert Cloud().respond("GET", f"{INSTANCES}/pg", "", {}, b"").status == 401
    assert Cloud(open_to_all=True).respond("GET", f"{INSTANCES}/pg", "", {}, b"").status == 404


async def test_it_runs_as_a_process_of_its_own_and_can_be_meddled_with():
    argv = ["-m", "tests.providers.gcp.vendor", "--port", "0", "--takes", "0"]
    process = await asyncio.create_subprocess_exec(sys.executable, *argv, stdout=asyncio.subprocess.PIPE)
    try:
        port = int(await process.stdout.readline())
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            topic = "/v1/projects/shop/topics/orders"
            assert (await session.put(topic, json={"labels": {"a": "b"}})).status == 200
            change = {"path": "projects/shop/topics/orders", "merge": {"labels": {"a": "c"}}}
            await session.post(
                "/_vendor", json={"change": change, "fail": {"method": "projects.topics.delete", "status": 429}}
            )
            assert (await (await session.get(topic)).json())["labels"] == {"a": "c"}
            assert (await session.delete(topic)).status == 429
            await session.post("/_vendor", json={"lose": "projects.topics.patch"})
            emptied = {"topic": {"name": "projects/shop/topics/orders"}, "updateMask": "labels"}
            with pytest.raises(aiohttp.ClientError):
                await session.patch(topic, json=emptied)
            seen = await (await session.get("/_vendor")).json()
            assert seen["resources"] == {"projects/shop/topics/orders": {"name": "projects/shop/topics/orders"}}
            assert seen["calls"][-1] == ["projects.topics.patch", 200]
    finally:
        process.terminate()
        await process.wait()


async def test_other_things_can_be_done_to_it_from_outside():
    cloud = Cloud(open_to_all=True)
    async with served(cloud) as address, aiohttp.ClientSession(address) as session:
        await session.post("/storage/v1/b?project=shop", json={"name": "orders"})
        await session.post("/_vendor", json={"object": {"bucket": "orders", "name": "january"}})
        assert (await session.delete("/storage/v1/b/orders")).status == 409
        await session.post("/_vendor", json={"remove": "b/orders/o/january"})
        assert (await session.delete("/storage/v1/b/orders")).status == 204
