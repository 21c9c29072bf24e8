"""OCI registries: charts and plain manifests, pinned to digests, with tokens that go where they belong."""

import asyncio
import base64

import pytest

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    PlumblineError,
    Transient,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.source.charts.identity import related
from plumbline.source.repository import Credentials

from .archives import chart, member, sha256, tar, tgz
from .server import HELM_LAYER, LAYER, MANIFEST, OciServer

BASIC = f"Basic {base64.b64encode(b'me:hunter2').decode()}"


@pytest.fixture
def charts(registry, plain):
    for version in ("1.0.0", "1.2.0", "1.10.0_b.1", "2.0.0-rc.1"):
        registry.push_chart("charts/app", version, chart("app", version.replace("_", "+")))
    return registry


def _url(registry, path="charts"):
    return f"oci://{registry.host}/{path}"


@pytest.mark.parametrize("form", ["oci://{}/charts", "{}/charts", "{}/charts/"])
async def test_a_chart_is_appended_to_the_address_however_that_is_written(make, charts, form):
    sources = make()
    url = form.format(charts.host)
    version = await sources.resolve(url, "app", "1.x")
    assert version == "1.10.0+b.1", "a plus, for which the tag has an underscore"
    assert b"1.10.0+b.1" in (await sources.tree(url, "app", version)).read("Chart.yaml")


@pytest.mark.parametrize("asked", ["oci://{}/charts", "{}/charts"])
@pytest.mark.parametrize("known", ["oci://{}/charts", "{}/charts", "oci://{}/charts/app", "{}/charts/app"])
async def test_what_is_known_of_a_registry_holds_in_both_spellings_and_for_a_chart_by_its_own_address(
    make, registry, settings, asked, known
):
    registry.user = "me:hunter2"
    registry.push_chart("charts/app", "1.0.0", chart("app", "1.0.0"))
    known_url, url = known.format(registry.host), asked.format(registry.host)
    described = {"plain_http": True, "credentials": Credentials(username="me", password=Plaintext("hunter2"))}
    settings.addresses[known_url] = described
    sources = make()
    assert b"1.0.0" in (await sources.dependency(url, "app", "1.x")).read("Chart.yaml")
    assert (await sources.tree(url, "app", "1.0.0")).digest
    with pytest.raises((Unreachable, Unauthenticated)):
        await sources.dependency(f"oci://{registry.host}/other", "app", "1.x")


async def test_an_address_with_https_is_a_registry_if_settings_say_so(make, charts, plain):
    plain.all["oci"] = True
    assert await make().resolve(f"https://{charts.host}/charts", "app", "~1.2") == "1.2.0"


@pytest.mark.parametrize(
    ("revision", "version"),
    [
        ("", "1.10.0+b.1"),
        ("~1.0", "1.0.0"),
        (">1-0", "2.0.0-rc.1"),
        ("1.0.0", "1.0.0"),
        ("1.2", "1.2"),
        ("2.0.0-rc.1",) * 2,
    ],
)
async def test_a_revision_means_what_it_means_to_argo(make, charts, revision, version):
    assert await make().resolve(_url(charts), "app", revision) == version


@pytest.mark.parametrize(("version", "found"), [("~1.2", "1.2.0"), ("1.0.0", "1.0.0"), ("2.0.0-rc.1", "2.0.0-rc.1")])
async def test_a_pin_finds_what_helm_finds(make, charts, version, found):
    sources = make()
    for tree in (
        await sources.dependency(_url(charts), "app", version),
        await sources.tree(_url(charts), "app", version),
    ):
        assert f"version: {found}".encode() in tree.read("Chart.yaml")


@pytest.mark.parametrize("version", ["1.2", "v1.0.0"])
async def test_even_a_short_version_is_a_tag(make, charts, version):
    with pytest.raises(NotFound):
        await make().tree(_url(charts), "app", version)


async def test_a_pin_is_one_manifest_and_one_blob_for_two_hundred_applications(make, charts):
    sources = make()
    await asyncio.gather(*(sources.resolve(_url(charts), "app", "1.2.0") for _ in range(200)))
    trees = await asyncio.gather(*(sources.tree(_url(charts), "app", "1.2.0") for _ in range(200)))
    assert [path.split("/")[4] for path in charts.paths()] == ["manifests", "blobs"]
    assert len(set(map(id, trees))) == 1


