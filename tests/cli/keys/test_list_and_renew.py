"""plumb keys list and renew."""

import pytest

from plumbline.base.documents import load_document
from plumbline.base.json import decode
from plumbline.cli.keys import renewing
from plumbline.secrets.sealing import KEY_LABEL, key_of

from .estate import Person


def test_keys_are_listed_the_newest_first_with_what_became_of_them(keys, tmp_path):
    for number in (0, 1, 2):
        keys.put(number)
    keys.put(2, "retired", label="compromised")
    header, *rows = keys.done("list").out.splitlines()
    assert header.split() == ["NAME", "FINGERPRINT", "MADE", "EXPIRES", "NEWEST", "STATUS", "EXPORTED", "FOR"]
    shown = {row.split()[0]: row.split()[1:] for row in rows}
    assert [row.split()[1] for row in rows if "compromised" not in row] == [
        key.fingerprint for key in reversed(keys.made)
    ]
    assert shown["sealed-secrets-key2"][3:] == ["yes", "active", "never"]
    assert shown["sealed-secrets-key0"][3:] == ["no", "active", "never"]
    assert shown["retired"][3:] == ["no", "compromised", "never"], "the same key, but not to be used"
    assert "3 keys exist nowhere but in this cluster" in keys("list").err
    keys.done("export", "-r", Person(tmp_path).recipient, "-w", tmp_path / "keys.age")
    assert "nowhere" not in keys("list").err


def test_programs_get_dates_and_flags(keys, tmp_path):
    keys.put(0)
    assert decode(keys.done("list", "-o", "json").out)["items"][0]["exported"] is None
    person = Person(tmp_path)
    keys.done("export", "-r", person.recipient, "-w", tmp_path / "keys.age")
    said = keys.done("list", "-o", "yaml")
    (item,) = load_document(said.out).value["items"]
    assert item["fingerprint"] == keys.made[0].fingerprint
    assert item["newest"] is True
    assert item["status"] == "active"
    assert item["exported"]["for"] == person.recipient
    assert item["exported"]["at"].endswith("Z")
    assert item["made"] < item["exported"]["at"] < item["expires"]


def test_what_only_looks_like_a_key_is_listed_with_the_reason(keys):
    keys.put_by_sealed_secret(0, "brought")
    keys.estate.create({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "odd", "namespace": keys.namespace, "labels": {KEY_LABEL: "active"}},
    })  # fmt: skip
    said = keys.done("list")
    assert said.out.count("no key") == 2
    assert "brought is no key: a SealedSecret brought it" in said.err
    assert "odd is no key" in said.err
    assert {each["name"]: bool(each["fault"]) for each in decode(keys("list", "-o", "json").out)["items"]} == {
        "brought": True,
        "odd": True,
    }
    said = keys("export", "-r", "age1nobody")
    assert said.code == 2
    assert not any(keys.marks().values())


def test_the_key_of_the_first_versions_has_no_label(keys):
    keys.put(0, "sealed-secrets-key", label=None)
    keys.put(1, "something-else", label=None)
    (item,) = decode(keys.done("list", "-o", "json").out)["items"]
    assert (item["name"], item["status"], item["newest"]) == ("sealed-secrets-key", "active", True)


def test_no_key_is_an_answer(keys):
    said = keys.done("list")
    assert said.out == ""
    assert f"no sealing key in namespace {keys.namespace}" in said.err
    assert decode(keys.done("list", "-o", "json").out) == {"items": []}


@pytest.mark.parametrize("verb", ["list", "renew"])
def test_who_may_not_see_keys_is_told_so(keys, monkeypatch, verb):
    monkeypatch.setenv("KUBECONFIG", str(keys.estate.someone(f"nobody-{keys.namespace}", keys.namespace, ["create"])))
    assert keys(verb).code == 4
    assert keys.there() == {}


def test_a_new_key_is_what_is_sealed_for(keys, monkeypatch):
    monkeypatch.setattr(renewing, "BITS", 2048)
    keys.put(0)
    said = keys.done("renew")
    items = {each["fingerprint"]: each for each in decode(keys("list", "-o", "json").out)["items"]}
    made = items[said.out.strip()]
    assert made["newest"]
    assert made["exported"] is None
    assert "plumb keys export" in said.err
    secret = keys.there()[made["name"]]
    assert made["name"].startswith("sealed-secrets-key")
    assert secret["type"] == "kubernetes.io/tls"
    assert secret["metadata"]["labels"] == {KEY_LABEL: "active"}
    assert key_of(secret).private.reveal().decode()[200:240] not in said.out + said.err
    assert "sealed-secrets-key0" in keys.there(), "those that were there stay"


def test_new_keys_have_4096_bits():
    assert renewing.BITS == 4096
