"""What is asked of the controller, through the API server."""

import pytest

from plumbline.base.json import decode, encode

from .cluster import FORBIDDEN, PROXY, SERVICE
from .sealed import CANARY, SECRET, masked

CERT = "/v1/cert.pem"
VERIFY = "/v1/verify"
ROTATE = "/v1/rotate"


def test_the_certificate_comes_through_the_service_of_the_controller(run, cluster, sealed):
    said = run("seal", "--fetch-cert")
    assert said.out.encode() == sealed.new.certificate_pem
    proxy = PROXY.format("kube-system", "sealed-secrets-controller", "http")
    assert cluster.asked == [SERVICE.format("kube-system", "sealed-secrets-controller"), proxy + CERT]


def test_it_can_be_kept_in_a_file_and_used_later(run, cluster, sealed, tmp_path):
    file = tmp_path / "kept.pem"
    assert run("seal", "--fetch-cert", "-w", file).out == ""
    assert run("seal", "--fetch-cert", "--cert", file).out == file.read_text()
    assert run("seal", "--fetch-cert", "--cert", file.as_uri()).out == file.read_text()
    assert sealed.values(run("seal", "--cert", file, stdin=SECRET).out)["user"] == "ada"


def test_without_a_certificate_the_controllers_is_used(run, cluster, sealed):
    out = run("seal", stdin=SECRET).out
    assert {key for _, key in sealed.opened(out).values()} == {sealed.new.fingerprint}


@pytest.mark.parametrize("port", ["", "web"])
def test_the_controller_may_be_elsewhere(run, cluster, sealed, monkeypatch, port):
    cluster.namespace, cluster.name, cluster.port = "security", "sealer", port
    where = ("--controller-namespace", "security", "--controller-name", "sealer")
    assert run("seal", "--fetch-cert", *where).code == 0
    monkeypatch.setenv("SEALED_SECRETS_CONTROLLER_NAMESPACE", "security")
    monkeypatch.setenv("SEALED_SECRETS_CONTROLLER_NAME", "sealer")
    assert run("seal", "--fetch-cert").code == 0
    assert cluster.asked[-1] == PROXY.format("security", "sealer", port) + CERT


def test_where_there_is_no_controller_it_says_which_flags_name_it(run, cluster):
    said = run("seal", "--fetch-cert", "--controller-name", "sealer")
    assert (said.code, said.out) == (5, "")
    assert "cannot get sealed secret service" in said.err
    assert "--controller-name" in said.err


def test_whoever_may_not_is_told(run, cluster):
    cluster.odd[CERT] = 403, encode({**FORBIDDEN, "message": "services/proxy is forbidden"})
    said = run("seal", "--fetch-cert")
    assert said.code == 4
    assert "cannot fetch certificate" in said.err
    assert "services/proxy is forbidden" in said.err


def test_nothing_is_asked_of_anybody_for_input_that_cannot_be_sealed(run, cluster):
    assert run("seal", stdin="").code == 2
    assert cluster.asked == []


def test_what_can_be_decrypted_is_valid_and_silent(run, cluster, sealed):
    good = run("seal", "--cert", sealed.old_cert, stdin=SECRET).out
    said = run("seal", "--validate", stdin=good)
    assert (said.code, said.out, said.err) == (0, "", "")


def test_each_that_cannot_be_decrypted_is_named(run, cluster, sealed):
    good = run("seal", "--cert", sealed.cert, stdin=SECRET).out
    bad = good.replace('"name": "db"', '"name": "renamed"', 1)
    said = run("seal", "--validate", stdin=bad + good + bad.replace("renamed", "again"))
    assert (said.code, said.out) == (1, "")
    assert said.err == "unable to decrypt sealed secret: renamed\nunable to decrypt sealed secret: again\n"


