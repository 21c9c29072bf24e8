"""Helm repositories: one index for everybody, archives from where it says, and who is told who we are."""

import asyncio
import base64
import gzip
from contextlib import nullcontext

import pytest
from tests.delivery.projects.building import project

from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, NotFound, Refused, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.projects import permits_source
from plumbline.source.charts import Options
from plumbline.source.charts import index as indexes
from plumbline.source.repository import Credentials

from .archives import chart, sha256
from .server import HelmServer

BASIC = f"Basic {base64.b64encode(b'me:hunter2').decode()}"
CHARTS = [("app", version, chart("app", version)) for version in ("1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1")]


async def test_a_chart_is_read_with_its_files_at_the_root(make, helm):
    helm.publish(*CHARTS)
    sources = make()
    version = await sources.resolve(helm.base, "app", "1.x")
    tree = await sources.tree(helm.base, "app", version)
    assert version == "1.10.0"
    assert b"version: 1.10.0" in tree.read("Chart.yaml")
    assert [name for name, _ in tree.children("")] == ["Chart.yaml", "templates"]


@pytest.mark.parametrize(
    ("revision", "version", "why"),
    [
        ("", "1.10.0", "the newest that is no prerelease"),
        ("*", "1.10.0", "the same, spelled out"),
        ("~1.2", "1.2.0", "a constraint"),
        (">=2.0.0-0", "2.0.0-rc.1", "a constraint that asks for prereleases"),
        ("9.9.9", "9.9.9", "a version is a pin, and not looked for"),
        ("1.2", "1.2", "so is a short one"),
    ],
)
async def test_a_revision_means_what_it_means_to_argo(make, helm, revision, version, why):
    helm.publish(*CHARTS)
    assert await make().resolve(helm.base, "app", revision) == version


@pytest.mark.parametrize(("version", "found"), [("1.2", "1.2.0"), ("v1.0.0", "1.0.0"), ("1.10.0", "1.10.0")])
async def test_a_pin_finds_what_helm_finds(make, helm, version, found):
    helm.publish(*CHARTS)
    tree = await make().tree(helm.base, "app", version)
    assert f"version: {found}".encode() in tree.read("Chart.yaml")


async def test_a_pin_needs_no_request_to_be_resolved(make, helm):
    assert await make().resolve(helm.base, "app", "1.0.0") == "1.0.0"
    assert helm.asked == []


async def test_two_hundred_applications_are_one_index_and_one_archive(make, helm):
    helm.publish(*CHARTS)
    sources = make()
    await asyncio.gather(*(sources.resolve(helm.base, "app", "1.x") for _ in range(200)))
    trees = await asyncio.gather(*(sources.tree(helm.base, "app", "1.10.0") for _ in range(200)))
    assert helm.paths() == ["/index.yaml", "/charts/app-1.10.0.tgz"]
    assert len(set(map(id, trees))) == 1


async def test_two_hundred_applications_of_a_chart_without_digest_are_one_archive(make, helm):
    helm.publish(*CHARTS, digests=False)
    sources = make()
    await asyncio.gather(*(sources.tree(helm.base, "app", "1.10.0") for _ in range(200)))
    assert helm.paths() == ["/index.yaml", "/charts/app-1.10.0.tgz"]


async def test_after_a_restart_one_conditional_request_is_enough(make, helm):
    helm.publish(*CHARTS)
    await make().tree(helm.base, "app", "1.2.0")
    helm.asked.clear()
    tree = await make().tree(helm.base, "app", "1.2.0")
    assert helm.paths() == ["/index.yaml"]
    assert helm.asked[0].headers["if-none-match"]
    assert b"1.2.0" in tree.read("Chart.yaml")


async def test_an_index_without_validator_is_read_again(make, helm):
    helm.etags = False
    helm.headers = {"Last-Modified": "Wed, 01 Jan 2026 00:00:00 GMT"}
    helm.publish(*CHARTS)
    sources = make()
    await sources.resolve(helm.base, "app", "1.x")
    assert await sources.resolve(helm.base, "app", "1.x", fresh=True) == "1.10.0"
    assert helm.asked[1].headers["if-modified-since"] == helm.headers["Last-Modified"]


