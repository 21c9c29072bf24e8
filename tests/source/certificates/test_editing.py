"""What is listed, added and removed of host keys and certificates, and what is refused."""

import hashlib
import subprocess

import pytest
from tests.source.certificates.samples import host_key, issued, pem

from plumbline.base.errors import AlreadyExists, InvalidInput, LimitExceeded
from plumbline.source.certificates import Certificate, Kept, Selector, added, certificates_in, listed, removed
from plumbline.source.certificates import unique_blocks as unique

COMMENTED = "# checked by ann\n"


def line(host, number=0):
    return f"{host} {host_key(number)}\n"


def tls(server="git.example.org", number=0):
    return Certificate(server, "https", content=pem(number))


def servers(found):
    return [(each.server, each.type) for each in found]


def test_host_keys_are_listed_with_the_fingerprint_that_ssh_shows(tmp_path):
    (one,) = listed(Kept(COMMENTED + line("[git.example.org]:2222")), Selector())
    assert (one.server, one.type, one.subtype, one.content) == ("[git.example.org]:2222", "ssh", "ssh-ed25519", "")
    tmp_path.joinpath("key.pub").write_text(host_key())
    shown = subprocess.run(["ssh-keygen", "-l", "-f", tmp_path / "key.pub"], capture_output=True, text=True, check=True)
    assert one.about == shown.stdout.split()[1]


def test_certificates_are_listed_by_whom_they_are_for():
    found = listed(Kept("", {"git.example.org": pem(1) + "\n" + pem(2)}), Selector())
    assert [(each.subtype, each.about) for each in found] == [("ecdsa", "CN=git.example.org,O=Example,C=DE")] * 2
    broken = pem().replace("MII", "XII", 1)
    (one,) = listed(Kept("", {"git.example.org": broken}), Selector())
    assert (one.subtype, one.about) == ("invalid", "could not parse X509 data from input")


