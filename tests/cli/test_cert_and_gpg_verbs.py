"""plumb cert and gpg against an installation that runs: by the cluster and by the server, with what follows at once."""

import shutil
import ssl
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.source.certificates.samples import host_key, issued, pem
from tests.source.signatures.signing import exported, made
from tests.source.signatures.signing import run as ran

from plumbline.base.json import decode

from .installed import SERVER, config_map

HOST = "git.example.org"


@pytest.fixture(params=["cluster", "server"])
def either(request):
    """The command line of somebody who has a kubeconfig, and of somebody who has logged in."""
    return request.getfixturevalue("shop" if request.param == "cluster" else "served")


@pytest.fixture(scope="module")
def ann():
    """Its agent listens in the home, so that has to have a short name."""
    home = Path(tempfile.mkdtemp(prefix="plg-"))
    try:
        yield made(home, "ann")
    finally:
        ran("gpgconf", "--homedir", str(home), "--kill", "all")
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def charts(tmp_path):
    """A Helm repository behind a certificate that nobody knows, and that certificate."""
    certificate, key = issued(host="localhost")
    both = tmp_path / "both.pem"
    both.write_text(certificate + key)

    class Index(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"apiVersion: v1\nentries: {}\n")

        def log_message(self, *_): ...

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    with ThreadingHTTPServer(("localhost", 0), Index) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://localhost:{server.server_port}", certificate
        server.shutdown()


def complaints(shop, name):
    return " ".join(each["message"] for each in shop.app(name).get("status", {}).get("conditions", ()))


def refused(shop, name):
    """Whether it says that its source lacks a signature that counts."""
    return "Failed verifying revision" in complaints(shop, name)


def rows(text):
    return [line.split(None, 3) for line in text.splitlines()]


def test_host_keys_are_added_listed_replaced_and_removed(either, tmp_path):
    line = f"{HOST},[{HOST}]:2222 {host_key()}\n"
    said = either.done("cert", "add-ssh", "--batch", stdin=f"# {HOST}:22 SSH-2.0\n{line}")
    assert said == (
        "Enter SSH known hosts entries, one per line. Press CTRL-D when finished.\n"
        "Successfully created 2 SSH known host entries\n"
    )
    header, *found = rows(either.done("cert", "list", "--cert-type", "ssh", "--hostname-pattern", f"*{HOST}*"))
    assert header == ["HOSTNAME", "TYPE", "SUBTYPE", "INFO"]
    assert [row[:3] for row in found] == [[f"[{HOST}]:2222", "ssh", "ssh-ed25519"], [HOST, "ssh", "ssh-ed25519"]]
    assert all(row[3].startswith("SHA256:") for row in found)
    assert len(rows(either.done("cert", "list"))) > 10, "those of the large forges stay"
    other = tmp_path / "hosts"
    other.write_text(f"{HOST} {host_key(1)}\n")
    refused = either("cert", "add-ssh", "--batch", "--from", other)
    assert refused.code == 6
    assert "already exists, and upsert was not specified" in refused.err
    done = either.done("cert", "add-ssh", "--batch", "--from", other, "--upsert")
    assert (
        done == f"Reading SSH known hosts entries from file '{other}'\nSuccessfully created 1 SSH known host entries\n"
    )
    gone = either.done("cert", "rm", f"*{HOST}*", "--cert-sub-type", "ssh-ed25519").splitlines()
    assert sorted(gone) == [
        f"Removed cert for '[{HOST}]:2222' of type 'ssh' (subtype 'ssh-ed25519')",
        f"Removed cert for '{HOST}' of type 'ssh' (subtype 'ssh-ed25519')",
    ]
    again = either.done("cert", "rm", HOST)
    assert again == "No certificates were removed (none matched the given pattern)\n"


def test_certificates_are_added_listed_and_removed(either):
    said = either.done("cert", "add-tls", HOST, stdin=pem() + pem(1) + pem())
    assert "WARNING: Duplicate certificate detected (SHA256 fingerprint " in said
    assert said.endswith(
        f"Created/updated TLS certificate entry for repository server {HOST} with 2 unique PEM certificates\n"
    )
    _, *found = rows(either.done("cert", "list", "--cert-type", "https", "--sort", "type"))
    assert found == [[HOST, "https", "ecdsa", "CN=git.example.org,O=Example,C=DE"]] * 2
    (one, _) = decode(either.done("cert", "list", "--cert-type", "https", "-o", "json"))
    assert one == {
        "serverName": HOST,
        "certType": "https",
        "certSubType": "ecdsa",
        "certData": None,
        "certInfo": "CN=git.example.org,O=Example,C=DE",
    }
    assert either("cert", "add-tls", HOST, stdin=pem(2)).code == 6
    either.done("cert", "add-tls", HOST, "--upsert", stdin=pem(2))
    gone = either.done("cert", "rm", HOST, "--cert-type", "https")
    assert gone == f"Removed cert for '{HOST}' of type 'https' (subtype '')\n"
    assert either.done("cert", "list", "--cert-type", "https", "-o", "json") == "[]\n"


def test_a_server_is_believed_as_soon_as_its_certificate_is_added(either, charts):
    address, certificate = charts
    add = ("repo", "add", address, "--type", "helm", "--name", "charts")
    refused = either(*add)
    assert refused.code == 3
    assert "certificate" in refused.err
    either.done("cert", "add-tls", "localhost", stdin=certificate)
    either.until(lambda: either(*add).code == 0, within_s=5)
    either.done("repo", "rm", address)
    either.done("cert", "rm", "localhost")
    either.until(lambda: either(*add, "--upsert").code == 3, within_s=5)