async def test_fresh_sees_what_was_published_a_moment_ago(make, helm):
    helm.publish(*CHARTS)
    sources = make()
    await sources.resolve(helm.base, "app", "1.x")
    helm.publish(*CHARTS, ("app", "1.11.0", chart("app", "1.11.0")))
    assert await sources.resolve(helm.base, "app", "1.x") == "1.10.0"
    assert await sources.resolve(helm.base, "app", "1.x", fresh=True) == "1.11.0"
    assert await sources.resolve(helm.base, "app", "9.9.9", fresh=True) == "9.9.9"


async def test_fresh_fetches_an_archive_anew_whose_digest_nobody_names(make, helm):
    helm.publish(("app", "1.0.0", chart()), digests=False)
    sources = make()
    before = await sources.tree(helm.base, "app", "1.0.0")
    helm.publish(("app", "1.0.0", chart(**{"extra.txt": "x"})), digests=False)
    assert await sources.tree(helm.base, "app", "1.0.0") is before
    await sources.resolve(helm.base, "app", "1.0.0", fresh=True)
    assert (await sources.tree(helm.base, "app", "1.0.0")).read("extra.txt") == b"x"


@pytest.mark.parametrize(
    ("chart_name", "version"), [("app", "9.x"), ("app", "nonsense"), ("other", "1.0.0"), ("other", "")]
)
async def test_what_is_not_there_is_said_so(make, helm, chart_name, version):
    helm.publish(*CHARTS)
    sources = make()
    with pytest.raises(NotFound):
        await sources.dependency(helm.base, chart_name, version)
    with pytest.raises(NotFound):
        await sources.tree(helm.base, "app", "9.9.9")
    assert helm.paths() == ["/index.yaml"], "what was heard a moment ago is not asked again"


@pytest.mark.parametrize("name", ["", ".", "..", "../other", "a/../b", "/a", "a//b", "a\\b", "a\n"])
async def test_names_that_mean_folders_are_refused_before_any_request(make, helm, name):
    for url in (helm.base, f"oci://127.0.0.1:{helm.port}/charts/{'' if name else '..'}"):
        with pytest.raises(InvalidInput):
            await make().resolve(url, name, "")
    assert helm.asked == []


async def test_what_is_no_address_of_a_helm_repository_is_refused(make):
    with pytest.raises(InvalidInput):
        await make().resolve("ssh://git@host.example/charts", "app", "")


async def test_relative_addresses_are_below_the_repository_and_keep_its_query(make, helm):
    archive = chart()
    helm.publish(("app", "1.0.0", archive))
    helm.files["/deep/charts/app-1.0.0.tgz"] = archive
    helm.files["/deep/index.yaml"] = helm.files["/index.yaml"]
    await make().tree(f"{helm.base}/deep/?key=x", "app", "1.0.0")
    assert helm.paths() == ["/deep/index.yaml", "/deep/charts/app-1.0.0.tgz"]
    assert [each.query for each in helm.asked] == [{"key": ["x"]}] * 2


async def test_user_and_password_are_sent(make, helm, settings):
    helm.publish(*CHARTS)
    helm.required = BASIC
    settings.come_as(username="me", password=Plaintext("hunter2"))
    await make().tree(helm.base, "app", "1.0.0")
    assert [each.authorization for each in helm.asked] == [BASIC, BASIC]


async def test_those_in_the_address_are_sent_as_well_and_never_shown(make, helm):
    helm.publish(*CHARTS)
    helm.required = BASIC
    sources = make()
    url = helm.base.replace("://", "://me:hunter2@")
    await sources.tree(url, "app", "1.0.0")
    with pytest.raises(NotFound) as missing:
        await sources.tree(url, "app", "7.0.0")
    assert "hunter2" not in str(missing.value)
    assert "hunter2" not in sources.state(url).url


async def test_a_token_is_sent(make, helm, settings):
    helm.publish(*CHARTS)
    helm.required = "Bearer abc"
    settings.come_as(bearer_token=Plaintext("abc"))
    await make().tree(helm.base, "app", "1.0.0")