async def test_a_constraint_is_one_list_for_two_hundred_applications(make, charts):
    sources = make()
    await asyncio.gather(*(sources.resolve(_url(charts), "app", "1.x") for _ in range(200)))
    assert charts.paths() == ["/v2/charts/app/tags/list"]


async def test_a_long_list_of_tags_comes_in_pages(make, charts):
    charts.page = 1
    assert await make().resolve(_url(charts), "app", "1.x") == "1.10.0+b.1"
    assert len(charts.asked) == 4


async def test_a_list_that_goes_on_elsewhere_or_for_ever_is_refused(make, charts, monkeypatch):
    charts.page = 1
    monkeypatch.setattr("plumbline.source.charts.registry._PAGES", 2)
    with pytest.raises(LimitExceeded):
        await make().resolve(_url(charts), "app", "1.x")

    def elsewhere(asked, name):
        return 200, {"Link": f"<{charts.elsewhere}/v2/x>; rel=next"}, encode({"tags": ["1.0.0", "../.."]})

    charts._tags = elsewhere
    with pytest.raises(GarbledReply):
        await make().resolve(_url(charts), "app", "1.x")


@pytest.mark.parametrize("body", [b"<html>", b'{"tags": [1]}', b'{"tags": {}}'])
async def test_a_list_that_is_none_is_garbled(make, charts, body):
    charts.spoil["/v2/charts/app/tags/list"] = body
    with pytest.raises(GarbledReply):
        await make().resolve(_url(charts), "app", "1.x")


async def test_plain_manifests_are_resolved_to_a_digest_and_keep_their_folders(make, registry, plain):
    content = tgz(member("deploy/a.yaml", b"kind: A\n"), member("b.yaml", b"kind: B\n"))
    digest = registry.push("team/app", "v1", [(LAYER, content)], config="application/vnd.oci.empty.v1+json")
    sources = make()
    assert await sources.resolve(_url(registry, "team/app"), "", "v1") == digest
    tree = await sources.tree(_url(registry, "team/app"), "", digest)
    assert [name for name, _ in tree.children("")] == ["b.yaml", "deploy"]
    assert [path.split("/")[4] for path in registry.paths()] == ["manifests", "manifests", "blobs"]


async def test_a_layer_that_is_not_compressed_is_read(make, registry, plain):
    layer = "application/vnd.oci.image.layer.v1.tar"
    registry.push("app", "v1", [(layer, tar(member("a.yaml", b"a")))], config="x")
    assert (await make().tree(_url(registry, "app"), "", "v1")).read("a.yaml") == b"a"


@pytest.mark.parametrize(
    ("revision", "tag"),
    [("1.x", "1.2.0"), ("", "1.2.0"), ("^1", "1.2.0"), ("latest", "latest"), ("1.0.0", "1.0.0"), ("2.x", "2.x")],
)
async def test_a_tag_is_taken_literally_before_it_is_a_constraint(make, registry, plain, revision, tag):
    digests = {
        each: registry.push("app", each, [(LAYER, tgz(member("a.yaml", each.encode())))], config="x")
        for each in ("1.0.0", "1.2.0", "latest", "2.x", "2.1.0")
    }
    del registry.manifests["app", "2.1.0"]
    assert await make().resolve(_url(registry, "app"), "", revision) == digests[tag]


async def test_a_chart_named_whole_is_pinned_as_well(make, charts):
    sources = make()
    digest = await sources.resolve(_url(charts, "charts/app"), "", "~1.2", fresh=True)
    assert digest == f"sha256:{sha256(charts.manifests['charts/app', '1.2.0'][1])}"
    assert b"1.2.0" in (await sources.tree(_url(charts, "charts/app"), "", digest)).read("Chart.yaml")
    assert await sources.resolve(_url(charts), "app", digest) == digest
    assert b"1.2.0" in (await sources.tree(_url(charts), "app", digest)).read("Chart.yaml")


