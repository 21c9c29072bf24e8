import base64

import pytest
from tests.secrets.stores.vault.certificates import Authority
from tests.secrets.stores.vault.scene import READ_ALL, scene

from plumbline.base.errors import InvalidInput, Unauthenticated, Unreachable
from plumbline.secrets.stores.store import Remote, Selector
from plumbline.secrets.stores.vault import trust

APP = Remote("app", "n")


@pytest.fixture(scope="module")
def authority():
    return Authority()


@pytest.fixture
async def at(authority, tmp_path):
    async with scene(ssl_context=authority.server(tmp_path)) as made:
        made.server.write("secret/app", {"n": "1"})
        yield made


def _bundle(authority):
    return base64.b64encode(authority.pem).decode()


async def test_a_server_that_nobody_vouches_for_is_not_spoken_to(at):
    with pytest.raises(Unreachable):
        await (await at.store()).value(APP)
    with pytest.raises(Unreachable):
        await (await at.store(caBundle=_bundle(Authority("another")))).value(APP)
    assert at.server.asked == []


async def test_a_server_is_trusted_by_what_the_store_says(at, authority):
    at.cluster.secrets["ca"] = {"ca.crt": authority.pem}
    at.cluster.maps["ca"] = {"ca.crt": authority.pem.decode()}
    for fields in (
        {"caBundle": _bundle(authority)},
        {"caProvider": {"type": "Secret", "name": "ca", "key": "ca.crt"}},
        {"caProvider": {"type": "ConfigMap", "name": "ca", "key": "ca.crt", "namespace": "other"}},
    ):
        assert (await (await at.store(**fields)).value(APP)).reveal() == b"1"
    assert Selector("ca", "ca.crt", "other") in at.cluster.asked


async def test_connections_are_shared_by_those_who_trust_the_same(at, authority, monkeypatch):
    made = []
    monkeypatch.setattr(trust, "_made", lambda *of, _made=trust._made: made.append(1) or _made(*of))
    for _ in range(5):
        await (await at.store(caBundle=_bundle(authority))).value(APP)
    assert len(made) == 1
    monkeypatch.setattr(trust, "_MOST", 1)
    await at.store(caBundle=_bundle(Authority("another")))
    await at.store(caBundle=_bundle(authority))
    assert len(made) == 3


async def test_with_a_certificate(at, authority):
    certificate, key = authority.pair("reader")
    at.server.role("cert", "app", READ_ALL, allowed_common_names=["reader"])
    at.cluster.secrets["cert"] = {"crt": certificate, "key": key}
    auth = {"cert": {"clientCert": {"name": "cert", "key": "crt"}, "secretRef": {"name": "cert", "key": "key"}}}
    store = await at.store(auth, caBundle=_bundle(authority))
    assert (await store.value(APP)).reveal() == b"1"
    certificate, key = authority.pair("stranger")
    at.cluster.secrets["cert"] = {"crt": certificate, "key": key}
    with pytest.raises(Unauthenticated):
        await (await at.store(auth, caBundle=_bundle(authority))).value(APP)


async def test_a_certificate_is_shown_whatever_the_way_of_logging_in(at, authority):
    certificate, key = authority.pair("shown")
    at.cluster.secrets["tls"] = {"tls.crt": certificate, "tls.key": key}
    tls = {"certSecretRef": {"name": "tls"}, "keySecretRef": {"name": "tls"}}
    store = await at.store(tls=tls, caBundle=_bundle(authority))
    assert (await store.value(APP)).reveal() == b"1"
    assert Selector("tls", "tls.crt") in at.cluster.asked


async def test_certificates_that_are_none_are_refused_and_not_repeated(at, authority):
    certificate, key = authority.pair("x")
    _, other = authority.pair("y")
    _, locked = authority.pair("z", encrypted=True)
    at.cluster.secrets |= {
        "no-pair": {"tls.crt": certificate, "tls.key": other},
        "none": {"tls.crt": b"canary", "tls.key": b"canary"},
        "locked": {"tls.crt": certificate, "tls.key": locked},
        "fine": {"tls.crt": certificate, "tls.key": key},
    }
    for name in ("no-pair", "none", "locked"):
        with pytest.raises(InvalidInput) as caught:
            await at.store(tls={"certSecretRef": {"name": name}, "keySecretRef": {"name": name}})
        assert "canary" not in f"{caught.value}{caught.value.__cause__}"
    for half in ("certSecretRef", "keySecretRef"):
        with pytest.raises(InvalidInput):
            await at.store(tls={half: {"name": "fine"}})
    for bundle in (b"canary", b"\xff"):
        with pytest.raises(InvalidInput):
            await at.store(caBundle=base64.b64encode(bundle).decode())
