"""plumb keys export."""

import base64
from concurrent.futures import ThreadPoolExecutor

import pytest

from plumbline.base.plaintext import Plaintext
from plumbline.cli.keys import exporting
from plumbline.secrets.escrow import identities_in, keys_in, opened

from .estate import Person, mode_of, rsa_person


@pytest.fixture
def ann(tmp_path):
    return Person(tmp_path)


def held(content, identity):
    """The fingerprints in a parcel."""
    bundle = opened(content, identities_in([Plaintext(identity.read_bytes())]))
    return {key.fingerprint for _, key in keys_in(bundle, "file")}


def test_all_keys_go_into_a_file_that_only_the_recipients_open(keys, ann, tmp_path):
    keys.put(0)
    keys.put(1, label="compromised")
    file, bob = tmp_path / "keys.age", Person(tmp_path, "bob")
    said = keys.done("export", "--recipient", ann.recipient, "-r", bob.recipient, "--write", file)
    assert said.out == ""
    assert f"2 sealing keys exported into {file} for {ann.recipient}, {bob.recipient}" in said.err
    assert "plumb keys check" in said.err, "nobody has opened it yet"
    expected = {key.fingerprint for key in keys.made[:2]}
    assert held(file.read_bytes(), ann.identity) == held(file.read_bytes(), bob.identity) == expected
    assert mode_of(file) == "0o600"
    assert base64.b64encode(keys.made[0].private.reveal())[200:240] not in file.read_bytes()
    for text in keys.marks().values():
        assert text.endswith(f" {ann.recipient}, {bob.recipient}")


def test_to_stdout_comes_the_parcel_and_nothing_else(keys, ann):
    keys.put(0)
    said = keys.done("export", "-r", ann.recipient)
    assert said.out.startswith("-----BEGIN AGE ENCRYPTED FILE-----\n")
    assert held(said.out.encode(), ann.identity) == {keys.made[0].fingerprint}
    assert keys.done("export", "-r", ann.recipient, "-w", "-").out.startswith("-----BEGIN AGE")


def test_recipients_come_from_files_too(keys, ann, tmp_path):
    keys.put(0)
    people = tmp_path / "people.txt"
    people.write_text(f"# who keeps keys\n{ann.recipient}\n\n")
    assert held(keys.done("export", "-r", people).out.encode(), ann.identity)
    public, identity = rsa_person(tmp_path)
    said = keys.done("export", "-r", public, "-i", identity)
    assert said.out.startswith("-----BEGIN PKCS7-----\n")
    assert held(said.out.encode(), identity) == {keys.made[0].fingerprint}
    assert "opened again with the identity given" in said.err


def test_with_an_identity_it_is_seen_that_a_person_can_open_it(keys, ann, tmp_path):
    keys.put(0)
    file = tmp_path / "keys.age"
    said = keys.done("export", "-r", ann.recipient, "-i", ann.identity, "-w", file)
    assert "opened again with the identity given" in said.err
    assert "plumb keys check" not in said.err
    file.unlink()
    stranger = Person(tmp_path, "eve")
    said = keys("export", "-r", ann.recipient, "-i", stranger.identity, "-w", file)
    assert said.code == 3
    assert not file.exists()


def test_a_parcel_that_opens_as_something_else_is_not_written(keys, ann, tmp_path, monkeypatch):
    keys.put(0)
    monkeypatch.setattr(exporting, "opened", lambda *_: Plaintext("something else"))
    assert keys("export", "-r", ann.recipient, "-i", ann.identity, "-w", tmp_path / "keys.age").code == 3
    assert not (tmp_path / "keys.age").exists()
    assert not any(keys.marks().values())


def test_a_file_that_is_there_stays_unless_told_otherwise(keys, ann, tmp_path):
    keys.put(0)
    file = tmp_path / "keys.age"
    file.write_text("older keys")
    file.chmod(0o644)
    said = keys("export", "-r", ann.recipient, "-w", file)
    assert said.code == 6
    assert "--force" in said.err
    assert file.read_text() == "older keys"
    assert not any(keys.marks().values()), "nothing was put aside"
    keys.done("export", "-r", ann.recipient, "-w", file, "--force")
    assert held(file.read_bytes(), ann.identity)
    assert mode_of(file) == "0o600"
    assert [each.name for each in tmp_path.iterdir() if "keys.age" in each.name] == ["keys.age"], "no draft stays"


