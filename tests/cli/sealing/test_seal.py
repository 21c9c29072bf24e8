"""plumb seal, mode by mode."""

import io

import pytest

from plumbline.base.json import decode
from plumbline.cli.main import main
from plumbline.secrets.sealing import label_of

from .samples import MERGED, RICH, RICH_JSON, RICH_YAML, SEALED_JSON, SEALED_YAML
from .sealed import CANARY, SECRET, masked


@pytest.mark.parametrize(
    ("flags", "given", "expected", "why"),
    [
        ((), SECRET, SEALED_JSON, "JSON if nothing is said, fields in the order of Go's types"),
        (("-o", "json"), SECRET, SEALED_JSON, "the same when asked for"),
        (("--format", "YAML"), SECRET, SEALED_YAML, "YAML is sorted and begins with a separator"),
        (("-n", "shop"), RICH, RICH_JSON, "what the server and tools wrote is gone, letters of HTML are escaped"),
        (("-n", "shop", "-o", "yaml"), RICH, RICH_YAML, "keys in the order of go-yaml, texts that are no texts quoted"),
        (("-o", "yaml"), SECRET + "---\n" + SECRET, SEALED_YAML * 2, "several are a stream"),
        ((), SECRET + "---\n" + SECRET, SEALED_JSON * 2, "in JSON too"),
    ],
)
def test_what_is_printed_is_what_kubeseal_prints(run, sealed, flags, given, expected, why):
    said = run("seal", "--cert", sealed.cert, *flags, stdin=given)
    assert (said.code, said.err) == (0, ""), why
    assert masked(said.out) == expected, why


@pytest.mark.parametrize(
    ("scope", "annotations"),
    [
        ("strict", None),
        ("namespace-wide", {"sealedsecrets.bitnami.com/namespace-wide": "true"}),
        ("cluster-wide", {"sealedsecrets.bitnami.com/cluster-wide": "true"}),
    ],
)
def test_values_open_in_their_scope(run, sealed, scope, annotations):
    out = run("seal", "--cert", sealed.cert, "--scope", scope, stdin=SECRET).out
    assert decode(out)["metadata"].get("annotations") == annotations
    assert sealed.opened(out) == {key: (value, sealed.new.fingerprint) for key, value in (("password", CANARY), ("user", "ada"))}  # fmt: skip


def test_an_explicit_strict_wins_over_what_the_secret_asks_for(run, sealed):
    out = run("seal", "--cert", sealed.cert, "--scope", "strict", "-n", "shop", stdin=RICH).out
    assert decode(out)["metadata"] == {"name": "db", "namespace": "shop"}
    assert sealed.values(out)["password"] == CANARY


def test_a_cluster_wide_secret_needs_no_namespace(run, sealed):
    out = run(
        "seal", "--cert", sealed.cert, "--scope", "cluster-wide", stdin="metadata: {name: a}\nstringData: {b: c}"
    ).out
    assert "namespace" not in decode(out)["metadata"]
    assert sealed.values(out) == {"b": "c"}


def test_the_namespace_is_the_contexts_where_nobody_says_one(run, sealed, cluster):
    out = run("seal", "--cert", sealed.cert, stdin="metadata: {name: db}\nstringData: {b: c}").out
    assert decode(out)["metadata"]["namespace"] == "shop"
    assert cluster.asked == [], "with a certificate no cluster is asked"


def test_lists_are_taken_apart(run, sealed):
    item = "{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: shop}, stringData: {a: b}}"
    out = run("seal", "--cert", sealed.cert, "-o", "yaml", stdin=f"kind: List\nitems: [{item}, {item}]\n").out
    assert sealed.values(out, at=0) == sealed.values(out, at=1) == {"a": "b"}