async def test_wrong_credentials_are_refused_and_not_tried_again_at_once(make, helm, settings):
    helm.publish(*CHARTS)
    helm.required = BASIC
    sources = make()
    for _ in range(3):
        with pytest.raises(Unauthenticated):
            await sources.resolve(helm.base, "app", "1.x")
    assert len(helm.asked) == 1


async def test_one_project_does_not_read_what_anothers_credentials_opened(make, helm, settings):
    helm.publish(*CHARTS)
    helm.required = BASIC
    settings.come_as("rich", username="me", password=Plaintext("hunter2"))
    sources = make()
    await sources.tree(helm.base, "app", "1.0.0", project="rich")
    with pytest.raises(Refused):
        await sources.tree(helm.base, "app", "1.0.0", project="poor")
    assert sources.state(helm.base).error is None
    assert await sources.resolve(helm.base, "app", "1.x", project="rich") == "1.10.0"


@pytest.mark.parametrize(("passed", "seen"), [(False, None), (True, BASIC)])
async def test_archives_on_another_host_are_told_who_we_are_only_if_settings_say_so(make, helm, settings, passed, seen):
    helm.publish(*CHARTS, base=f"{helm.elsewhere}/")
    settings.come_as(username="me", password=Plaintext("hunter2"), pass_to_others=passed)
    await make().tree(helm.base, "app", "1.0.0")
    assert [each.authorization for each in helm.asked] == [BASIC, seen]


@pytest.mark.parametrize("way", ["tree", "dependency"])
async def test_an_application_may_have_them_told_to_other_hosts(make, helm, settings, way):
    helm.publish(*CHARTS, base=f"{helm.elsewhere}/")
    settings.come_as(username="me", password=Plaintext("hunter2"))
    await getattr(make(), way)(helm.base, "app", "1.0.0", pass_credentials=True)
    assert [each.authorization for each in helm.asked] == [BASIC, BASIC]


async def test_a_redirect_to_another_host_is_followed_without_credentials(make, helm, settings):
    helm.publish(*CHARTS)
    helm.files["/there.tgz"] = CHARTS[0][2]
    helm.moved["/charts/app-1.0.0.tgz"] = f"{helm.elsewhere}/there.tgz"
    settings.come_as(username="me", password=Plaintext("hunter2"), pass_to_others=True)
    await make().tree(helm.base, "app", "1.0.0")
    assert [(each.path, each.authorization) for each in helm.asked] == [
        ("/index.yaml", BASIC),
        ("/charts/app-1.0.0.tgz", BASIC),
        ("/there.tgz", None),
    ]


async def test_a_redirect_on_the_same_host_keeps_them(make, helm, settings):
    helm.publish(*CHARTS)
    helm.files["/there.yaml"] = helm.files["/index.yaml"]
    helm.moved["/index.yaml"] = "/there.yaml"
    settings.come_as(username="me", password=Plaintext("hunter2"))
    await make().resolve(helm.base, "app", "1.x")
    assert [each.authorization for each in helm.asked] == [BASIC, BASIC]


@pytest.mark.parametrize(
    ("location", "error", "why"),
    [
        ("/index.yaml", GarbledReply, "it goes round in circles"),
        ("ftp://127.0.0.1/x", InvalidInput, "no HTTP"),
        ("file:///etc/passwd", InvalidInput, "our disk"),
        ("oci://127.0.0.1/x", InvalidInput, "no HTTP"),
        ("http://169.254.169.254/latest", InvalidInput, "what only we can reach"),
        ("http://[::ffff:169.254.169.254]/", InvalidInput, "the same in disguise"),
        ("http://10.0.0.1/x", InvalidInput, "another network than the repository's"),
        ("http://[::1", GarbledReply, "no address"),
    ],
)
async def test_redirects_that_lead_astray_are_refused(make, helm, location, error, why):
    helm.moved["/index.yaml"] = location
    with pytest.raises(error):
        await make().resolve(helm.base, "app", "1.x")