@pytest.mark.parametrize(
    ("recipients", "why"),
    [
        ((), "nobody: it would have to be in the clear"),
        (("age1nonsense",), "no recipient"),
        (("missing.txt",), "no file"),
        (("binary",), "no text"),
        (("identity",), "what opens is given to nobody"),
    ],
)
def test_without_somebody_to_encrypt_to_nothing_is_written(keys, ann, tmp_path, monkeypatch, recipients, why):
    monkeypatch.chdir(tmp_path)
    keys.put(0)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "identity").write_text(ann.identity.read_text())
    given = [part for each in recipients for part in ("-r", each)]
    said = keys("export", *given, "-w", "keys.age")
    assert said.code == 2, why
    assert not (tmp_path / "keys.age").exists()
    assert "AGE-SECRET" not in said.err
    assert not any(keys.marks().values())


def test_where_it_cannot_be_noted_the_export_counts_and_says_so(keys, ann, tmp_path, monkeypatch):
    keys.put(0)
    reader = keys.estate.someone(f"reader-{keys.namespace}", keys.namespace, ["list"])
    monkeypatch.setenv("KUBECONFIG", str(reader))
    said = keys.done("export", "-r", ann.recipient, "-w", tmp_path / "keys.age")
    assert "the warning about it stays" in said.err
    assert held((tmp_path / "keys.age").read_bytes(), ann.identity)
    assert keys.marks() == {"sealed-secrets-key0": None}


def test_a_key_that_was_replaced_meanwhile_is_not_noted(keys, ann, tmp_path, monkeypatch):
    keys.put(0)
    plain = exporting.packed

    def replacing(*args):
        keys.delete("sealed-secrets-key0")
        keys.put(1, "sealed-secrets-key0")
        return plain(*args)

    # The command is at work in a loop of its own, and so is what happens meanwhile.
    monkeypatch.setattr(exporting, "packed", lambda *args: in_another_thread(replacing, *args))
    said = keys.done("export", "-r", ann.recipient, "-w", tmp_path / "keys.age")
    assert "the warning about it stays" in said.err
    assert keys.marks() == {"sealed-secrets-key0": None}


def in_another_thread(work, *args):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *args).result()


def test_a_key_that_cannot_be_used_is_left_out_and_named(keys, ann, tmp_path):
    keys.put(0)
    keys.estate.create({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "odd",
            "namespace": keys.namespace,
            "labels": {"sealedsecrets.bitnami.com/sealed-secrets-key": "active"},
        },
    })  # fmt: skip
    said = keys.done("export", "-r", ann.recipient, "-w", tmp_path / "keys.age")
    assert "odd is left out" in said.err
    assert "1 sealing key exported" in said.err
    assert keys.marks()["odd"] is None


def test_no_key_is_not_found(keys, ann, tmp_path):
    said = keys("export", "-r", ann.recipient, "-w", tmp_path / "keys.age")
    assert said.code == 5
    assert "--key-namespace" in said.err
    assert not (tmp_path / "keys.age").exists()


def test_a_file_that_cannot_be_written_leaves_the_warning(keys, ann, tmp_path):
    keys.put(0)
    said = keys("export", "-r", ann.recipient, "-w", tmp_path / "missing" / "keys.age")
    assert said.code == 3
    assert not any(keys.marks().values())


def test_what_is_written_to_a_full_disk_is_not_noted(keys, ann, monkeypatch):
    keys.put(0)

    class Full:
        encoding = "utf-8"

        @property
        def buffer(self):
            return self

        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting.sys, "stdout", Full())
    with pytest.raises(exporting.StorageFailed, match="not written"):
        exporting._write(None, b"parcel")
    monkeypatch.undo()
    assert not any(keys.marks().values())


def test_help_loads_no_cryptography(program):
    said = program("keys", "export", "--help", before="import atexit, sys; atexit.register(lambda: print('cryptography' in sys.modules, 'pyrage' in sys.modules))")  # fmt: skip
    assert said.code == 0
    assert said.out.endswith("False False\n")
