"""plumb keys import and check."""

import pytest

from plumbline.base.documents import dump_yaml
from plumbline.base.json import decode, encode
from plumbline.cli.keys import importing
from plumbline.secrets.sealing import KEY_LABEL, key_of, key_secret

from .estate import Person, rsa_person


@pytest.fixture
def ann(tmp_path):
    return Person(tmp_path)


@pytest.fixture
def parcel(keys, ann, tmp_path):
    """A file with the two older keys; the cluster has lost them."""
    for number in (0, 1):
        keys.put(number)
    keys.done("export", "-r", ann.recipient, "-w", tmp_path / "keys.age")
    keys.delete(*keys.there())
    return tmp_path / "keys.age"


def fingerprints(keys):
    return sorted(key_of(each).fingerprint for each in keys.there().values())


def results(said):
    return {row.split()[1]: (row.split()[0], " ".join(row.split()[2:])) for row in said.out.splitlines()[1:]}


def test_what_was_put_aside_comes_back_under_its_names(keys, ann, parcel):
    said = keys.done("import", parcel, "--identity", ann.identity)
    assert results(said) == {
        key.fingerprint: (f"sealed-secrets-key{number}", "imported") for number, key in enumerate(keys.made[:2])
    }
    for number in (0, 1):
        secret = keys.there()[f"sealed-secrets-key{number}"]
        assert secret["type"] == "kubernetes.io/tls"
        assert secret["metadata"]["labels"] == {KEY_LABEL: "active"}
        assert key_of(secret).fingerprint == keys.made[number].fingerprint
    assert all(mark.endswith("whoever opens keys.age") for mark in keys.marks().values())
    assert "nowhere" not in keys("list").err, "they are in the file that they came from"


def test_a_second_time_there_is_nothing_to_do(keys, ann, parcel):
    keys.done("import", parcel, "-i", ann.identity)
    before = keys.there()
    said = keys.done("import", parcel, "-i", ann.identity)
    assert {outcome for _, outcome in results(said).values()} == {"already there"}
    assert keys.there() == before


def test_a_key_counts_by_its_fingerprint_whatever_it_is_called(keys, ann, parcel):
    keys.put(0, "by-another-name", label="compromised")
    said = keys.done("import", parcel, "-i", ann.identity)
    assert results(said)[keys.made[0].fingerprint] == ("by-another-name", "already there")
    assert "by-another-name is there, but not used: its label says 'compromised'" in said.err
    assert fingerprints(keys) == sorted(key.fingerprint for key in keys.made[:2])


def test_one_that_is_used_counts_before_its_retired_twin(keys, ann, parcel):
    keys.put(0, "a-retired", label="compromised")
    keys.put(0, "b-used")
    keys.put(0, "c-retired", label="compromised")
    said = keys.done("import", parcel, "-i", ann.identity)
    assert results(said)[keys.made[0].fingerprint] == ("b-used", "already there")
    assert "not used" not in said.err


def test_a_name_that_another_key_has_is_left_to_it(keys, ann, parcel):
    keys.put(2, "sealed-secrets-key0")
    said = keys.done("import", parcel, "-i", ann.identity)
    name, outcome = results(said)[keys.made[0].fingerprint]
    assert outcome == "imported"
    assert name.startswith("sealed-secrets-key")
    assert key_of(keys.there()["sealed-secrets-key0"]).fingerprint == keys.made[2].fingerprint
    assert key_of(keys.there()[name]).fingerprint == keys.made[0].fingerprint


def test_a_dry_run_writes_nothing_and_answers_no(keys, ann, parcel):
    keys.seal(0, "waiting")
    said = keys("import", parcel, "-i", ann.identity, "--dry-run")
    assert said.code == 1
    assert {outcome for _, outcome in results(said).values()} == {"would be imported"}
    assert keys.there() == {}
    assert "these keys would open" in said.err
    keys.done("import", parcel, "-i", ann.identity)
    assert keys("import", parcel, "-i", ann.identity, "--dry-run").code == 0


def test_it_is_told_what_can_be_opened_now(keys, ann, parcel, monkeypatch):
    keys.forget_sealed()
    for number, name in ((0, "one"), (1, "two"), (2, "of-a-key-that-is-lost")):
        keys.seal(number, name)
    said = keys.done("import", parcel, "-i", ann.identity)
    assert "3 SealedSecrets of this cluster were not opened until now; these keys open 2 of them." in said.err
    keys.delete(*keys.there())
    monkeypatch.setattr(importing, "_MOST_TRIED", 1)
    assert "of 1 that were tried" in keys.done("import", parcel, "-i", ann.identity).err


def test_what_opens_already_is_not_counted():
    done = {"status": {"conditions": [{"type": "Synced", "status": "True"}]}}
    assert importing._synced(done)
    assert not importing._synced({"status": {"conditions": [{"type": "Synced", "status": "False"}]}})
    assert not importing._synced({})


def test_who_sees_no_sealed_secrets_imports_all_the_same(keys, ann, parcel, monkeypatch):
    someone = keys.estate.someone(f"keeper-{keys.namespace}", keys.namespace, ["list", "create"])
    monkeypatch.setenv("KUBECONFIG", str(someone))
    said = keys.done("import", parcel, "-i", ann.identity)
    assert "SealedSecrets" not in said.err
    assert len(fingerprints(keys)) == 2