async def test_a_digest_stays_what_it_was_when_its_tag_moves(make, charts):
    sources = make()
    url = _url(charts, "charts/app")
    before = await sources.resolve(url, "", "1.2.0")
    charts.push_chart("charts/app", "1.2.0", chart("app", "9.9.9"))
    after = await sources.resolve(url, "", "1.2.0", fresh=True)
    assert before != after
    assert b"1.2.0" in (await sources.tree(url, "", before)).read("Chart.yaml")
    assert b"9.9.9" in (await sources.tree(url, "", after)).read("Chart.yaml")


async def test_a_version_that_was_pushed_again_is_seen_by_those_who_ask_afresh(make, charts):
    sources = make()
    before = await sources.tree(_url(charts), "app", "1.2.0")
    charts.push_chart("charts/app", "1.2.0", chart("app", "1.2.0", **{"new.txt": "x"}))
    assert await sources.tree(_url(charts), "app", "1.2.0") is before
    assert await sources.resolve(_url(charts), "app", "1.2.0", fresh=True) == "1.2.0"
    assert (await sources.tree(_url(charts), "app", "1.2.0")).read("new.txt") == b"x"


@pytest.mark.parametrize("silent", [True, False])
async def test_a_registry_need_not_send_digests(make, charts, silent):
    charts.silent = silent
    sources = make()
    await sources.tree(_url(charts), "app", "1.2.0")
    await sources.resolve(_url(charts), "app", "1.2.0", fresh=True)
    assert [each.method for each in charts.asked] == ["GET", "GET", "HEAD"] + ["GET"] * silent


async def test_whoever_names_a_digest_of_another_registry_is_not_given_what_it_names(make, registry, charts):
    """It is in logs and statuses, and no secret."""
    sources = make()
    await sources.tree(_url(charts), "app", "1.2.0")
    theirs = f"sha256:{sha256(charts.manifests['charts/app', '1.2.0'][1])}"
    with OciServer().running() as mine:
        mine.manifests["mine/app", "1.2.0"] = mine.manifests["mine/app", theirs] = charts.manifests[
            "charts/app", "1.2.0"
        ]
        with pytest.raises(NotFound):
            await sources.tree(_url(mine, "mine"), "app", "1.2.0")
        with pytest.raises(NotFound):
            await sources.tree(_url(mine, "mine"), "app", theirs)


async def test_after_a_restart_what_is_on_disk_needs_no_blob(make, charts):
    await make().tree(_url(charts), "app", "1.2.0")
    charts.asked.clear()
    await make().tree(_url(charts), "app", "1.2.0")
    assert charts.paths() == ["/v2/charts/app/manifests/1.2.0"]


@pytest.mark.parametrize("version", ["7.0.0", "7.x", "latest", "not a tag", "sha256:" + "0" * 64])
async def test_what_is_not_there_is_said_so_and_not_asked_for_again_at_once(make, charts, version):
    sources = make()
    await sources.tree(_url(charts), "app", "1.2.0")
    for _ in range(2):
        with pytest.raises(NotFound):
            await sources.tree(_url(charts), "app", version)
    assert len(charts.asked) <= 4
    for _ in range(5):
        with pytest.raises(NotFound):
            await sources.tree(_url(charts), "app", version)
    assert len(charts.asked) <= 4
    assert sources.state(_url(charts)).error is None


@pytest.mark.parametrize(("name", "version"), [("ghost", "1.0.0"), ("ghost", "1.x"), ("ghost", "")])
async def test_a_repository_that_is_not_there_is_said_so(make, charts, name, version):
    sources = make()
    with pytest.raises(NotFound):
        await sources.dependency(_url(charts), name, version)
    with pytest.raises(NotFound):
        await sources.resolve(_url(charts, "ghost"), "", version)
    with pytest.raises(NotFound):
        await sources.resolve(_url(charts, "ghost"), "", "^ ^")


@pytest.mark.parametrize("path", ["UPPER", "a/../b", "a//b", ".", "a" * 300])
async def test_names_that_no_registry_has_are_refused_before_any_request(make, charts, path):
    with pytest.raises(InvalidInput):
        await make().resolve(_url(charts, path), "", "1.0.0")
    assert charts.asked == []


async def test_without_tls_only_if_settings_say_so(make, charts, settings):
    settings.all["plain_http"] = False
    with pytest.raises(Transient):
        await make().tree(_url(charts), "app", "1.2.0")
    assert charts.asked == []


