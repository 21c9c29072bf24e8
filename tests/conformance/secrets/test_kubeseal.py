"""The real kubeseal finds us through API servers, ours and the real one, and does there what it does with its own."""

import pytest
from tests.conformance.secrets.kubesealing import (
    Ring,
    key,
    on_a_real_server,
    on_our_plane,
    own_address,
)

from plumbline.base.documents import dump_yaml, load_documents
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection
from plumbline.secrets.publishing import Outside, Place, manifests, published
from plumbline.secrets.sealing import SCOPES, Keyring, label_of, scope_of
from plumbline.web.sealing import Terms

pytestmark = pytest.mark.conformance

CANARY = "correct horse battery staple"
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "db", "namespace": "shop", "labels": {"app": "shop"}},
    "stringData": {"password": CANARY, "user": "shop"},
}
VALUES = {"password": CANARY.encode(), "user": b"shop"}
OFTEN = Terms(per_s=1000, burst=1000)
OLD, NEW, NEWEST = 40, 5, 1


@pytest.fixture(params=["our plane", "a real API server"])
async def kubeseal(request, tmp_path):
    ring = Ring(key(OLD), key(NEW))
    if request.param == "our plane":
        opened = on_our_plane(tmp_path / "plane", ring, OFTEN)
    else:
        opened = on_a_real_server(request.getfixturevalue("real_controllers"), ring, OFTEN)
    async with opened as found:
        yield found


def values_of(sealed, *ages):
    """What is inside, item by item; whatever keys of other ages sealed does not open."""
    metadata, ring = sealed["metadata"], Keyring([key(age) for age in ages])
    label = label_of(scope_of(metadata.get("annotations") or {}), metadata["namespace"], metadata["name"])
    items = sealed["spec"]["encryptedData"].items()
    return {name: ring.opened(text, label).value.reveal() for name, text in items}


async def sealed(kubeseal, *args):
    return decode((await kubeseal.told(*args, stdin=encode(SECRET).decode())).encode())


def renamed(one, **metadata):
    return {**one, "metadata": {**one["metadata"], **metadata}}


def tampered(one):
    """With the last of its tag turned round."""
    text = one["spec"]["encryptedData"]["password"]
    turned = ("A" if text[-6] != "A" else "B").join((text[:-6], text[-5:]))
    spec = {**one["spec"], "encryptedData": {**one["spec"]["encryptedData"], "password": turned}}
    return {**one, "spec": spec}


async def test_it_fetches_the_certificate_of_the_newest_key(kubeseal):
    assert (await kubeseal.told("--fetch-cert")).encode() == key(NEW).certificate_pem
    kubeseal.ring.keyring = Keyring([key(NEW), key(NEWEST)])
    assert (await kubeseal.told("--fetch-cert")).encode() == key(NEWEST).certificate_pem


@pytest.mark.parametrize("scope", SCOPES)
async def test_what_it_seals_we_open_and_it_is_told_that_it_is_fine(kubeseal, scope):
    one = await sealed(kubeseal, "--scope", scope)
    assert scope_of(one["metadata"].get("annotations") or {}) == scope
    assert values_of(one, NEW) == VALUES
    assert await kubeseal.told("--validate", stdin=encode(one).decode()) == ""


@pytest.mark.parametrize("scope", SCOPES)
async def test_a_raw_value_is_bound_to_its_scope(kubeseal, scope):
    args = ["--raw", "--scope", scope, "--name", "db", "--namespace", "shop", "--from-file", "/dev/stdin"]
    text = await kubeseal.told(*args, stdin=CANARY)
    opened = Keyring([key(NEW)]).opened(text, label_of(scope, "shop", "db"))
    assert opened.value.reveal() == CANARY.encode()


async def test_it_says_of_what_cannot_be_opened_that_it_cannot_and_nothing_else(kubeseal):
    one = await sealed(kubeseal)
    spoken = []
    for bad in (tampered(one), renamed(one, name="other"), renamed(one, namespace="elsewhere")):
        said = await kubeseal.say("--validate", stdin=encode(bad).decode())
        assert said.code == 1
        spoken.append(said.err.replace(bad["metadata"]["name"], "db"))
    assert set(spoken) == {"error: unable to decrypt sealed secret: db\n"}