async def test_an_archive_that_is_not_the_one_in_the_index_is_refused_and_not_kept(make, helm):
    helm.publish(("app", "1.0.0", chart()))
    helm.files["/charts/app-1.0.0.tgz"] = chart(**{"templates/evil.yaml": "kind: Evil"})
    sources = make()
    for _ in range(3):
        with pytest.raises(GarbledReply):
            await sources.tree(helm.base, "app", "1.0.0")
    assert helm.paths() == ["/index.yaml", "/charts/app-1.0.0.tgz"], "a failure is remembered for a moment"
    assert sources._store.size_bytes == 0


async def test_an_archive_that_says_it_is_too_large_is_not_read(make, helm):
    helm.publish(("app", "1.0.0", chart()))
    helm.headers = {"Content-Length": str(200 << 20)}
    sources = make()
    with pytest.raises(LimitExceeded):
        await sources.tree(helm.base, "app", "1.0.0")


async def test_an_index_that_is_too_large_is_refused(make, helm, monkeypatch):
    helm.publish(*CHARTS)
    monkeypatch.setattr("plumbline.source.charts.helm.INDEX_BYTES", 100)
    with pytest.raises(LimitExceeded):
        await make().resolve(helm.base, "app", "1.x")


@pytest.mark.parametrize(
    ("body", "error", "why"),
    [
        (lambda: gzip.compress(b"entries: {}\n" + b"#" * (80 << 20), 1), LimitExceeded, "a bomb"),
        (b"\x1f\x8bnot gzip", GarbledReply, "damaged"),
        (gzip.compress(b"entries: {}\n")[:-4], GarbledReply, "cut off"),
    ],
    ids=["bomb", "damaged", "cut"],
)
async def test_a_compressed_index_is_read_within_bounds(make, helm, body, error, why):
    helm.headers = {"Content-Encoding": "gzip"}
    helm.files["/index.yaml"] = body() if callable(body) else body
    with pytest.raises(error):
        await make().resolve(helm.base, "app", "1.x")


async def test_a_compressed_index_is_asked_for_and_read(make, helm):
    helm.publish(*CHARTS)
    helm.headers = {"Content-Encoding": "gzip"}
    helm.files["/index.yaml"] = gzip.compress(helm.files["/index.yaml"])
    assert await make().resolve(helm.base, "app", "1.x") == "1.10.0"
    assert helm.asked[0].headers["accept-encoding"] == "gzip"


async def test_an_answer_that_breaks_off_is_garbled(make, helm):
    helm.publish(*CHARTS)
    helm.headers = {"Content-Length": "100000"}
    with pytest.raises(GarbledReply):
        await make().resolve(helm.base, "app", "1.x")


async def test_whoever_names_the_digest_of_another_chart_is_not_given_it(make, helm):
    helm.publish(("app", "1.0.0", chart("app", "1.0.0")))
    sources = make()
    await sources.tree(helm.base, "app", "1.0.0")
    with HelmServer().running() as mine:
        mine.publish(("app", "1.0.0", chart("app", "1.0.0")))
        del mine.files["/charts/app-1.0.0.tgz"]
        with pytest.raises(NotFound):
            await sources.tree(mine.base, "app", "1.0.0")


async def test_an_index_without_address_for_a_version_is_said_so(make, helm):
    helm.files["/index.yaml"] = b"apiVersion: v1\nentries:\n  app:\n  - version: 1.0.0\n"
    with pytest.raises(NotFound):
        await make().tree(helm.base, "app", "1.0.0")


async def test_an_index_may_point_into_a_registry(make, helm, registry, plain):
    registry.push_chart("charts/app", "1.0.0_build", chart("app", "1.0.0+build"))
    url = f"oci://{registry.host}/charts/app:1.0.0_build"
    helm.files["/index.yaml"] = f"entries:\n  app:\n  - version: 1.0.0+build\n    urls: ['{url}']\n".encode()
    tree = await make().tree(helm.base, "app", "1.0.0+build")
    assert b"build" in tree.read("Chart.yaml")