async def test_tls_is_checked_unless_settings_say_otherwise(make, authority, settings, tmp_path):
    with OciServer(authority.server(tmp_path)).running() as registry:
        registry.push_chart("app", "1.0.0", chart())
        with pytest.raises(Transient):
            await make(folder="a").tree(_url(registry, "app"), "", "1.0.0")
        assert registry.asked == []
        for settings.all in ({"ca_pem": authority.pem}, {"insecure": True}):
            assert await make(folder=str(len(settings.all)), pace=None).tree(_url(registry, "app"), "", "1.0.0")


async def test_a_token_is_fetched_once_for_reading_and_used_until_it_expires(make, charts, plain):
    charts.user = "me:hunter2"
    plain.come_as(username="me", password=Plaintext("hunter2"))
    sources = make()
    await sources.tree(_url(charts), "app", "1.2.0")
    await sources.resolve(_url(charts), "app", "1.x")
    tokens = [each for each in charts.asked if each.path == "/token"]
    assert [(each.authorization, each.query["scope"], each.query["service"]) for each in tokens] == [
        (BASIC, ["repository:charts/app:pull"], ["tests"])
    ]
    others = [each.authorization for each in charts.asked if each.path != "/token"]
    assert others == [None, *["Bearer token-0"] * 3]


async def test_a_token_that_expired_is_fetched_again(make, charts, plain):
    charts.user, charts.life_s = "me:hunter2", 0.0001
    plain.come_as(username="me", password=Plaintext("hunter2"))
    await make().tree(_url(charts), "app", "1.2.0")
    assert charts.paths().count("/token") == 2


async def test_a_token_that_was_revoked_is_fetched_again(make, charts, plain):
    charts.user = "me:hunter2"
    plain.come_as(username="me", password=Plaintext("hunter2"))
    sources = make()
    await sources.tree(_url(charts), "app", "1.2.0")
    charts._tokens.clear()
    await sources.resolve(_url(charts), "app", "1.x")
    assert charts.paths().count("/token") == 2


async def test_a_public_repository_wants_a_token_of_nobody(make, charts):
    charts.user = ":"
    charts._token = lambda asked: (
        charts._tokens.update(anon="repository:charts/app:pull"),
        (200, {}, b'{"access_token":"anon"}'),
    )[1]
    await make().tree(_url(charts), "app", "1.2.0")
    assert charts.asked[1].authorization is None


async def test_a_registry_may_want_user_and_password_themselves(make, charts, plain):
    charts.user, charts.basic = "me:hunter2", True
    plain.come_as(username="me", password=Plaintext("hunter2"))
    await make().tree(_url(charts), "app", "1.2.0")
    assert [each.authorization for each in charts.asked] == [None, BASIC, BASIC]


async def test_a_token_of_the_settings_is_sent_as_it_is(make, charts, plain):
    charts.user = "me:hunter2"
    charts._tokens["given"] = "repository:charts/app:pull"
    plain.come_as(bearer_token=Plaintext("given"))
    await make().tree(_url(charts), "app", "1.2.0")
    assert {each.authorization for each in charts.asked} == {"Bearer given"}
    plain.come_as(bearer_token=Plaintext("wrong"))
    with pytest.raises(Unauthenticated):
        await make(folder="b").tree(_url(charts), "app", "1.2.0")
    assert "/token" not in charts.paths()


@pytest.mark.parametrize("basic", [True, False])
async def test_wrong_credentials_are_said_to_be_wrong(make, charts, plain, basic):
    charts.user, charts.basic = "me:hunter2", basic
    plain.come_as(username="me", password=Plaintext("hunter3"))
    with pytest.raises(Unauthenticated) as refused:
        await make().tree(_url(charts), "app", "1.2.0")
    assert "hunter" not in str(refused.value)
    plain.come_as()
    with pytest.raises(Unauthenticated):
        await make(folder="b").tree(_url(charts), "app", "1.2.0")


