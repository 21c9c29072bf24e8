"""Whether a Helm repository or a registry answers as somebody describes it, before anybody saves it."""

import base64

import pytest
from tests.source.charts.archives import chart

from plumbline.base.errors import InvalidInput, NotFound, Unauthenticated, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.source.repository import Credentials, Repository

CANARY = "CANARY-password"
ADA = Credentials(username="ada", password=Plaintext(CANARY))


def in_registry(registry, **more):
    return Repository(url=registry.host, type="helm", oci=True, plain_http=True, **more)


async def test_a_helm_repository_is_asked_once_for_its_index_and_nothing_is_kept(make, helm, tmp_path):
    helm.publish(("app", "1.0.0", chart()))
    await make().reach(Repository(url=helm.base, type="helm"), within_s=10)
    assert helm.paths() == ["/index.yaml"]
    assert not (tmp_path / "charts").exists()


async def test_the_credentials_that_are_described_are_the_ones_that_are_used(make, helm):
    helm.publish(("app", "1.0.0", chart()))
    helm.required = "Basic " + base64.b64encode(f"ada:{CANARY}".encode()).decode()
    sources = make()
    await sources.reach(Repository(url=helm.base, type="helm", credentials=ADA), within_s=10)
    with pytest.raises(Unauthenticated):
        await sources.reach(Repository(url=helm.base, type="helm"), within_s=10)


@pytest.mark.parametrize(
    ("index", "error"), [(None, NotFound), (b"<html>a page</html>", InvalidInput), (b"[", InvalidInput)]
)
async def test_what_has_no_index_is_no_helm_repository(make, helm, index, error):
    if index is not None:
        helm.files["/index.yaml"] = index
    with pytest.raises(error, match="Cannot reach"):
        await make().reach(Repository(url=helm.base, type="helm"), within_s=10)


@pytest.mark.parametrize("url", ["file:///etc", "ssh://git@host.example/x", "/etc"])
async def test_what_is_no_address_of_charts_is_not_asked(make, url):
    with pytest.raises(InvalidInput):
        await make().reach(Repository(url=url, type="helm"), within_s=10)


async def test_a_registry_is_greeted(make, registry):
    await make().reach(in_registry(registry), within_s=10)
    assert registry.paths() == ["/v2/"]


@pytest.mark.parametrize("basic", [True, False])
async def test_a_registry_is_greeted_as_whom_settings_say(make, registry, basic):
    registry.user, registry.basic = f"ada:{CANARY}", basic
    sources = make()
    await sources.reach(in_registry(registry, credentials=ADA), within_s=10)
    wrong = Credentials(username="ada", password=Plaintext("CANARY-wrong"))
    for credentials in (wrong, Credentials(), Credentials(bearer_token=Plaintext("CANARY-token"))):
        with pytest.raises(Unauthenticated) as refused:
            await sources.reach(in_registry(registry, credentials=credentials), within_s=10)
        assert "CANARY" not in str(refused.value)


async def test_nobody_there_is_said_without_credentials(make):
    described = Repository(url="http://ada:CANARY@127.0.0.1:1/charts", type="helm")
    with pytest.raises(Unreachable) as refused:
        await make().reach(described, within_s=10)
    assert "CANARY" not in str(refused.value)
