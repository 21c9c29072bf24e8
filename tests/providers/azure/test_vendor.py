"""The test server holds requests against Microsoft's own models: what Azure would refuse, it refuses."""

import asyncio
import sys

import aiohttp
import pytest

from plumbline.base.json import decode, encode

from .vendor.cloud import Cloud
from .yard import RESOURCE_GROUP, SERVER

TOKEN = {"authorization": "Bearer vendor-token"}
V, G = "api-version=2025-08-01", "api-version=2025-04-01"
RULE = f"{SERVER}/firewallRules/all"
WRONG = [
    ("PUT", SERVER, V, {"location": "x", "properties": {"storageMb": 5}}, "member 'storageMb'", "an unknown field"),
    ("PUT", SERVER, V, {"location": 5}, "convert 'location'", "a number for text"),
    ("PUT", SERVER, V, {}, "'location' is required", "nothing at all"),
    ("PUT", SERVER, V, {"location": "x", "properties": {"state": "Ready"}}, "read-only", "what only Azure says"),
    ("PUT", SERVER, V, {"location": "x", "sku": {"name": "a", "tier": "b"}}, "sku.tier: b", "a tier that never was"),
    ("PUT", SERVER, V, {"location": "x", "tags": []}, "is no map", "a list for a map"),
    ("PUT", SERVER, V, {"location": "x", "properties": 5}, "is no object", "a number for an object"),
    ("PUT", SERVER, V, {"location": "x", "tags": {"a": 1}}, "convert 'tags'", "a number in a map of text"),
    ("PATCH", SERVER, V, {"location": "x"}, "member 'location'", "what a patch cannot say"),
    ("PUT", RULE, V, {"properties": {"startIpAddress": "1.1.1.1"}}, "endIpAddress' is required", "half a rule"),
    ("PUT", RULE, V, {}, "startIpAddress' is required", "no rule"),
    ("PUT", RULE, V, {"properties": {"startIpAddress": "a", "endIpAddress": "b"}}, "startIpAddress: a", "no address"),
    ("PATCH", f"{SERVER}/databases/a", V, {}, "does not support http method", "no such verb"),
    ("PUT", SERVER, G, {"location": "x"}, "api-version", "the version of another API"),
    ("GET", SERVER, V, {"a": 1}, "none is taken", "a body where none belongs"),
    ("GET", f"{RESOURCE_GROUP}/nothing", V, None, "could not be found", "no such path"),
    ("GET", SERVER, V, None, "Resource group 'shop'", "no group"),
]


@pytest.mark.parametrize(("verb", "path", "query", "body", "words", "why"), WRONG, ids=[case[-1] for case in WRONG])
def test_what_the_models_do_not_allow_is_refused_as_azure_does(verb, path, query, body, words, why):
    reply = Cloud().respond(verb, path, query, TOKEN, b"" if body is None else encode(body))
    error = decode(reply.body)["error"]
    assert 400 <= reply.status < 500
    assert error["code"]
    assert words in error["message"]


def test_who_has_no_token_is_sent_away():
    assert Cloud().respond("GET", RESOURCE_GROUP, G, {}, b"").status == 401
    assert Cloud(open_to_all=True).respond("GET", RESOURCE_GROUP, G, {}, b"").status == 404


async def test_it_runs_as_a_process_of_its_own_and_can_be_meddled_with():
    argv = ["-m", "tests.providers.azure.vendor", "--port", "0", "--takes", "0"]
    process = await asyncio.create_subprocess_exec(sys.executable, *argv, stdout=asyncio.subprocess.PIPE)
    try:
        port = int(await process.stdout.readline())
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            group = f"{RESOURCE_GROUP}?{G}"
            assert (await session.put(group, json={"location": "westeurope", "tags": {"a": "b"}})).status == 201
            await session.post(
                "/_vendor",
                json={
                    "change": {"path": RESOURCE_GROUP, "merge": {"tags": {"a": "c"}}},
                    "fail": {"method": "DELETE groups", "status": 429},
                    "lock": {"scope": RESOURCE_GROUP, "name": "keep"},
                },
            )
            assert (await (await session.get(group)).json())["tags"] == {"a": "c"}
            assert (await session.delete(group)).status == 429
            assert (await session.delete(group)).status == 409
            await session.post("/_vendor", json={"lose": "PATCH groups"})
            with pytest.raises(aiohttp.ClientError):
                await session.patch(group, json={"tags": {}})
            seen = await (await session.get("/_vendor")).json()
            assert seen["calls"][-1] == ["PATCH groups", 200]
            await session.post("/_vendor", json={"remove": RESOURCE_GROUP})
            assert (await session.get(group)).status == 404
    finally:
        process.terminate()
        await process.wait()