async def test_credentials_are_shown_to_a_host_elsewhere_only_if_settings_say_so(make, charts, plain):
    charts.user, charts.realm = "me:hunter2", f"{charts.elsewhere}/token"
    plain.come_as(username="me", password=Plaintext("hunter2"))
    with pytest.raises(InvalidInput):
        await make().tree(_url(charts), "app", "1.2.0")
    assert "/token" not in charts.paths()
    plain.come_as(username="me", password=Plaintext("hunter2"), pass_to_others=True)
    await make(folder="b").tree(_url(charts), "app", "1.2.0")


@pytest.mark.parametrize("realm", ["", "nonsense", "ftp://x/token", "http://169.254.169.254/token", "http://[::1/"])
async def test_tokens_are_not_fetched_from_anywhere(make, charts, realm):
    charts.user, charts.realm = "me:hunter2", realm or " "
    with pytest.raises(PlumblineError):
        await make().tree(_url(charts), "app", "1.2.0")


async def test_tokens_are_not_fetched_without_tls_for_a_registry_that_has_it(make, authority, settings, tmp_path, helm):
    settings.all["ca_pem"] = authority.pem
    with OciServer(authority.server(tmp_path)).running() as registry:
        registry.user, registry.realm = "me:hunter2", f"{helm.base}/token"
        with pytest.raises(InvalidInput):
            await make().tree(_url(registry, "app"), "", "1.0.0")
    assert helm.asked == []


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"token": "a\\nb"}', b'{"token": "\xc3\xa4"}'])
async def test_what_is_no_token_is_garbled_and_not_shown(make, charts, body):
    charts.user = "me:hunter2"
    charts._token = lambda asked: (200, {}, body)
    with pytest.raises(GarbledReply):
        await make().tree(_url(charts), "app", "1.2.0")


@pytest.mark.parametrize(
    ("registry_host", "other", "same"),
    [
        ("ghcr.io", "ghcr.io", True),
        ("registry-1.docker.io", "auth.docker.io", True),
        ("registry.gitlab.com", "gitlab.com", True),
        ("registry.example.co.uk", "git.example.co.uk", True),
        ("example.org", "auth.example.org", True),
        ("ghcr.io", "evil.io", False),
        ("registry.example.org", "example.org.evil.net", False),
        ("registry.example.org", "evilexample.org", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("127.0.0.1", "1.0.0.1", False),
        ("localhost", "other", False),
    ],
)
def test_hosts_of_one_domain_are_related(registry_host, other, same):
    assert related(registry_host, other) is same


async def test_blobs_elsewhere_are_fetched_without_the_token(make, charts, plain):
    charts.user, charts.blobs_at = "me:hunter2", charts.elsewhere
    plain.come_as(username="me", password=Plaintext("hunter2"))
    await make().tree(_url(charts), "app", "1.2.0")
    assert charts.asked[-1].path.startswith("/elsewhere/")
    assert charts.asked[-1].authorization is None


async def test_one_project_does_not_read_what_anothers_credentials_opened(make, charts, plain):
    charts.user = "me:hunter2"
    plain.projects["rich"] = {"credentials": Credentials(username="me", password=Plaintext("hunter2"))}
    sources = make()
    tree = await sources.tree(_url(charts), "app", "1.2.0", project="rich")
    with pytest.raises(Unauthenticated):
        await sources.tree(_url(charts), "app", "1.2.0", project="poor")
    assert await sources.tree(_url(charts), "app", "1.2.0", project="rich") is tree
    assert sources.state(_url(charts)).error is None


async def test_what_a_registry_hides_from_one_stays_known_to_the_other(make, charts, plain):
    plain.projects["rich"] = {"credentials": Credentials(bearer_token=Plaintext("gold"))}
    honest = charts.answer
    charts.answer = lambda asked: honest(asked) if asked.authorization == "Bearer gold" else (404, {}, b"")
    sources = make()
    tree = await sources.tree(_url(charts), "app", "1.2.0", project="rich")
    await sources.resolve(_url(charts), "app", "1.x", project="rich")
    with pytest.raises(NotFound):
        await sources.tree(_url(charts), "app", "1.2.0", project="poor")
    assert await sources.tree(_url(charts), "app", "1.2.0", project="rich") is tree
    assert await sources.resolve(_url(charts), "app", "~1.2", project="rich") == "1.2.0"


async def test_bytes_that_are_not_their_digest_are_never_used(make, charts):
    layer = decode(charts.manifests["charts/app", "1.2.0"][1])["layers"][0]
    evil = chart("app", "1.2.0", **{"templates/evil.yaml": "x"})
    charts.blobs[layer["digest"]] = evil[: layer["size"]].ljust(layer["size"], b"\0")
    sources = make()
    with pytest.raises(GarbledReply):
        await sources.tree(_url(charts), "app", "1.2.0")
    digest = await sources.resolve(_url(charts, "charts/app"), "", "1.0.0")
    charts.spoil[f"/v2/charts/app/manifests/{digest}"] = b'{"layers": []}'
    with pytest.raises(GarbledReply):
        await make(folder="b").tree(_url(charts, "charts/app"), "", digest)


async def test_a_manifest_whose_digest_is_a_lie_is_garbled(make, charts):
    honest = charts._manifest

    def lying(asked, name, reference):
        status, headers, body = honest(asked, name, reference)
        return status, headers | {"Docker-Content-Digest": "sha256:" + "0" * 64}, body

    charts._manifest = lying
    with pytest.raises(GarbledReply):
        await make().tree(_url(charts), "app", "1.2.0")


def _described(content, **more):
    return {"mediaType": LAYER, "digest": f"sha256:{sha256(content)}", "size": len(content), **more}


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        (b"<html>", "no manifest"),
        (b'{"layers": [], "manifests": []}', "an index of several"),
        (encode({"layers": [_described(b"x")] * 2}), "two layers with content"),
        (encode({"layers": [_described(b"x")] * 11}), "too many layers"),
        (encode({"layers": [_described(b"x", mediaType="application/evil.tar+gzip")]}), "a type that nobody allowed"),
        (encode({"layers": [_described(b"x", size=1 << 40)]}), "giant by its own word"),
        (encode({"layers": [_described(b"x", size=-1)]}), "without size"),
        (encode({"layers": [_described(b"x", digest="md5:00")]}), "without digest"),
        (encode({"layers": [_described(b"x", digest="sha256:../../x")]}), "a path for a digest"),
        (
            encode({"config": {"mediaType": HELM_LAYER}, "layers": [_described(b"x", mediaType="text/plain")]}),
            "nothing to read",
        ),
    ],
)
async def test_manifests_that_promise_something_else_are_refused(make, registry, plain, manifest, why):
    registry.push_manifest("app", "1.0.0", manifest, MANIFEST)
    with pytest.raises(InvalidInput):
        await make().tree(_url(registry, "app"), "", "1.0.0")
    assert not any("/blobs/" in path for path in registry.paths())


