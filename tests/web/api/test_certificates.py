"""Host keys and certificates by the API: Argo CD's shapes, who may, what is written, and that it counts at once."""

import pytest
from tests.source.certificates.samples import coded, host_key, pem

from .yard import CONFIG_MAPS, until

PATH = "/api/v1/certificates"
HOSTS, AUTHORITIES = "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm"
GIT = "https://git.example.org/shop.git"


def ssh(server="git.example.org", number=0):
    kind, key = host_key(number).split()
    return {"serverName": server, "certType": "ssh", "certSubType": kind, "certData": coded(key)}


def tls(server="git.example.org", number=0):
    return {"serverName": server, "certType": "https", "certData": coded(pem(number))}


async def added(place, *items, query=""):
    answer = await place.ask("POST", f"{PATH}{query}", {"items": items})
    assert answer.status == 200, answer.body
    return answer.json["items"]


async def test_what_is_added_is_told_listed_and_trusted_at_once(place):
    before = len((await place.ask("GET", PATH)).json["items"])
    assert before > 10, "those of the large forges"
    key, certificate = await added(place, ssh(), tls())
    assert key["certData"] == ssh()["certData"]
    assert not key["certInfo"].startswith("SHA256:")
    assert certificate == {**tls(), "certSubType": "", "certInfo": ""}
    found = (await place.ask("GET", f"{PATH}?hostNamePattern=git.example.*")).json
    assert found["metadata"] == {}
    assert found["items"] == [
        {**ssh(), "certData": None, "certInfo": "SHA256:" + key["certInfo"]},
        {**tls(), "certData": None, "certSubType": "ecdsa", "certInfo": "CN=git.example.org,O=Example,C=DE"},
    ]
    assert len((await place.ask("GET", f"{PATH}?certType=ssh")).json["items"]) == before + 1
    await until(lambda: place.desk.installation.repositories.choose(GIT, "").ca_pem == pem())
    assert f"git.example.org {host_key()}\n" in place.desk.installation.repositories.choose(GIT, "").known_hosts
    assert ("person:ada", "create", HOSTS) in await place.written()
    assert ("person:ada", "create", AUTHORITIES) in await place.written()


async def test_what_is_there_is_replaced_only_where_that_is_asked_for(place):
    await added(place, ssh(), tls())
    assert await added(place, ssh(), tls()) == []
    written = len(await place.written())
    for other in (ssh(number=1), tls(number=1)):
        refused = await place.ask("POST", PATH, {"items": [ssh("new.example.org"), other]})
        assert refused.status == 409
        assert "upsert was not specified" in refused.json["message"]
    assert len(await place.written()) == written, "all of them or none"
    assert len(await added(place, ssh(number=1), tls(number=1), query="?upsert=true")) == 2
    assert (await place.get(CONFIG_MAPS, AUTHORITIES))["data"] == {"git.example.org": pem(1)}


async def test_what_is_removed_counts_no_longer(place):
    await added(place, ssh(), ssh("other.example.org"), tls())
    assert (await place.ask("DELETE", PATH)).status == 400, "no host is named"
    assert (await place.ask("DELETE", f"{PATH}?hostNamePattern=nowhere")).json == {"metadata": {}, "items": []}
    gone = (await place.ask("DELETE", f"{PATH}?hostNamePattern=git.example.org&certType=https")).json["items"]
    assert gone == [{**tls(), "certSubType": "", "certInfo": ""}]
    gone = (await place.ask("DELETE", f"{PATH}?hostNamePattern=*.example.org")).json["items"]
    assert [each["serverName"] for each in gone] == ["git.example.org", "other.example.org"]
    await until(lambda: "example.org" not in place.desk.installation.repositories.choose(GIT, "").known_hosts)
    assert not place.desk.installation.repositories.choose(GIT, "").ca_pem
    assert ("person:ada", "update", HOSTS) in await place.written()


async def test_what_others_keep_there_stays(place):
    await place.configure(HOSTS, ssh_known_hosts=f"# checked\na.example.org {host_key(5)}\n", other="x")
    await added(place, ssh())
    kept = (await place.get(CONFIG_MAPS, HOSTS))["data"]
    assert kept == {
        "ssh_known_hosts": f"# checked\na.example.org {host_key(5)}\ngit.example.org {host_key()}\n",
        "other": "x",
    }


@pytest.mark.parametrize(("method", "action"), [("GET", "get"), ("POST", "create"), ("DELETE", "delete")])
async def test_only_who_may_does(place, method, action):
    body = {"items": [tls()]} if method == "POST" else None
    path = f"{PATH}?hostNamePattern=x"
    denied = await place.ask(method, path, body, who="dev")
    assert denied.status == 403
    assert f"certificates, {action}" in denied.json["message"]
    place.allow(f"p, dev, certificates, {action}, *, allow\n")
    assert (await place.ask(method, path, body, who="dev")).status == 200
    assert (await place.ask(method, path, body, who="")).status == 401


@pytest.mark.parametrize(
    "items",
    [
        [{"serverName": "a", "certType": "gpg"}],
        [{"serverName": "a", "certType": "https", "certData": "%%"}],
        [{"serverName": "a", "certType": "https", "certData": coded("nothing")}],
        [{"serverName": "a/b", "certType": "https", "certData": coded("x")}],
        [{"serverName": "a", "certType": "ssh", "certSubType": "ssh-ed25519", "certData": coded("AAAA")}],
        [{**ssh(), "serverName": "a\nb"}],
        [tls()] * 257,
        "all",
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_written(place, items):
    refused = await place.ask("POST", PATH, {"items": items})
    assert (refused.status, refused.json["code"]) == (400, 3)
    assert await place.written() == []


async def test_two_at_once_both_count(place):
    import asyncio  # noqa: PLC0415 - only here

    await asyncio.gather(*(added(place, ssh(f"h{number}.example.org", number)) for number in range(3)))
    found = (await place.ask("GET", f"{PATH}?hostNamePattern=h*.example.org")).json["items"]
    assert len(found) == 3