async def test_what_old_keys_sealed_it_has_sealed_for_the_newest(kubeseal, tmp_path):
    kubeseal.ring.keyring = Keyring([key(OLD)])
    wide = await sealed(kubeseal, "--scope", "namespace-wide")
    narrow = await sealed(kubeseal)
    kubeseal.ring.keyring = Keyring([key(OLD), key(NEW)])
    file = tmp_path / "both.yaml"
    file.write_text("---\n".join(dump_yaml(each) for each in (wide, narrow)))
    await kubeseal.told("--re-encrypt", "-o", "yaml", "-f", str(file), "-w", str(file))
    again = [each.value for each in load_documents(file.read_text())]
    assert [values_of(each, NEW) for each in again] == [VALUES, VALUES]
    assert [scope_of(each["metadata"].get("annotations") or {}) for each in again] == ["namespace-wide", "strict"]


async def test_a_scope_is_not_widened_by_what_a_template_asks_for(kubeseal):
    """CVE-2026-22728."""
    one = await sealed(kubeseal)
    template = {"metadata": {"annotations": {"sealedsecrets.bitnami.com/cluster-wide": "true"}}}
    asked = {**one, "spec": {**one["spec"], "template": template}}
    again = decode((await kubeseal.told("--re-encrypt", stdin=encode(asked).decode())).encode())
    assert scope_of(again["metadata"].get("annotations") or {}) == "strict"
    assert values_of(again, NEW) == VALUES


async def test_what_cannot_be_opened_is_not_sealed_again_for_whatever_reason(kubeseal):
    one = await sealed(kubeseal)
    wide = {"sealedsecrets.bitnami.com/cluster-wide": "true"}
    bad = (tampered(one), renamed(one, name="other"), renamed(one, annotations=wide))
    spoken = {(await kubeseal.say("--re-encrypt", stdin=encode(each).decode())).err for each in bad}
    assert len(spoken) == 1
    assert CANARY not in spoken.pop()


async def test_everybody_who_is_known_may_do_all_of_that(kubeseal):
    jane = ("--as", "jane", "--as-group", "system:authenticated")
    one = await sealed(kubeseal, *jane)
    await kubeseal.told(*jane, "--validate", stdin=encode(one).decode())
    assert values_of(decode((await kubeseal.told(*jane, "--re-encrypt", stdin=encode(one).decode())).encode()), NEW)
    said = await kubeseal.say(*jane, "--controller-name", "kube-dns", "--fetch-cert")
    assert "forbidden" in said.err


async def test_who_asks_too_often_waits_and_is_served_all_the_same(tmp_path):
    async with on_our_plane(tmp_path / "plane", Ring(key(NEW)), Terms()) as kubeseal:
        one = dump_yaml(await sealed(kubeseal))
        assert await kubeseal.told("--validate", stdin="---\n".join([one] * 5)) == ""


async def test_who_comes_before_there_is_a_key_waits_for_it(tmp_path):
    ring = Ring()
    async with on_our_plane(tmp_path / "plane", ring, Terms()) as kubeseal:
        asked = []

        async def certificate():
            asked.append(None)
            return key(NEW).certificate_pem if len(asked) > 1 else None

        ring.certificate = certificate
        assert (await kubeseal.told("--fetch-cert")).encode() == key(NEW).certificate_pem
    assert len(asked) == 2


async def test_a_real_server_passes_nothing_on_to_an_address_that_is_no_pods(real_cluster):
    """So that nobody promises it: such a Service is for whoever is within the cluster."""
    place, behind = Place("default", "sealing-outside"), Outside(own_address(), 8080)
    async with Client.connect(Connection.load(real_cluster.kubeconfig)) as client:
        assert await published(client, place, behind) == ()
        assert await published(client, place, behind) == ()
    refused = real_cluster.get("/api/v1/namespaces/default/services/http:sealing-outside:http/proxy/v1/cert.pem")
    for target in manifests(place, behind):
        assert real_cluster.send("DELETE", target.path).fine
    assert refused.status == 404