@pytest.mark.parametrize("mode", ["--validate", "--re-encrypt"])
def test_a_busy_controller_is_asked_again(run, cluster, sealed, mode):
    good = run("seal", "--cert", sealed.cert, stdin=SECRET).out
    cluster.busy = 3
    assert run("seal", mode, stdin=good).code == 0
    assert len([path for path in cluster.asked if VERIFY in path or ROTATE in path]) == 4


def test_one_that_stays_busy_is_given_up(run, cluster, sealed):
    good = run("seal", "--cert", sealed.cert, stdin=SECRET).out
    cluster.busy = 100
    said = run("seal", "--validate", stdin=good)
    assert said.code == 3
    assert "cannot validate sealed secret" in said.err


@pytest.mark.parametrize("upstream", [False, True], ids=["ours", "upstream's"])
@pytest.mark.parametrize("flag", ["--re-encrypt", "--rotate"])
def test_what_an_old_key_sealed_is_sealed_again(run, cluster, sealed, upstream, flag):
    cluster.upstream = upstream
    old = run("seal", "--cert", sealed.old_cert, stdin=SECRET).out
    new = run("seal", flag, stdin=old).out
    assert masked(new).startswith('{\n  "kind": "SealedSecret",\n  "apiVersion": "bitnami.com/v1alpha1",\n')
    assert sealed.opened(new) == {
        "password": (CANARY, sealed.new.fingerprint),
        "user": ("ada", sealed.new.fingerprint),
    }
    assert cluster.asked[-1].endswith(ROTATE), "kubeseal's flag seals everything again"


def test_a_file_is_sealed_again_in_place_unless_another_is_named(run, cluster, sealed, tmp_path):
    file, other = tmp_path / "sealed.yaml", tmp_path / "other.json"
    run("seal", "--cert", sealed.old_cert, "-w", file, stdin=SECRET)
    before = file.read_text()
    run("seal", "--re-encrypt", "-f", file, "-w", other)
    assert file.read_text() == before
    assert {key for _, key in sealed.opened(other.read_text()).values()} == {sealed.new.fingerprint}
    assert run("seal", "--re-encrypt", "-f", file).out == ""
    assert masked(file.read_text()).startswith("---\napiVersion")
    assert {key for _, key in sealed.opened(file.read_text()).values()} == {sealed.new.fingerprint}


def test_one_that_cannot_be_opened_is_not_sealed_again_and_its_file_stays(run, cluster, sealed, tmp_path):
    file = tmp_path / "sealed.yaml"
    run("seal", "--cert", sealed.old_cert, "-w", file, stdin=SECRET)
    file.write_text(file.read_text().replace("name: db", "name: other"))
    before = file.read_text()
    said = run("seal", "--re-encrypt", "-f", file)
    assert said.code == 3
    assert "unable to rotate secret" in said.err
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("status", "answer", "code", "words"),
    [
        (200, b"no", 3, "no JSON"),
        (200, b"[]", 3, "no SealedSecret"),
        (200, b'{"kind":"Secret"}', 3, "no SealedSecret"),
        (503, b"", 3, "cannot re-encrypt secret"),
        (500, encode({**FORBIDDEN, "code": 500, "reason": "InternalError"}), 3, "cannot re-encrypt secret"),
        (403, encode(FORBIDDEN), 4, "cannot re-encrypt secret"),
    ],
)
def test_odd_answers_are_told_apart(run, cluster, sealed, status, answer, code, words):
    cluster.odd[ROTATE] = status, answer
    said = run("seal", "--re-encrypt", stdin=run("seal", "--cert", sealed.cert, stdin=SECRET).out)
    assert said.code == code
    assert words in said.err


def test_times_of_the_server_are_not_written(run, cluster, sealed):
    obj = decode(run("seal", "--cert", sealed.cert, stdin=SECRET).out)
    obj["metadata"] |= {"generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z"}
    cluster.odd[ROTATE] = 200, encode(obj)
    assert "reationTimestamp" not in run("seal", "--re-encrypt", stdin=encode(obj)).out
