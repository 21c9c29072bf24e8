"""Repositories, credentials, clusters, settings and the version: what may be told of each and to whom."""

import pytest
from tests.web.api.yard import REPO, SECRETS, SERVER, at, until, yard

from plumbline.base.errors import Forbidden, InvalidInput, NotFound, TimedOut, Unauthenticated, Unreachable
from plumbline.source.local import LocalRepositories

REPOS = "/api/v1/repositories"
CREDS = "/api/v1/repocreds"
CLUSTERS = "/api/v1/clusters"
SECRET_KEYS = (
    "password", "bearerToken", "sshPrivateKey", "tlsClientCertData", "tlsClientCertKey", "githubAppPrivateKey",
    "gcpServiceAccountKey", "azureServicePrincipalClientSecret", "username",
)  # fmt: skip


async def known(place, count=1):
    await until(lambda: len(place.desk.installation.repositories.entries) >= count)


async def test_no_key_of_a_repository_that_opens_anything_is_told(place):
    """Attack 22."""
    values = dict.fromkeys(SECRET_KEYS, "CANARY")
    more = {
        "depth": "3",
        "insecureIgnoreHostKey": "true",
        "githubAppID": "7",
        "proxy": "http://u:CANARY@proxy",
        "unheard": "CANARY",
    }
    await place.secret(
        "r", "repository", url="https://bob:CANARY@git.example.org/a", name="a", enableLfs="true", **values, **more
    )
    await place.secret("t", "repo-creds", url="https://git.example.org/", **values)
    for path in (REPOS, CREDS, f"{REPOS}/{at('https://bob:CANARY@git.example.org/a')}"):
        told = await place.ask("GET", path)
        assert told.status == 200
        assert b"CANARY" not in told.body.replace(b'"username":"CANARY"', b"")
    (item,) = (await place.ask("GET", REPOS)).json["items"]
    assert (item["name"], item["depth"], item["insecure"], item["enableLfs"], item["githubAppID"]) == (
        "a",
        3,
        True,
        True,
        7,
    )
    assert item["connectionState"]["status"] == "Successful"


async def test_repositories_are_seen_by_those_who_may(place):
    await place.secret("a", "repository", url=REPO)
    await place.secret("b", "repository", url="https://elsewhere.org/x")
    await place.secret("broken", "repository", url="https://git.example.org/y", depth="many")
    told = (await place.ask("GET", REPOS, who="dev")).json["items"]
    assert [each["repo"] for each in told] == [REPO, "https://git.example.org/y"]
    assert told[1]["connectionState"]["status"] == "Failed"
    hidden = await place.ask("GET", f"{REPOS}/{at('https://elsewhere.org/x')}", who="dev")
    missing = await place.ask("GET", f"{REPOS}/{at('https://elsewhere.org/z')}", who="dev")
    assert (hidden.status, hidden.body) == (missing.status, missing.body) == (403, hidden.body)


async def test_whether_one_answers_is_asked_now_and_then(place):
    await place.secret("a", "repository", url=REPO)
    await place.ask("GET", REPOS)
    await place.ask("GET", REPOS)
    assert place.tested == [REPO]
    place.broken = Unreachable("it is away")
    state = (await place.ask("GET", f"{REPOS}?forceRefresh=true")).json["items"][0]["connectionState"]
    assert (state["status"], "it is away" in state["message"]) == ("Failed", True)


async def test_one_that_is_described_otherwise_is_asked_again(place):
    await place.secret("a", "repository", url=REPO)
    await place.secret("t", "repo-creds", url="https://git.example.org/", username="bob", password="old")
    place.broken = Unreachable("it is away")
    await place.ask("GET", REPOS)
    place.broken = None
    body = {"url": "https://git.example.org/", "username": "bob", "password": "new"}
    assert (await place.ask("PUT", f"{CREDS}/{at('https://git.example.org/')}", body)).status == 200
    (item,) = (await place.ask("GET", REPOS)).json["items"]
    assert item["connectionState"]["status"] == "Successful"


