"""Health, metrics, documents and keys."""

import pytest

from plumbline.apiserver.authentication.pki import open_pki
from plumbline.apiserver.calls import Call
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.requests.routes import route
from plumbline.apiserver.rooms.health import HealthRoom
from plumbline.apiserver.rooms.metrics import Tally
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import decode


async def health(room: HealthRoom, path: str, query: str = ""):
    return await room.answer(route("GET", path), Call("GET", path, query), ADMIN)


async def test_all_is_well_until_something_is_not():
    well = True
    room = HealthRoom({"store": lambda: well})
    for root in ("healthz", "livez", "readyz"):
        answer = await health(room, f"/{root}")
        assert (answer.status, answer.body) == (200, b"ok")
        verbose = await health(room, f"/{root}", "verbose")
        assert verbose.body == f"[+]ping ok\n[+]store ok\n{root} check passed\n".encode()
    well = False
    answer = await health(room, "/readyz")
    assert answer.status == 500
    assert answer.body == b"[+]ping ok\n[-]store failed: reason withheld\nreadyz check failed\n"
    assert (await health(room, "/readyz/store")).status == 500
    assert (await health(room, "/readyz/ping")).body == b"ok"


async def test_what_is_excluded_is_not_asked():
    room = HealthRoom({"store": lambda: False})
    answer = await health(room, "/livez", "exclude=store&verbose")
    assert (answer.status, answer.body) == (200, b"[+]ping ok\n[+]store excluded: ok\nlivez check passed\n")


@pytest.mark.parametrize("path", ["/livez/none", "/livezz", "/livez/", "/health", "/"])
async def test_other_paths_are_left_to_others(path):
    assert await health(HealthRoom(), path) is None


@pytest.fixture
async def plane(tmp_path):
    pki = open_pki(tmp_path / "pki", SystemClock())
    plane = Plane(SystemClock(), Ids(1), key=pki.signing_key, controllers=False)
    async with plane.running():
        yield plane


async def ask(plane: Plane, path: str, method: str = "GET", query: str = "", **headers: str):
    return await plane.answer(Call(method, path, query, headers, identity=ADMIN))


async def test_metrics_count_requests_objects_and_watches(plane):
    await ask(plane, "/api/v1/namespaces/default/configmaps")
    await ask(plane, "/nonsense")
    watch = await ask(plane, "/api/v1/configmaps", query="watch=1")
    try:
        pieces = aiter(watch.stream)
        text = (await ask(plane, "/metrics")).body.decode()
    finally:
        await pieces.aclose()
    line = (
        'apiserver_request_total{code="200",group="",resource="configmaps",subresource="",verb="LIST",version="v1"} 1.0'
    )
    assert line in text
    assert 'apiserver_resource_objects{group="",resource="namespaces"} 4.0' in text
    assert "apiserver_storage_revision" in text
    assert "process_resident_memory_bytes" in text


async def test_what_strangers_make_up_is_neither_kept_nor_in_the_way_of_what_there_is(plane):
    for number in range(6_000):
        answered = await plane.answer(Call("GET", f"/apis/g{number}/v1/things/x/{'y' * 5_000}"))
        assert answered.status in (401, 403)
    await ask(plane, f"/api/v1/namespaces/default/pods/x/{'y' * 5_000}")
    await ask(plane, "/api/v1/namespaces/default/configmaps")
    tally = plane._door._tally
    assert sum(len(part) for key in tally.requests for part in key) < 1_000
    assert tally.requests["LIST", "", "v1", "configmaps", "", "200"] == 1
    assert tally.requests.total() == 6_002


def test_what_is_counted_apart_is_bounded():
    tally = Tally()
    for number in range(6_000):
        tally.count(route("GET", f"/apis/g{number}/v1/things"), 404)
    assert len(tally.requests) <= 5_001
    assert tally.requests.total() == 6_000


async def test_keys_are_published_for_those_who_check_tokens(plane):
    configuration = await ask(plane, "/.well-known/openid-configuration", host="example.org")
    assert decode(configuration.body)["issuer"].startswith("https://")
    keys = await ask(plane, "/openid/v1/jwks")
    assert keys.content_type == "application/jwk-set+json"
    assert decode(keys.body)["keys"][0]["alg"] == "RS256"


@pytest.mark.parametrize(
    ("path", "status", "why"),
    [
        ("/", 200, "does not look at the method"),
        ("/apis", 200, "neither do groups"),
        ("/apis/apps", 200, "nor one group"),
        ("/openapi/v3", 200, "nor schemas"),
        ("/api", 405, "the old group does"),
        ("/api/v1", 405, "and versions"),
        ("/apis/apps/v1", 405, "of all groups"),
        ("/version", 405, "and the version"),
        ("/apis/apps/v9", 404, "what is not there"),
    ],
)
async def test_documents_are_read(plane, path, status, why):
    assert (await ask(plane, path)).status in (200, status)
    assert (await ask(plane, path, "POST")).status == status, why


async def test_schemas_are_found_by_their_hash(plane):
    index = decode((await ask(plane, "/openapi/v3")).body)
    url = index["paths"]["api/v1"]["serverRelativeURL"]
    path, _, query = url.partition("?")
    found = await ask(plane, path, query=query)
    assert found.status == 200
    assert (await ask(plane, path, query="hash=old")).status == 301
