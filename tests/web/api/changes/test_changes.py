"""What happened, for those who may know: pages, exports, owners and what it comes to over time."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.web.api.ours.office import TRACKED, Who, office, put, until

from plumbline.base.json import decode
from plumbline.journal import Actor, Commit, Draft, ExternalResource, LiveObject, ObjectChange, Person, Schedule
from plumbline.journal.folds import drift_effect
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.changes import ChangesApi
from plumbline.web.api.ours.rights import OurRights

ALL = "/api/v1/changes"
MAPS = GroupVersionResource("", "v1", "configmaps")
US, ADA = Actor("controller", "delivery"), Actor("person", "=ada")
APP = LiveObject(cluster="in-cluster", group="argoproj.io", kind="Application", namespace="argocd", name="web")
FOR = {"for": {"group": "argoproj.io", "kind": "Application", "namespace": "argocd", "name": "web"}, "project": "shop"}
SHA = "a" * 40


def thing(name, namespace="shop", cluster="in-cluster"):
    return LiveObject(cluster=cluster, kind="ConfigMap", namespace=namespace, name=name)


@pytest.fixture
async def archive(place):
    await place.deploy("web")
    repo = "https://git.example.org/shop.git"
    commit = Commit(repo=repo, sha=SHA, committed_at=datetime(2026, 1, 1, tzinfo=UTC))
    await place.journal.append(
        Draft(kind="login", actor=ADA, verb="login", summary="Logged in", effect={"from": "192.0.2.1"}),
        Draft(kind="intended", actor=ADA, verb="patch", subject=APP, cause=Person(name="ada"), summary="Sync the application web"),
        Draft(kind="failed", actor=US, verb="apply", subject=thing("a"), cause=commit, summary="-1 is refused", effect=FOR),
        Draft(kind="failed", actor=US, verb="apply", subject=thing("b", "team"), cause=ObjectChange(object=APP, change="c" + "1" * 24), summary="Delivered"),
        Draft(kind="failed", actor=US, verb="delete", subject=thing("c", "team"), cause=Schedule(name="s", due=datetime(2026, 1, 1, tzinfo=UTC)), summary="Cleared up"),
        Draft(kind="failed", actor=US, verb="create", subject=ExternalResource(provider="aws", id="arn:x"), summary="Made a bucket"),
        Draft(kind="drifted", actor=US, subject=thing("a"), summary="It drifted", effect={**drift_effect([("spec.x", "kubectl")]), **FOR}),
        Draft(kind="healed", actor=US, subject=thing("a"), summary="It is right again", effect={**drift_effect([("spec.x", "")]), **FOR}),
        Draft(kind="drifted", actor=US, subject=thing("c", "team"), summary="It drifted"),
        Draft(kind="healthy", actor=US, subject=APP, cause=commit, summary="It runs"),
    )  # fmt: skip
    place.changes = ChangesApi(place.desk, place.journal)
    async with office(place, place.changes):
        yield place


def names(answer):
    return [
        (each.get("subject") or {}).get("name") or (each.get("subject") or {}).get("id")
        for each in answer.json["items"]
    ]


async def test_everything_is_told_newest_first_to_whoever_may_know_everything(archive):
    found = await archive.ask("GET", ALL)
    assert names(found) == ["web", "c", "a", "a", "arn:x", "c", "b", "a", "web", None]
    first = found.json["items"][0]
    assert (first["kind"], first["actor"], first["cause"]["commit"]) == (
        "healthy",
        {"kind": "controller", "name": "delivery"},
        SHA,
    )
    causes = [each.get("cause") for each in found.json["items"]]
    assert {"person": "ada"} in causes
    assert any("schedule" in each for each in causes if each)
    assert any("object" in each for each in causes if each)


async def test_whoever_may_get_the_application_sees_what_happened_to_it_and_for_it(archive):
    assert names(await archive.ask("GET", ALL, who="dev")) == ["web", "a", "a", "b", "a", "web"]
    assert names(await archive.ask("GET", ALL, who="eve")) == []
    archive.allow("p, eve, changes, get, in-cluster/team/*, allow\n")
    assert names(await archive.ask("GET", ALL, who="eve")) == ["c", "c", "b"]


async def test_readers_see_everything_but_logins(archive):
    archive.allow("g, rita, role:readonly\n")
    assert names(await archive.ask("GET", ALL, who="rita")) == ["web", "c", "a", "a", "arn:x", "c", "b", "a", "web"]


ASKED = [
    ("object=-/ConfigMap/shop/a", ["a", "a", "a"]),
    ("object=in-cluster/argoproj.io/Application/argocd/web", ["web", "web"]),
    ("namespace=team", ["c", "c", "b"]),
    ("cluster=in-cluster&kind=failed", ["c", "b", "a"]),
    ("actor=person:%3Dada", ["web", None]),
    ("kind=drifted&kind=healed", ["c", "a", "a"]),
    ("verb=apply", ["b", "a"]),
    ("project=shop", ["a", "a", "b", "a"]),
    (f"commit={SHA[:8]}", ["web", "a"]),
    ("since=2000-01-01T00:00:00Z&until=2001-01-01T00:00:00Z", []),
]


@pytest.mark.parametrize(("query", "found"), ASKED)
async def test_changes_are_found(archive, query, found):
    assert names(await archive.ask("GET", f"{ALL}?{query}")) == found


@pytest.mark.parametrize(
    "query",
    ["kind=odd", "verb=A%20B", "actor=ada", "actor=god:x", "object=x", "object=a/b/c/", "since=today", "until=2026-01-01T00:00:00",
     "limit=0", "limit=9999", "commit=zz", "cursor=zz"],
)  # fmt: skip
async def test_what_names_nothing_is_refused(archive, query):
    assert (await archive.ask("GET", f"{ALL}?{query}")).status == 400


@pytest.mark.parametrize("who", ["ada", "dev"])
async def test_pages_follow_each_other_and_leave_nothing_out(archive, who):
    whole = names(await archive.ask("GET", ALL, who=who))
    found, cursor = [], ""
    while True:
        page = await archive.ask("GET", f"{ALL}?limit=2&cursor={cursor}", who=who)
        found += names(page)
        cursor = page.json.get("cursor", "")
        if not cursor:
            break
    assert found == whole


async def test_a_page_looks_at_no_more_than_it_may_and_says_how_to_go_on(archive, monkeypatch):
    monkeypatch.setattr("plumbline.web.api.changes.asking.MOST_READ", 2)
    monkeypatch.setattr("plumbline.web.api.changes.asking.LONGEST_PAGE", 2)
    first = (await archive.ask("GET", f"{ALL}?verb=login")).json
    assert (first["items"], bool(first["cursor"])) == ([], True)


async def test_exports_are_files_that_no_spreadsheet_runs(archive):
    found = await archive.whole("GET", f"{ALL}/export?format=csv")
    lines = found.body.decode().splitlines()
    assert lines[0].startswith("at,kind,verb,actor")
    assert len(lines) == 11
    assert any(",'-1 is refused," in each for each in lines)
    assert found.headers["Content-Disposition"] == 'attachment; filename="changes.csv"'
    listed = decode((await archive.whole("GET", f"{ALL}/export", who="dev")).body)["items"]
    assert len(listed) == 6
    assert (await archive.ask("GET", f"{ALL}/export?format=xml")).status == 400


async def test_exports_come_in_pieces_and_end(archive, monkeypatch):
    monkeypatch.setattr("plumbline.web.api.changes.api._PIECE_BYTES", 1)
    monkeypatch.setattr("plumbline.web.api.changes.asking.LONGEST_PAGE", 3)
    monkeypatch.setattr("plumbline.web.api.changes.api._MOST_EXPORTED", 6)
    found = decode((await archive.whole("GET", f"{ALL}/export")).body)
    assert len(found["items"]) == 6


async def test_how_long_commits_take_is_told_with_its_definition(archive):
    found = (await archive.ask("GET", "/api/v1/insights/lead-time")).json
    assert (found["count"], found["deliveries"][0]["commit"]) == (1, SHA)
    assert found["p50Seconds"] <= found["p90Seconds"]
    assert "healthy" in found["definition"]
    assert found["days"][0]["count"] == 1
    assert (await archive.ask("GET", "/api/v1/insights/lead-time", who="eve")).json["count"] == 0


async def test_what_drifts_is_told_with_who_made_it(archive):
    found = (await archive.ask("GET", "/api/v1/insights/drift")).json
    assert (found["count"], found["open"], found["managers"]) == (2, 1, {"kubectl": 1, "unknown": 1})
    assert {each["subject"]["name"] for each in found["drifters"]} == {"a", "c"}
    assert "healedAt" in found["timeline"][1]
    seen = (await archive.ask("GET", "/api/v1/insights/drift", who="dev")).json
    assert (seen["count"], seen["open"]) == (1, 0)
    long_ago = (archive.desk.clock.now() - timedelta(days=500)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (await archive.ask("GET", f"/api/v1/insights/drift?since={long_ago}")).status == 400


async def test_an_owner_is_told_to_those_who_may_see_it(archive):
    marked = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "shop", "annotations": {TRACKED: "web:/ConfigMap:shop/a"}},
    }
    await put(archive, MAPS, marked)
    hidden = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "z", "namespace": "shop", "annotations": {TRACKED: "bank:/ConfigMap:shop/z"}},
    }
    await put(archive, MAPS, hidden)
    found = (await archive.ask("GET", "/api/v1/ownership?object=-/ConfigMap/shop/a", who="dev")).json
    assert (found["owner"], found["contested"]) == ({"engine": "application", "name": "argocd/web"}, False)
    assert found["chain"][0]["claims"][0]["wayOut"]
    assert (await archive.ask("GET", "/api/v1/ownership?object=-/ConfigMap/shop/z", who="dev")).status == 403
    archive.allow("p, eve, changes, get, *, allow\n")
    masked = (await archive.ask("GET", "/api/v1/ownership?object=-/ConfigMap/shop/z", who="eve")).json
    assert masked["owner"] == {"engine": "application", "hidden": True}
    assert b"bank" not in (await archive.ask("GET", "/api/v1/ownership?object=-/ConfigMap/shop/z", who="eve")).body


async def test_what_is_contested_is_listed_and_what_nobody_knows_is_said(archive):
    assert (await archive.ask("GET", "/api/v1/ownership")).json == {"contested": []}
    assert (await archive.ask("GET", "/api/v1/ownership?object=-/ConfigMap/shop/nothing")).status == 404
    assert (await archive.ask("GET", "/api/v1/ownership?object=-/ConfigMap/shop/nothing", who="dev")).status == 403
    assert (await archive.ask("GET", "/api/v1/ownership?object=aws_db_instance/orders")).status == 404
    assert (await archive.ask("GET", "/api/v1/ownership?object=x")).status == 400


async def test_each_entry_is_told_once_from_the_moment_that_somebody_listens(archive):
    rights, told = OurRights(archive.desk), []
    async with archive.changes.feed.following("changes", told.append):
        made = await archive.journal.append(
            Draft(kind="failed", actor=US, verb="apply", subject=thing("a"), summary="It failed", effect=FOR),
            Draft(kind="failed", actor=US, verb="delete", subject=thing("c", "team"), summary="Cleared up"),
        )
        await until(lambda: len(told) == 2)
    assert [each.key for each in told] == [each.id for each in made]
    assert (told[0].kind, told[0].payload["verb"]) == ("ADDED", "apply")
    assert [rights.sees_scope(Who("dev"), each.scope) for each in told] == [True, False]
    assert [rights.sees_scope(Who("ada"), each.scope) for each in told] == [True, True]
    await archive.journal.append(Draft(kind="failed", actor=US, verb="apply", subject=thing("a"), summary="Again"))
    assert len(told) == 2