async def test_a_layer_that_is_larger_than_it_says_is_cut(make, charts):
    layer = decode(charts.manifests["charts/app", "1.2.0"][1])["layers"][0]
    charts.blobs[layer["digest"]] += b"more"
    with pytest.raises(LimitExceeded):
        await make().tree(_url(charts), "app", "1.2.0")


async def test_a_layer_that_is_gone_is_said_so(make, charts):
    charts.blobs.clear()
    with pytest.raises(NotFound):
        await make().tree(_url(charts), "app", "1.2.0")


async def test_signatures_and_provenance_beside_the_content_are_passed_over(make, registry, plain):
    provenance = ("application/vnd.cncf.helm.chart.provenance.v1.prov", b"signed")
    registry.push("app", "1.0.0", [(HELM_LAYER, chart()), provenance, (LAYER, tgz(member("x")))])
    assert (await make().tree(_url(registry, "app"), "", "1.0.0")).read("Chart.yaml")


async def test_a_registry_may_say_no(make, charts):
    charts.status = 403
    with pytest.raises(Forbidden):
        await make().tree(_url(charts), "app", "1.2.0")


async def test_wishes_have_a_bound(make, charts, monkeypatch):
    monkeypatch.setattr("plumbline.source.charts.oci._WISHES", 1)
    monkeypatch.setattr("plumbline.source.charts.oci._ANSWERS", 1)
    sources = make()
    for version in ("1.0.0", "1.2.0", "1.0.0"):
        assert version.encode() in (await sources.tree(_url(charts), "app", version)).read("Chart.yaml")
        assert await sources.resolve(_url(charts), "app", f"~{version}")
    [followed] = sources._registries.values()
    assert len(followed.remote._wishes) == 1
