"""plumb secret set."""

import pytest

from plumbline.base.documents import load_documents

from .sealed import CANARY, masked

FILE = """# kept by the shop team
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata:
  name: db   # do not rename
  namespace: shop
spec:
  encryptedData:
    password: OLD  # since 2024
    user: "OLD"
  template: {type: Opaque}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "db.yaml"
    path.write_text(FILE)
    return path


def _set(run, sealed, *args, stdin=CANARY):
    return run("secret", "set", *args, "--cert", sealed.cert, stdin=stdin)


def test_a_value_is_sealed_in_its_place(run, sealed, file):
    said = _set(run, sealed, file, "password")
    assert (said.code, said.out) == (0, "")
    assert masked(file.read_text()) == FILE.replace("password: OLD", "password: SEALED")
    assert CANARY not in said.err
    assert sealed.new.fingerprint in said.err
    assert load_documents(file.read_text())[0].value["spec"]["encryptedData"]["user"] == "OLD"


def test_a_new_key_is_added(run, sealed, file):
    assert _set(run, sealed, file, "token").code == 0
    assert masked(file.read_text()) == FILE.replace("    user:", "    token: SEALED\n    user:")


def test_the_value_is_taken_byte_for_byte(run, sealed, file, tmp_path):
    value = tmp_path / "value"
    value.write_bytes(b"two\nlines\n")
    _set(run, sealed, file, "password", "--value-from-file", value)
    _set(run, sealed, file, "user", "--value-from-file", "-", stdin="ada\n")
    assert sealed.values(file.read_text()) == {"password": "two\nlines\n", "user": "ada\n"}


def test_at_a_terminal_it_is_asked_for_twice_without_echo(run, sealed, file, monkeypatch):
    monkeypatch.setattr("plumbline.cli.sealing.setting.at_terminal", lambda: True)
    said = _set(run, sealed, file, "password", stdin=f"{CANARY}\nother\n{CANARY}\n{CANARY}\n")
    assert said.code == 0
    assert CANARY not in said.out + said.err
    _set(run, sealed, file, "user", stdin="ada\nada\n")
    assert sealed.values(file.read_text()) == {"password": CANARY, "user": "ada"}


@pytest.mark.parametrize(
    ("flags", "place", "scope"),
    [
        (("--namespace", "shop"), "db.yaml", "strict"),
        (("--namespace", "shop", "--scope", "namespace-wide"), "db.yml", "namespace-wide"),
        (("--scope", "cluster-wide"), "db.json", "cluster-wide"),
    ],
)
def test_a_file_is_made_where_there_is_none(run, sealed, tmp_path, flags, place, scope):
    file = tmp_path / place
    assert _set(run, sealed, file, "password", "--name", "db", *flags).code == 0
    text = file.read_text()
    assert text.startswith("{" if place.endswith("json") else "---\n")
    assert sealed.values(text) == {"password": CANARY}
    assert (f"sealedsecrets.bitnami.com/{scope}" in text) == (scope != "strict")
    assert _set(run, sealed, file, "user", stdin="ada").code == 0
    assert sealed.values(file.read_text()) == {"password": CANARY, "user": "ada"}


def test_one_of_several_is_chosen_by_its_name(run, sealed, file):
    file.write_text(FILE + "---\n" + FILE.replace("name: db", "name: other") + "---\n" + FILE.replace("shop\n", "b\n"))
    said = _set(run, sealed, file, "password")
    assert said.code == 2
    assert "--name" in said.err
    assert _set(run, sealed, file, "password", "--name", "db").code == 2
    assert _set(run, sealed, file, "password", "--name", "db", "-n", "shop").code == 0
    assert masked(file.read_text()).count("SEALED") == 1
    assert masked(file.read_text()).index("SEALED") < file.read_text().index("other")
    said = _set(run, sealed, file, "password", "--name", "absent")
    assert said.code == 5
    assert "db, other" in said.err


def test_a_namespace_that_the_file_does_not_say_is_given(run, sealed, file):
    file.write_text(FILE.replace("  namespace: shop\n", ""))
    said = _set(run, sealed, file, "password")
    assert said.code == 2
    assert "--namespace" in said.err
    assert _set(run, sealed, file, "password", "-n", "shop").code == 0
    value = load_documents(file.read_text())[0].value["spec"]["encryptedData"]["password"]
    assert sealed.ring.opened(value, b"shop/db").value.reveal().decode() == CANARY


@pytest.mark.parametrize(
    ("change", "flags", "code", "why"),
    [
        (("", ""), ("password", "-n", "other"), 2, "it is in another namespace"),
        (("", ""), ("password", "--scope", "cluster-wide"), 2, "it has another scope"),
        (("", ""), ("pass word",), 2, "no Secret has such a key"),
        (("name: db   #", "#"), ("password",), 2, "it has no name"),
        (("encryptedData:", "data: QUI=\n  encryptedData:"), ("password",), 2, "it is in the old form"),
        (("kind: SealedSecret", "kind: Secret"), ("password",), 5, "there is none"),
        (("password: OLD", "password: [OLD]"), ("password",), 2, "the value is no text"),
        (("spec:", "spec"), ("password",), 2, "it is no YAML"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_file_stays(run, sealed, file, change, flags, code, why):
    file.write_text(FILE.replace(*change) if change[0] else FILE)
    before = file.read_bytes()
    said = _set(run, sealed, file, *flags)
    assert said.code == code, why
    assert CANARY not in said.err
    assert file.read_bytes() == before


def test_without_a_file_a_name_is_needed(run, sealed, tmp_path):
    said = _set(run, sealed, tmp_path / "new.yaml", "password")
    assert said.code == 5
    assert "--name" in said.err


def test_an_empty_value_is_a_slip_unless_it_is_meant(run, sealed, file):
    assert _set(run, sealed, file, "password", stdin="").code == 2
    assert _set(run, sealed, file, "password", "--allow-empty-data", stdin="").code == 0
    _set(run, sealed, file, "user")
    assert sealed.values(file.read_text()) == {"password": "", "user": CANARY}


def test_a_folder_that_cannot_be_written_is_told(run, sealed, tmp_path):
    assert _set(run, sealed, tmp_path / "absent" / "db.yaml", "a", "--name", "db", "-n", "shop").code == 3


def test_a_link_stays_one(run, sealed, file, tmp_path):
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    assert _set(run, sealed, link, "password").code == 0
    assert link.is_symlink()
    assert "SEALED" in masked(file.read_text())


def test_help_names_the_verbs(run):
    assert "rotate" in run("secret").out