def plain(keys, *numbers, string_data=False):
    items = [key_secret(keys.made[number], "elsewhere", name=f"k{number}") for number in numbers]
    for each, number in zip(items, numbers, strict=True):
        each["metadata"] |= {"uid": "1-2-3", "resourceVersion": "9", "annotations": {"a": "b"}}
        if string_data:
            del each["data"]
            pair = (keys.made[number].certificate_pem, keys.made[number].private.reveal())
            each["stringData"] = dict(zip(("tls.crt", "tls.key"), (part.decode() for part in pair), strict=True))
    return {"apiVersion": "v1", "kind": "List", "items": items}


@pytest.mark.parametrize("string_data", [False, True])
def test_secrets_that_kubectl_printed_are_taken_with_a_warning(keys, tmp_path, string_data):
    file = tmp_path / "main.key"
    file.write_text(dump_yaml(plain(keys, 0, 1, string_data=string_data)))
    said = keys.done("import", file)
    assert "in the clear" in said.err
    assert set(keys.there()) == {"k0", "k1"}
    assert fingerprints(keys) == sorted(key.fingerprint for key in keys.made[:2])
    assert not any(keys.marks().values()), "a file in the clear is nowhere to keep them"
    assert "a" not in keys.there()["k0"]["metadata"].get("annotations", {})
    assert "in the clear" in keys.done("check", file).err


def test_what_another_program_opened_comes_by_stdin(keys):
    said = keys.done("import", "-", stdin=encode(plain(keys, 0)).decode())
    assert "in the clear" not in said.err, "it lies nowhere"
    assert fingerprints(keys) == [keys.made[0].fingerprint]


def test_the_same_key_twice_is_one_key(keys):
    given = plain(keys, 0, 0)
    given["items"][1]["metadata"]["name"] = "again"
    keys.done("import", "-", stdin=encode(given).decode())
    assert len(keys.there()) == 1


def test_a_key_without_a_name_gets_one(keys):
    given = plain(keys, 0)
    del given["items"][0]["metadata"]["name"]
    keys.done("import", "-", stdin=encode(given).decode())
    (name,) = keys.there()
    assert name.startswith("sealed-secrets-key")


def test_one_key_that_does_not_work_keeps_all_of_them_out(keys):
    given = plain(keys, 0, 1)
    given["items"][1]["data"]["tls.crt"] = given["items"][0]["data"]["tls.crt"]
    said = keys("import", "-", stdin=encode(given).decode())
    assert said.code == 2
    assert "k1" in said.err
    assert keys.there() == {}


@pytest.mark.parametrize("verb", ["import", "check"])
def test_what_cannot_be_opened_is_refused(keys, ann, parcel, tmp_path, verb):
    stranger = Person(tmp_path, "eve")
    assert keys(verb, parcel, "-i", stranger.identity).code == 3
    said = keys(verb, parcel)
    assert said.code == 2
    assert "--identity" in said.err
    assert keys(verb, "-", "-i", "-", stdin="").code == 2
    garbage = tmp_path / "garbage"
    garbage.write_text("hello: there")
    assert keys(verb, garbage).code == 2
    garbage.write_text("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n")
    assert keys(verb, garbage, "-i", ann.identity).code == 2
    assert keys(verb, tmp_path / "missing", "-i", ann.identity).code == 2
    garbage.write_bytes(parcel.read_bytes()[:-200])
    assert keys(verb, garbage, "-i", ann.identity).code == 3
    assert keys.there() == {}


def test_a_file_is_checked_without_a_cluster(keys, ann, parcel, monkeypatch):
    monkeypatch.delenv("KUBECONFIG")
    said = keys.done("check", parcel, "-i", ann.identity)
    header, *rows = said.out.splitlines()
    assert header.split() == ["NAME", "FINGERPRINT", "MADE", "EXPIRES"]
    assert sorted(row.split()[1] for row in rows) == sorted(key.fingerprint for key in keys.made[:2])
    assert "2 keys are in it, and each opens what it seals." in said.err


def test_an_identity_may_come_by_stdin(keys, ann, parcel):
    keys.done("check", parcel, "-i", "-", stdin=ann.identity.read_text())


def test_a_file_that_misses_a_key_of_the_cluster_will_not_do(keys, ann, parcel):
    keys.put(0)
    said = keys.done("check", parcel, "-i", ann.identity, "--against-cluster")
    assert "none of the cluster's is missing" in said.err
    keys.put(2, "newer")
    said = keys("check", parcel, "-i", ann.identity, "--against-cluster", "-o", "json")
    assert said.code == 1
    answer = decode(said.out)
    assert [each["fingerprint"] for each in answer["missing"]] == [keys.made[2].fingerprint]
    assert len(answer["items"]) == 2
    assert "newer" in said.err
    assert "missing" not in decode(keys.done("check", parcel, "-i", ann.identity, "-o", "json").out)


def test_a_pem_parcel_goes_the_same_way(keys, tmp_path):
    public, identity = rsa_person(tmp_path)
    keys.put(0)
    file = tmp_path / "keys.pem"
    keys.done("export", "-r", public, "-w", file)
    assert "1 key is in it, and opens what it seals." in keys.done("check", file, "-i", identity).err
    keys.delete(*keys.there())
    keys.done("import", file, "-i", identity)
    assert fingerprints(keys) == [keys.made[0].fingerprint]


def test_names_run_out_at_some_point(keys, monkeypatch):
    monkeypatch.setattr("plumbline.base.ids.Ids.suffix", lambda _: "taken")
    keys.put(2, "sealed-secrets-keytaken")
    given = plain(keys, 0)
    given["items"][0]["metadata"]["name"] = "sealed-secrets-keytaken"
    assert keys("import", "-", stdin=encode(given).decode()).code == 6
    assert fingerprints(keys) == [keys.made[2].fingerprint]


def test_the_group_explains_itself(run):
    said = run("keys")
    assert said.code == 0
    assert "import" in said.out