REFUSED = [
    ("", (), "no secrets found. Ensure the input is valid and UTF-8 encoded"),
    ("just text\n", (), "no secrets found"),
    ("kind: Secret\nmetadata: {name: x, namespace: a}\n", (), "secret.data is empty in input Secret"),
    ("kind: Secret\ndata: {a: eA==}\n", (), "missing metadata.name in input Secret"),
    (SECRET, ("-n", "b"), 'namespace mismatch: input secret is in namespace "shop" but "b" was specified'),
    ("metadata: {name: x}\ndata: {a: eA==}\n", (), "secret must declare a namespace"),
    ("kind: ConfigMap\nmetadata: {name: x}\n", (), "no Secret"),
    ("metadata: {name: x, namespace: a}\ndata: {a: '!!'}\n", (), "not base64"),
    ("metadata: {name: x, namespace: a}\nstringData: {'a b': x}\n", (), "cannot be the name of an item"),
    (SECRET, ("--from-file", "x"), "--from-file requires --raw"),
    (SECRET, ("--raw", "--from-file", "x", "--from-file", "y"), "only one --from-file"),
    (SECRET, ("--scope", "wide"), "'wide' is not one of"),
    (SECRET, ("-o", "xml"), "'xml' is not one of"),
    (SECRET, ("-f", "nowhere"), "Could not read file specified with --secret-file"),
    ("x", ("--raw", "-n", "a"), "must provide the --name flag with --raw and --scope strict"),
    ("x", ("--raw", "--name", "a"), "secret must declare a namespace"),
    (SECRET, ("--recovery-unseal",), "--recovery-private-key names no file"),
    ("a: {", (), "cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "flags", "words"), REFUSED, ids=[words for _, _, words in REFUSED])
def test_what_cannot_be_sealed_is_refused_in_kubeseals_words(run, sealed, given, flags, words):
    said = run("seal", "--cert", sealed.cert, *flags, stdin=given)
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    assert CANARY not in said.err


def test_an_empty_secret_can_be_sealed_when_asked_for(run, sealed):
    out = run("seal", "--cert", sealed.cert, "--allow-empty-data", stdin="metadata: {name: a, namespace: b}").out
    assert decode(out)["spec"]["encryptedData"] == {}


def test_a_file_gets_all_or_nothing_and_its_name_says_its_form(run, sealed, tmp_path):
    given, target = tmp_path / "secret.yaml", tmp_path / "sealed.yml"
    given.write_text(SECRET)
    assert run("seal", "--cert", sealed.cert, "-f", given, "-w", target).out == ""
    assert masked(target.read_text()) == SEALED_YAML
    target.chmod(0o640)
    given.write_text(SECRET + "---\nkind: ConfigMap\n")
    before = target.read_text()
    assert run("seal", "--cert", sealed.cert, "-f", given, "-w", target).code == 2
    assert target.read_text() == before
    run("seal", "--cert", sealed.cert, "-w", target, stdin=SECRET)
    assert target.read_text() != before
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(".")) == []


def test_variables_of_the_environment_stand_for_flags(run, sealed, monkeypatch):
    monkeypatch.setenv("SEALED_SECRETS_CERT", str(sealed.cert))
    monkeypatch.setenv("SEALED_SECRETS_FORMAT", "yaml")
    monkeypatch.setenv("SEALED_SECRETS_ALLOW_EMPTY_DATA", "true")
    assert masked(run("seal", stdin=SECRET).out) == SEALED_YAML
    assert run("seal", stdin="metadata: {name: a, namespace: b}").code == 0
    assert masked(run("seal", "-o", "json", "--raw=false", stdin=SECRET).out) == SEALED_JSON


@pytest.mark.parametrize(
    ("flags", "place"),
    [
        (("--name", "db", "-n", "shop"), {}),
        (("--scope", "namespace-wide", "-n", "shop"), {"scope": "namespace-wide"}),
        (("--scope", "cluster-wide"), {"scope": "cluster-wide"}),
    ],
)
def test_a_raw_value_is_printed_without_a_newline(run, sealed, tmp_path, flags, place):
    file = tmp_path / "value"
    file.write_bytes(b"\x00\xff\n")
    label = label_of(place.get("scope", "strict"), "shop", "db")
    for more, stdin in ((("--from-file", file), None), (("--from-file", f"key={file}"), None), ((), b"\x00\xff\n")):
        out = run("seal", "--raw", "--cert", sealed.cert, *flags, *more, stdin=stdin).out
        assert sealed.ring.opened(out, label).value.reveal() == b"\x00\xff\n"
        assert out == out.strip()


def test_a_value_that_no_secret_can_hold_is_refused(run, sealed, tmp_path):
    file = tmp_path / "value"
    file.write_bytes(bytes((1 << 20) + 1))
    said = run("seal", "--raw", "--cert", sealed.cert, "--scope", "cluster-wide", "--from-file", file)
    assert said.code == 2
    assert "limit-exceeded" in said.err
    assert run("seal", "--raw", "--cert", sealed.cert, "--scope", "cluster-wide", "--from-file", tmp_path).code == 2


def test_values_are_merged_into_a_file_under_its_own_name(run, sealed, tmp_path):
    file = tmp_path / "sealed.yaml"
    run("seal", "--cert", sealed.old_cert, "-w", file, stdin=SECRET)
    file.write_text(file.read_text().replace("  name: db\n", "  labels: {team: a}\n  name: db\n", 1) + "    data: {url: '{{ .user }}'}\n")  # fmt: skip
    new = "metadata: {name: other, annotations: {added: '1'}}\nstringData: {new: c, user: bob}\n"
    said = run("seal", "--cert", sealed.cert, "--merge-into", file, stdin=new)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert masked(file.read_text()) == MERGED
    assert sealed.opened(file.read_text()) == {
        "new": ("c", sealed.new.fingerprint),
        "password": (CANARY, sealed.old.fingerprint),
        "user": ("bob", sealed.new.fingerprint),
    }


def test_merged_values_get_the_scope_that_the_others_have(run, sealed, tmp_path):
    file = tmp_path / "sealed.json"
    run("seal", "--cert", sealed.cert, "-w", file, "--scope", "namespace-wide", stdin=SECRET)
    new = "metadata: {name: other}\nstringData: {new: c}\n"
    assert run("seal", "--cert", sealed.cert, "--merge-into", file, stdin=new).code == 0
    assert sealed.values(file.read_text())["new"] == "c"
    said = run("seal", "--cert", sealed.cert, "--merge-into", file, "--scope", "cluster-wide", stdin=new)
    assert said.code == 2
    assert "namespace-wide" in said.err


def test_only_one_is_merged_into_one_that_is_there(run, sealed, tmp_path):
    file = tmp_path / "sealed.json"
    assert run("seal", "--cert", sealed.cert, "--merge-into", file, stdin=SECRET).code == 5
    run("seal", "--cert", sealed.cert, "-w", file, stdin=SECRET)
    assert run("seal", "--cert", sealed.cert, "--merge-into", file, stdin=SECRET + "---\n" + SECRET).code == 2


def test_what_was_sealed_opens_without_a_cluster(run, sealed, tmp_path):
    key = tmp_path / "private.pem"
    key.write_bytes(sealed.new.private.reveal())
    text = run("seal", "--cert", sealed.cert, "-o", "yaml", stdin=SECRET).out
    text += "    data: {url: 'me={{ .user }}', password: null}\n    type: Opaque\n"
    said = run("seal", "--recovery-unseal", "--recovery-private-key", key, "-o", "yaml", stdin=text)
    assert said.out == (
        "---\napiVersion: v1\ndata:\n  url: bWU9YWRh\n  user: YWRh\nkind: Secret\n"
        "metadata:\n  name: db\n  namespace: shop\ntype: Opaque\n"
    )
    target = tmp_path / "open.json"
    assert run("seal", "--recovery-unseal", "--recovery-private-key", key, "-w", target, stdin=text).code == 0
    assert target.stat().st_mode & 0o777 == 0o600, "what is open is for nobody else"


def test_what_another_key_sealed_does_not_open_and_says_which(run, sealed, tmp_path):
    key = tmp_path / "private.pem"
    key.write_bytes(sealed.old.private.reveal())
    text = run("seal", "--cert", sealed.cert, stdin=SECRET).out
    said = run("seal", "--recovery-unseal", "--recovery-private-key", key, stdin=text)
    assert (said.code, said.out) == (3, "")
    assert "password, user cannot be decrypted" in said.err


@pytest.mark.parametrize("given", ["", SECRET])
def test_only_sealed_secrets_can_be_opened(run, sealed, tmp_path, given):
    key = tmp_path / "private.pem"
    key.write_bytes(sealed.new.private.reveal())
    said = run("seal", "--recovery-unseal", "--recovery-private-key", key, stdin=given)
    assert said.code == 2
    assert "ealed" in said.err


def test_at_a_terminal_it_says_what_it_waits_for(run, sealed, monkeypatch):
    monkeypatch.setattr("plumbline.cli.sealing.seal.at_terminal", lambda: True)
    assert "expecting json/yaml k8s resource" in run("seal", "--cert", sealed.cert, stdin=SECRET).err
    said = run("seal", "--cert", sealed.cert, "--raw", "--scope", "cluster-wide", stdin="x")
    assert "expecting a secret to encrypt" in said.err


@pytest.mark.parametrize(
    ("name", "arguments", "stdin", "code"),
    [
        ("kubeseal", ("--cert", "CERT"), SECRET, 0),
        ("kubeseal", ("--cert", "CERT"), "", 1),
        ("/usr/local/bin/kubeseal", ("--scope", "odd"), "", 2),
        ("plumb", ("seal", "--cert", "CERT"), "", 2),
    ],
)
def test_a_link_named_kubeseal_answers_as_kubeseal_does(sealed, monkeypatch, capsys, name, arguments, stdin, code):
    monkeypatch.setattr("sys.argv", [name, *(str(sealed.cert) if each == "CERT" else each for each in arguments)])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == code


def test_an_alias_says_it_in_the_environment(run, sealed, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_COMPAT", "kubeseal")
    assert run("seal", "--cert", sealed.cert, stdin="").code == 1