@pytest.mark.parametrize(
    ("permitted", "reads"), [("oci://{}/charts", True), ("{}/charts/**", True), ("oci://else/x", False)]
)
async def test_no_index_lends_a_project_credentials_for_a_registry_that_it_may_not_name(
    make, helm, registry, settings, permitted, reads
):
    registry.user = "me:hunter2"
    registry.push_chart("charts/app", "1.0.0", chart("app", "1.0.0"))
    where = f"oci://{registry.host}/charts"
    who = Credentials(username="me", password=Plaintext("hunter2"))
    settings.addresses[where] = {"plain_http": True, "credentials": who}
    helm.files["/index.yaml"] = f"entries:\n  app:\n  - version: 1.0.0\n    urls: ['{where}/app:1.0.0']\n".encode()
    ada = project(sourceRepos=[helm.base, permitted.format(registry.host)])
    sources = make(options=Options(permits=lambda url, _: permits_source(ada, url)))
    with nullcontext() if reads else pytest.raises(InvalidInput, match="does not permit"):
        assert (await sources.tree(helm.base, "app", "1.0.0", project="ada")).digest


@pytest.mark.parametrize(
    "url", ["oci://169.254.169.254/a/b:1", "oci://10.1.2.3/a/b:1", "oci://127.0.0.1:5000/a", "oci://:1"]
)
async def test_but_not_into_one_that_only_we_can_reach(make, helm, plain, url):
    helm.files["/index.yaml"] = f"entries:\n  app:\n  - version: 1.0.0\n    urls: ['{url}']\n".encode()
    with pytest.raises(InvalidInput):
        await make().tree(helm.base, "app", "1.0.0")


async def test_tls_is_checked_against_the_authorities_of_the_repository(make, authority, settings, tmp_path):
    with HelmServer(authority.server(tmp_path)).running() as helm:
        helm.publish(*CHARTS)
        with pytest.raises(Exception, match="certificate"):
            await make(folder="a").resolve(helm.base, "app", "1.x")
        settings.all["ca_pem"] = authority.pem
        assert await make(folder="b").resolve(helm.base, "app", "1.x") == "1.10.0"
        settings.all = {"insecure": True}
        assert await make(folder="c").resolve(helm.base, "app", "1.x") == "1.10.0"


async def test_our_certificate_is_shown_to_the_repository_alone(make, authority, settings, tmp_path):
    certificate, key = authority.pair()
    with HelmServer(authority.server(tmp_path, clients=True)).running() as helm:
        helm.publish(*CHARTS, base=f"{helm.elsewhere}/")
        settings.all["ca_pem"] = authority.pem
        settings.come_as(tls_certificate=certificate, tls_key=Plaintext(key))
        await make().tree(helm.base, "app", "1.0.0")
    assert [each.certified for each in helm.asked] == [True, False]


async def test_nothing_leads_from_https_to_http(make, authority, settings, tmp_path, helm):
    settings.all["ca_pem"] = authority.pem
    helm.publish(*CHARTS)
    with HelmServer(authority.server(tmp_path)).running() as secure:
        secure.publish(*CHARTS, base=f"{helm.base}/")
        with pytest.raises(InvalidInput):
            await make(folder="a").tree(secure.base, "app", "1.0.0")
        secure.moved["/index.yaml"] = f"{helm.base}/index.yaml"
        with pytest.raises(InvalidInput):
            await make(folder="b").resolve(secure.base, "app", "1.x")
    assert helm.asked == []


async def test_a_proxy_is_asked_instead(make, helm, settings):
    helm.publish(*CHARTS)
    settings.all["proxy"] = helm.base.replace("://", "://user:pass@")
    sources = make()
    # To a proxy the whole address is the path.
    for path in ("/index.yaml", "/charts/app-1.0.0.tgz"):
        helm.files[f"http://charts.example{path}"] = helm.files[path]
    await sources.tree("http://charts.example", "app", "1.0.0")
    assert {each.headers["host"] for each in helm.asked} == {"charts.example"}
    assert all(each.headers["proxy-authorization"].startswith("Basic ") for each in helm.asked)


async def test_the_index_is_kept_as_text_until_somebody_asks(helm):
    helm.publish(*CHARTS)
    index = indexes.read(helm.files["/index.yaml"])
    assert index._decoded == {}
    assert index.versions("app")[0].digest == f"sha256:{sha256(CHARTS[0][2])}"
