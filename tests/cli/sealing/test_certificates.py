"""Certificates: where they may come from, and which are of no use."""

import pytest

from .sealed import SECRET


@pytest.fixture
def served(cluster, sealed):
    """The same server, as any on the web."""
    cluster.odd["/cert.pem"] = 200, sealed.new.certificate_pem
    cluster.odd["/moved"] = 302, b"/cert.pem"
    cluster.odd["/circle"] = 302, b"/circle"
    cluster.odd["/away"] = 302, b"http://elsewhere.example/cert.pem"
    cluster.odd["/none"] = 404, b"no"
    cluster.odd["/large"] = 200, bytes((1 << 20) + 1)
    cluster.odd["/text"] = 200, b"hello"
    return cluster.address


@pytest.mark.parametrize("path", ["/cert.pem", "/moved", "/cert.pem?a=b"])
def test_a_certificate_may_come_from_an_address(run, served, sealed, path):
    assert sealed.values(run("seal", "--cert", served + path, stdin=SECRET).out)["user"] == "ada"


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/none", 3, "HTTP 404"),
        ("/circle", 3, "leads elsewhere"),
        ("/away", 2, "by http"),
        ("/large", 2, "too large"),
        ("/text", 2, "certificate"),
    ],
)
def test_what_an_address_has_instead_is_told(run, served, path, code, words):
    said = run("seal", "--cert", served + path, stdin=SECRET)
    assert (said.code, said.out) == (code, "")
    assert words in said.err


@pytest.mark.parametrize(
    ("cert", "code", "words"),
    [
        ("http://sealer.example/cert.pem", 2, "https"),
        ("ftp://sealer.example/cert.pem", 2, "no address"),
        ("https://", 2, "no address"),
        ("https://me:canary@sealer.example/cert.pem", 2, "https://sealer.example/cert.pem"),
        ("nowhere.pem", 5, "plumb seal --fetch-cert"),
        ("/", 2, "cannot be read"),
        ("http://127.0.0.1:1/cert.pem", 3, "no connection"),
    ],
)
def test_addresses_that_nobody_vouches_for_are_refused(run, cert, code, words):
    said = run("seal", "--cert", cert, stdin=SECRET)
    assert said.code == code
    assert words in said.err
    assert "canary@" not in said.err


def test_a_file_that_is_too_large_is_refused(run, tmp_path):
    file = tmp_path / "large.pem"
    file.write_bytes(bytes((1 << 20) + 1))
    assert "too large" in run("seal", "--cert", file, stdin=SECRET).err


def test_an_expired_certificate_seals_nothing_and_says_where_to_get_another(run, expired, tmp_path):
    file = tmp_path / "expired.pem"
    file.write_bytes(expired.certificate_pem)
    said = run("seal", "--cert", file, stdin=SECRET)
    assert (said.code, said.out) == (2, "")
    assert "failed to encrypt using an expired certificate on January 3, 2019" in said.err
    assert "--fetch-cert" in said.err


def test_a_private_key_is_no_certificate(run, sealed, tmp_path):
    file = tmp_path / "private.pem"
    file.write_bytes(sealed.new.private.reveal())
    said = run("seal", "--cert", file, stdin=SECRET)
    assert said.code == 2
    assert "PRIVATE" not in said.err