async def test_a_repository_is_registered_for_a_person(place):
    body = {"repo": REPO, "username": "bob", "password": "CANARY", "insecure": True, "depth": 5}
    assert (await place.ask("POST", REPOS, body, who="dev")).status == 403
    made = await place.ask("POST", REPOS, body)
    assert (made.status, made.json["repo"]) == (200, REPO)
    assert b"CANARY" not in made.body
    await known(place)
    (entry,) = place.desk.installation.repositories.entries
    assert entry.fields.values["password"].reveal() == b"CANARY"
    assert (await place.ask("POST", REPOS, body)).status == 200
    other = await place.ask("POST", REPOS, {**body, "password": "other"})
    assert (other.status, b"CANARY" in other.body) == (400, False)
    assert (await place.ask("POST", f"{REPOS}?upsert=true", {**body, "password": "other"})).status == 200
    assert (await place.ask("PUT", f"{REPOS}/{at(REPO)}", {**body, "password": "third"})).status == 200
    assert (await place.ask("PUT", f"{REPOS}/{at('https://none')}", body)).status == 403
    journal = str((await place.journal.page(limit=50)).entries)
    assert "CANARY" not in journal
    assert (await place.ask("DELETE", f"{REPOS}/{at(REPO)}")).json == {}
    assert [verb for _, verb, _ in await place.written()] == ["create", "update", "update", "delete"]
    with pytest.raises(Exception, match="not found"):
        await place.get(SECRETS, entry.secret)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"repo": "javascript:alert(1)"},
        {"repo": "ext::sh"},
        {"repo": REPO, "type": "floppy"},
        {"repo": REPO, "depth": [1]},
    ],
)
async def test_what_is_no_repository_is_not_registered(place, body):
    """Attack 11."""
    assert (await place.ask("POST", REPOS, body)).status == 400
    assert await place.written() == []


@pytest.mark.parametrize("error", [Unreachable, Unauthenticated, Forbidden, NotFound, TimedOut, InvalidInput])
async def test_one_that_does_not_answer_is_not_registered(place, error):
    """And whoever asked keeps their session: it is not they who were refused."""
    place.broken = error("it is away")
    for answer in (
        await place.ask("POST", REPOS, {"repo": REPO}),
        await place.ask("POST", f"{REPOS}/{at(REPO)}/validate?username=bob&password=CANARY", REPO),
    ):
        assert (answer.status, answer.json["code"]) == (400, 9)
        assert answer.json["message"].startswith("error testing repository connectivity: it is away")
        assert b"CANARY" not in answer.body
    assert await place.written() == []
    assert (await place.ask("POST", REPOS, {"repo": REPO, "project": "shop"})).status == 200
    place.broken = None
    assert (await place.ask("POST", f"{REPOS}/{at(REPO)}/validate", {"username": "bob"})).json == {}


async def test_a_git_repository_on_the_disk_of_the_server_is_registered_where_it_may_be_read(tmp_path):
    async with yard(LocalRepositories(tmp_path, tmp_path / "own").at) as place:
        url = f"file://{tmp_path}/shop.git"
        assert (await place.ask("POST", REPOS, {"repo": url})).status == 200
        await until(lambda: place.desk.installation.repositories.entries)
        (known,) = (await place.ask("GET", REPOS)).json["items"]
        assert (known["repo"], known["connectionState"]["status"]) == (url, "Successful")
        refused = await place.ask("POST", REPOS, {"repo": "file:///etc"})
        assert refused.status == 400
        assert "--local-git" in refused.json["message"]


async def test_one_without_credentials_is_tested_with_those_of_the_template_for_it(place):
    await place.secret("t", "repo-creds", url="https://git.example.org/", username="ada", password="CANARY")
    await known(place)
    assert (await place.ask("POST", f"{REPOS}/{at(REPO)}/validate", REPO)).json == {}
    assert place.described[-1].credentials.username == "ada"
    assert (await place.ask("POST", f"{REPOS}/{at(REPO)}/validate", {"username": "bob"})).json == {}
    assert place.described[-1].credentials.username == "bob"
    assert place.described[-1].known_hosts


async def test_of_two_for_one_address_the_project_says_which(place):
    await place.secret("a", "repository", url=REPO)
    await place.secret("b", "repository", url=REPO, project="shop")
    one = await place.ask("GET", f"{REPOS}/{at(REPO)}?appProject=shop")
    assert one.json["project"] == "shop"
    assert "project" not in (await place.ask("GET", f"{REPOS}/{at(REPO)}")).json