@pytest.mark.parametrize(
    ("selector", "hosts", "why"),
    [
        (Selector(), ["a.example.org", "[a.example.org]:22", "a.example.org"], "all"),
        (Selector("*.example.org"), ["a.example.org", "a.example.org"], "a star"),
        (Selector("[a.*]:22"), ["[a.example.org]:22"], "brackets mean themselves"),
        (Selector("", "ssh"), ["a.example.org", "[a.example.org]:22"], "one type"),
        (Selector("", "tls"), ["a.example.org"], "its other name"),
        (Selector("", "ssh", "ssh-rsa"), [], "another kind of key"),
        (Selector("", "ssh", "*"), ["a.example.org", "[a.example.org]:22"], "every kind"),
        (Selector("", "gpg"), [], "no type at all"),
        (Selector("example.org"), [], "the whole name counts"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_those_are_listed_and_removed_that_are_meant(selector, hosts, why):
    kept = Kept(COMMENTED + line("a.example.org") + line("[a.example.org]:22"), {"a.example.org": pem()})
    assert [each.server for each in listed(kept, selector)] == hosts
    after, gone = removed(kept, selector)
    assert [each.server for each in gone] == hosts
    assert len(listed(after, Selector())) == 3 - len(hosts)
    assert after.known_hosts.startswith(COMMENTED)


def test_what_is_new_is_added_and_what_is_there_stays():
    wanted = [*certificates_in(line("a.example.org,b.example.org")), tls()]
    kept, new = added(Kept(COMMENTED), wanted, upsert=False)
    assert servers(new) == [("a.example.org", "ssh"), ("b.example.org", "ssh"), ("git.example.org", "https")]
    assert kept.known_hosts == COMMENTED + line("a.example.org") + line("b.example.org")
    assert added(kept, wanted, upsert=False) == (kept, [])


@pytest.mark.parametrize(
    ("before", "other"),
    [
        (Kept(line("a.example.org")), certificates_in(line("a.example.org", 1))),
        (Kept("", {"git.example.org": pem()}), [tls(number=1)]),
    ],
    ids=["ssh", "https"],
)
def test_what_differs_is_replaced_only_where_that_is_asked_for(before, other):
    with pytest.raises(AlreadyExists, match="upsert was not specified"):
        added(before, other, upsert=False)
    after, new = added(before, other, upsert=True)
    assert len(new) == len(listed(after, Selector())) == 1
    assert after != before


@pytest.mark.parametrize(
    ("server", "content", "why"),
    [
        ("", "", "no host"),
        ("a b", "", "two words"),
        ("a\nb", "", "two lines"),
        ("[git.example.org]:8443", "", "with a port"),
        ("https://git.example.org", "", "an address"),
        ("git.example.org/../x", "", "a path"),
        ("a" * 254, "", "too long"),
        ("git.example.org", "nothing", "no PEM"),
        ("git.example.org", "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n", "no certificate"),
        ("git.example.org", "-----BEGIN CERTIFICATE-----\n" + "QUJD\n" * 200, "no end"),
    ],
    ids=lambda value: value[:20],
)
def test_certificates_that_are_none_are_refused(server, content, why):
    with pytest.raises(InvalidInput):
        added(Kept(), [Certificate(server, "https", content=content or pem())], upsert=True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"a,,b {host_key()}", "a host without a name"),
        (f"a;b {host_key()}", "something else than a host"),
        (f"a {host_key().replace('ssh-ed25519', 'ssh-rsa')}", "another kind than the key has"),
        ("a ssh-ed25519 AAAA", "half a key"),
        ("a ssh-ed25519 %%%", "no base64"),
        (f"a {host_key()[:-8]}", "a key that was cut"),
        (f"@revoked a {host_key()}", "a revocation"),
        (f"a {host_key()} {'x' * 20_000}", "a line without end"),
    ],
    ids=lambda value: value[:10],
)
def test_host_keys_that_are_none_are_refused(text, why):
    with pytest.raises(InvalidInput):
        certificates_in(text)


@pytest.mark.parametrize("content", [f"{host_key().split()[1]}\nevil.example.org {host_key(1)}", "AAAA", ""])
def test_a_key_brings_no_lines_of_its_own(content):
    with pytest.raises(InvalidInput):
        added(Kept(), [Certificate("a", "ssh", "ssh-ed25519", content)], upsert=True)


def test_the_number_and_size_of_entries_is_bounded():
    with pytest.raises(LimitExceeded):
        certificates_in("".join(line(f"h{number}") for number in range(257)))
    with pytest.raises(LimitExceeded):
        certificates_in(line(",".join(["h"] * 100_000)))
    with pytest.raises(LimitExceeded):
        unique(pem() * 257)
    with pytest.raises(LimitExceeded):
        added(Kept("#" * 1_000_000 + "\n"), certificates_in(line("a")), upsert=False)
    with pytest.raises(InvalidInput, match="unknown certificate type"):
        added(Kept(), [Certificate("a", "ftp")], upsert=False)


def test_lines_of_others_stay_and_can_be_removed():
    authority = f"@cert-authority *.example.org {host_key()}\n"
    kept = Kept(f"{COMMENTED}half a\n{authority}|1|c2FsdA==|aGFzaA== {host_key()}\n")
    assert [each.server for each in listed(kept, Selector())] == [
        "@cert-authority *.example.org",
        "|1|c2FsdA==|aGFzaA==",
    ]
    after, gone = removed(kept, Selector("@cert-authority *"))
    assert len(gone) == 1
    assert after.known_hosts == kept.known_hosts.replace(authority, "")
    broken = Kept("", {"git.example.org": "no certificate"})
    assert removed(broken, Selector("git.example.org")).kept == Kept()


def test_a_certificate_that_comes_twice_is_kept_once():
    found = unique(f"text between\n{pem(1)}{pem(2)}\r\n{pem(1)}")
    assert found.blocks == [pem(1), pem(2)]
    ((fingerprint, subject),) = found.doubles
    assert subject == "CN=git.example.org,O=Example,C=DE"
    assert len(fingerprint) == len(hashlib.sha256().hexdigest())
    assert unique("nothing").blocks == []


def test_a_subject_is_spelled_as_go_spells_it():
    from cryptography.x509.oid import NameOID  # noqa: PLC0415 - only here

    made, _ = issued(
        (NameOID.COMMON_NAME, "first"),
        (NameOID.EMAIL_ADDRESS, "ann@example.org"),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, "b"),
        (NameOID.ORGANIZATION_NAME, '#A, "B" '),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, "a"),
        (NameOID.COMMON_NAME, "git"),
        (NameOID.SERIAL_NUMBER, "7"),
        (NameOID.TITLE, "Dr"),
    )
    (one,) = listed(Kept("", {"a": made}), Selector())
    email, title = "0c0f" + b"ann@example.org".hex(), "1302" + b"Dr".hex()
    assert one.about == (
        rf"SERIALNUMBER=7,CN=git,OU=b+OU=a,O=\#A\, \"B\"\ ,2.5.4.12=#{title},1.2.840.113549.1.9.1=#{email}"
    )