@pytest.mark.parametrize(
    "kind", [("--helm-chart", "shop", "--revision", "1.0.0"), ("--path", "shop")], ids=["chart", "git"]
)
def test_an_application_that_waits_for_a_certificate_goes_on_as_soon_as_it_is_added(shop, charts, kind):
    address, certificate = charts
    shop.done("app", "create", "waiting", "--repo", address, *kind, "--dest-server", SERVER, "--dest-namespace", "default", "--validate=false")  # fmt: skip
    try:
        shop.until(lambda: "certificate" in complaints(shop, "waiting"))
        shop.done("cert", "add-tls", "localhost", stdin=certificate)
        shop.until(lambda: "certificate" not in complaints(shop, "waiting"), within_s=10)
        assert complaints(shop, "waiting"), "what was fetched is no such chart, and no repository"
    finally:
        shop.done("cert", "rm", "localhost")
        shop.done("app", "delete", "waiting", "--yes", "--wait")


def test_keys_are_added_listed_shown_and_removed(either, ann, tmp_path):
    file = tmp_path / "ann.asc"
    file.write_text(exported(ann))
    assert either.done("gpg", "add", "--from", file) == "Created 1 key(s) from input file.\n"
    assert either.done("gpg", "add", "-f", file) == (
        "Created 0 key(s) from input file, and 1 key(s) were skipped because they exist already.\n"
    )
    header, row = rows(either.done("gpg", "list"))
    assert header == ["KEYID", "TYPE", "IDENTITY"]
    assert row == [ann.id, "ED25519", "ann", "<ann@example.org>"]
    assert either.done("gpg", "get", ann.id) == (
        f"Key ID:          {ann.id}\nKey fingerprint: {ann.fingerprint}\nKey subtype:     ED25519\n"
        f"Key owner:       ann <ann@example.org>\nKey data follows until EOF:\n{exported(ann)}"
    )
    assert "keyData" not in either.done("gpg", "list", "-o", "json")
    assert decode(either.done("gpg", "get", ann.fingerprint, "-o", "json"))["keyData"] == exported(ann).rstrip("\n")
    assert either.done("gpg", "rm", ann.id) == f"Deleted key with key ID {ann.id}\n"
    assert either("gpg", "rm", ann.id).code == 5
    assert either("gpg", "get", ann.id).code == 5


def test_an_application_goes_on_as_soon_as_the_key_of_whoever_signed_is_added(shop, installed, ann, tmp_path):
    repo = "https://git.example.org/shop.git"
    shop.done("proj", "create", "signed", "--src", "*", "--dest", f"{SERVER},*")
    shop.done("proj", "add-signature-key", "signed", ann.id)
    installed.push({"signed/a.yaml": config_map("signed")})
    sign = ("-c", f"user.signingkey={ann.fingerprint}", "-c", "gpg.program=" + str(tmp_path / "gpg"))
    (tmp_path / "gpg").write_text(f'#!/bin/sh\nexec gpg --homedir {ann.home} "$@"\n')
    (tmp_path / "gpg").chmod(0o755)
    installed.git("-C", installed.checkout, *sign, "commit", "--quiet", "--allow-empty", "-S", "--message", "signed")
    installed.push_as_it_is()
    to = ("--dest-server", SERVER, "--dest-namespace", "default")
    shop.done("app", "create", "signed", "--project", "signed", "--repo", repo, "--path", "signed", "--revision", "main", *to)  # fmt: skip
    try:
        shop.until(lambda: refused(shop, "signed"))
        file = tmp_path / "ann.asc"
        file.write_text(exported(ann))
        shop.done("gpg", "add", "--from", file)
        shop.until(lambda: not refused(shop, "signed"), within_s=10)
        shop.done("gpg", "rm", ann.id)
        shop.until(lambda: refused(shop, "signed"), within_s=10)
    finally:
        shop.done("app", "delete", "signed", "--yes", "--wait")
        shop.done("proj", "delete", "signed")


@pytest.mark.parametrize(
    ("args", "stdin", "code", "argocds"),
    [
        (("cert", "add-ssh"), "", 2, 20),
        (("cert", "add-ssh", "--batch"), "# nothing\n", 2, 20),
        (("cert", "add-ssh", "--batch"), "a ssh-ed25519 AAAA\n", 2, 20),
        (("cert", "add-ssh", "--batch", "--from", "/nonexistent"), "", 2, 20),
        (("cert", "add-tls"), "", 2, 1),
        (("cert", "add-tls", HOST), "nothing", 2, 0),
        (("cert", "add-tls", "a/b"), pem(), 2, 20),
        (("cert", "list", "--cert-type", "gpg"), "", 2, 1),
        (("cert", "rm"), "", 2, 1),
        (("cert", "rm", "*"), "", 2, 20),
        (("gpg", "get"), "", 2, 20),
        (("gpg", "get", "ann"), "", 2, 20),
        (("gpg", "rm"), "", 2, 20),
        (("gpg", "add"), "", 2, 20),
        (("gpg", "add", "--from", "/nonexistent"), "", 2, 20),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_says_so_and_has_argocds_code_under_its_name(shop, monkeypatch, args, stdin, code, argocds):
    assert shop(*args, stdin=stdin).code == code
    monkeypatch.setenv("PLUMBLINE_COMPAT", "argocd")
    assert shop(*args, stdin=stdin).code == argocds