async def test_credentials_for_many_are_registered_and_never_told(place):
    body = {"url": "https://git.example.org/", "username": "bob", "password": "CANARY"}
    assert (await place.ask("POST", CREDS, {})).status == 400
    assert (await place.ask("POST", CREDS, body, who="dev")).status == 403
    assert (await place.ask("POST", CREDS, body)).json == {"url": body["url"]}
    await known(place)
    assert (await place.ask("GET", CREDS)).json["items"] == [{"url": body["url"], "username": "bob"}]
    assert (await place.ask("PUT", f"{CREDS}/{at(body['url'])}", {**body, "password": "x"})).status == 200
    assert (await place.ask("PUT", f"{CREDS}/{at('https://none')}", body)).status == 404
    assert (await place.ask("DELETE", f"{CREDS}/{at(body['url'])}")).json == {}


async def test_clusters_are_told_without_the_way_there(place):
    await place.secret(
        "eu", "cluster", name="eu", server="https://eu", config='{"bearerToken": "CANARY"}', namespaces="a,b"
    )
    await place.deploy("web", spec={"destination": {"name": "eu", "namespace": "x"}})
    told = await place.ask("GET", CLUSTERS)
    assert b"CANARY" not in told.body
    assert [(each["name"], each["info"]["applicationsCount"]) for each in told.json["items"]] == [
        ("in-cluster", 0),
        ("eu", 1),
    ]
    assert (await place.ask("GET", f"{CLUSTERS}/{at('https://eu')}")).json["namespaces"] == ["a", "b"]
    assert (await place.ask("GET", f"{CLUSTERS}/eu?id.type=name")).json["server"] == "https://eu"
    assert (await place.ask("GET", f"{CLUSTERS}/eu?id.type=name_escaped&server={SERVER}")).status == 403
    assert (await place.ask("GET", f"{CLUSTERS}?name=eu&id.value=eu&id.type=name")).json["items"][0][
        "server"
    ] == "https://eu"
    hidden, missing = [
        await place.ask("GET", f"{CLUSTERS}/{at(url)}", who="dev") for url in ("https://eu", "https://none")
    ]
    assert (hidden.status, hidden.body) == (missing.status, missing.body)
    assert (await place.ask("GET", CLUSTERS, who="dev")).json["items"] == []


async def test_settings_tell_a_stranger_what_a_login_page_needs(place):
    """CVE-2024-37152."""
    config = {
        "url": "https://argo.example.org", "passwordPattern": "^.{9,}$", "ui.bannercontent": "hello", "exec.enabled": "true",
        "oidc.config": "name: Okta\nissuer: https://okta\nclientID: x\nclientSecret: CANARY\nrequestedScopes: [groups]",
        "dex.config": "connectors:\n- {name: GitHub, type: github, config: {clientSecret: CANARY}}",
        "kustomize.buildOptions": "--enable-helm",
    }  # fmt: skip
    await place.configure("argocd-cm", **config)
    stranger = await place.ask("GET", "/api/v1/settings", who="")
    ada = await place.ask("GET", "/api/v1/settings")
    assert stranger.json["oidcConfig"] == {
        "name": "Okta",
        "issuer": "https://okta",
        "clientID": "x",
        "scopes": ["groups"],
    }
    assert stranger.json["dexConfig"] == {"connectors": [{"name": "GitHub", "type": "github"}]}
    assert set(ada.json) - set(stranger.json) == {"passwordPattern", "uiBannerContent", "controllerNamespace"}
    assert b"CANARY" not in stranger.body + ada.body
    await place.configure("argocd-cm", **{"oidc.config": "- [", "dex.config": "3"})
    assert not {"oidcConfig", "dexConfig"} & set((await place.ask("GET", "/api/v1/settings", who="")).json)


async def test_settings_say_whether_manifests_are_hydrated(place):
    assert "hydratorEnabled" not in (await place.ask("GET", "/api/v1/settings")).json
    await place.configure("argocd-cmd-params-cm", **{"hydrator.enabled": "true"})
    assert (await place.ask("GET", "/api/v1/settings")).json["hydratorEnabled"] is True


async def test_the_version_tells_a_stranger_no_more_than_its_number(place):
    assert (await place.ask("GET", "/api/version", who="")).json == {"Version": "v1.2.3"}
    assert "Platform" in (await place.ask("GET", "/api/version")).json
