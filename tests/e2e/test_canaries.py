"""A value is in Git, in its store and in its Secret, and nowhere else, whatever goes wrong."""

import base64
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbline.base.environment import environment
from plumbline.base.json import encode
from plumbline.secrets.sealing import key_secret, made_key

from .canaries import Canary, Sink, leaks, sinks_of
from .installation import FORGE, Desk, application
from .secretive import (
    SEALED,
    certificate,
    deployment,
    external,
    files,
    of_namespace,
    readable,
    renamed,
    sealed,
    secret,
    store,
    values,
)
from .watching import APP, BUGGY, EXTERNALS, Planted, Watched, vault

pytestmark = pytest.mark.conformance

VAULT, PLAIN = "canary-vault", "plain"
INFRA = "https://git.example.org/infra"
MODULE = """
variable "key" {
  sensitive = true
}
resource "terraform_data" "key" {
  input = var.key
}
output "key" {
  value     = terraform_data.key.output
  sensitive = true
}
"""


@pytest.fixture(scope="module")
def planted():
    return Planted()


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    place = Watched(tmp_path_factory.mktemp("canaries") / "data")
    place.start()
    place.stand_for("shop", FORGE)
    yield place
    place.stop()


@pytest.fixture(scope="module")
def desk(watched):
    return Desk(watched.folder.parent / "shop", f"{watched.web}/git/shop.git")


@pytest.fixture(scope="module")
def sinks(watched, desk, planted):
    """Everything goes wrong that can, and then everything is collected."""
    with vault(planted) as url:
        told = list(_unsealed(watched, planted))
        told += _fetched(watched, planted, url)
        for each in told:
            watched.until(each)
        _delivered(watched, desk, planted)
        _applied(watched, planted)
        _rotated(watched, desk, planted)
        _crashed(watched, planted)
        _asked(watched, desk)
        before = sinks_of(watched, watched.temporary, watched.home)
        watched.kill()
        watched.before = ""
        watched.start()
        watched.until(lambda: values(watched, APP, "good").get("x") == planted.text("sealed"))
        _asked(watched, desk)
        time.sleep(2)
        return [*before, *sinks_of(watched, watched.temporary, watched.home), *watched.printed]


def said(watched, path, word, type_="Synced", status="False"):
    """Whether a condition is so, and says *word*."""

    def so():
        conditions = ((watched.live(path) or {}).get("status") or {}).get("conditions", ())
        found = next((each for each in conditions if each["type"] == type_), {})
        text = f"{found.get('reason', '')} {found.get('message', '')}".lower()
        return found.get("status") == status and word in text

    so.__name__ = f"{path} {type_}={status} {word}"
    return so


def _unsealed(watched, planted):
    """SealedSecrets that open, and some that do not get further, each for another reason."""
    recipient = certificate(watched)
    watched.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": APP}})

    def made(name, way, **template):
        return sealed(recipient, secret(name, APP, x=planted.text(way)), **template)

    watched.apply(
        secret("conflicting", APP, x=planted.text("somebody's own Secret")),
        {**secret("fixed", APP, x=planted.text("immutable Secret")), "immutable": True},
    )
    mine = {"metadata": {"annotations": {"sealedsecrets.bitnami.com/managed": "true"}}}
    watched.patch(f"/api/v1/namespaces/{APP}/secrets/fixed", mine, "application/merge-patch+json")
    docker = {"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "{{ .x }}"}}
    bad = {
        "failing": ("template that fails", {"data": {"y": "{{ fail .x }}"}}, ""),
        "indexing": ("template that trips", {"data": {"y": "{{ index .x 3 4 }}"}}, ""),
        "counting": ("template with a number", {"data": {"y": '{{ .x | regexFind "(" }}'}}, ""),
        "typed": ("Secret that the API server refuses", docker, ""),
        "conflicting": ("conflict", {}, "already exists"),
        "fixed": ("update of what is immutable", {}, "immutable"),
        "crashing": ("bug of the controller", {}, "unforeseen"),
    }
    for name, (way, template, word) in bad.items():
        watched.apply(made(name, way, **template))
        yield said(watched, f"{SEALED.format(APP)}/{name}", word)
    watched.apply(made("good", "sealed"), made("planted", "planted"))
    watched.apply(renamed(made("elsewhere", "sealed for another name"), name="undecryptable"))
    yield said(watched, f"{SEALED.format(APP)}/undecryptable", "no key")
    yield lambda: values(watched, APP, "good").get("x") == planted.text("sealed")
    yield lambda: values(watched, APP, "planted")


def _fetched(watched, planted, url):
    """ExternalSecrets from two stores; in one of them every answer is bad in its own way."""
    watched.apply(*readable(VAULT, APP))
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader", "namespace": APP}}
    token = secret("vault-token", APP, token=f"hvs.{planted['token of a Vault'].core}")
    watched.apply(account, token)
    for name in ("fetched", "untemplated", "undecodable", "parted"):
        watched.apply(secret(name, VAULT, password=planted.text(f"store: {name}")))
    auth = {"tokenSecretRef": {"name": "vault-token", "key": "token"}}
    stores = (
        store("here", of_namespace(VAULT)),
        store("vault", {"vault": {"server": url, "path": "secret", "auth": auth}}),
    )
    failing = {"template": {"data": {"y": "{{ fail .password }}"}}}
    undecodable = {"key": "undecodable", "property": "password", "decodingStrategy": "Base64"}
    objects = [
        external("fetched", "here"),
        external("untemplated", "here", target=failing),
        external("undecodable", "here", data=[{"secretKey": "password", "remoteRef": undecodable}]),
        external("parted", "here", data=[{"secretKey": "x", "remoteRef": {"key": "parted", "property": "password.x"}}]),
        external("taken", "here", dataFrom=[{"extract": {"key": "parted", "property": "password"}}], data=[]),
        external("fine", "vault"),
        external("garbled", "vault"),
        external("shapeless", "vault"),
        external("refused", "vault"),
    ]
    for each in (*stores, *objects):
        watched.apply(renamed(each, namespace=APP))
    fine = {"fetched": "store: fetched", "fine": "vault fine"}
    for name, way in fine.items():
        yield lambda name=name, way=way: values(watched, APP, name).get("password") == planted.text(way)
    for each in objects:
        if (name := each["metadata"]["name"]) not in fine:
            yield said(watched, f"{EXTERNALS.format(APP)}/{name}", "", "Ready")


def _delivered(watched, desk, planted):
    """Plain Secrets in Git, well-formed and not; one differs from what is there."""
    plain = secret("plain", PLAIN, x=planted.text("plain Secret in Git"))
    undecodable = {**secret("undecodable", PLAIN), "data": {"x": planted["Secret that is no base64"].text}}
    typed = {**secret("typed", PLAIN, **{".dockerconfigjson": planted.text("Secret of a wrong type")})}
    typed["type"] = "kubernetes.io/dockerconfigjson"
    numbered = {**secret("numbered", PLAIN), "stringData": {"x": [planted.text("Secret with a list")]}}
    broken = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: broken}}\nstringData: {{x: {planted['broken YAML'].core}: [}}\n"
    for name, objects in {"plain": [plain], "refused": [undecodable, typed, numbered]}.items():
        desk.push(files(name, *objects))
    desk.push({"broken/broken.yaml": broken})
    for name in ("plain", "refused", "broken"):
        watched.apply(application(name, namespace=PLAIN))
    watched.synced("plain", desk.head)
    changed = secret("plain", PLAIN, x=planted.text("changed Secret in Git"))
    watched.apply(application("plain", namespace=PLAIN, automated=False))
    desk.push(files("plain", changed, deployment("api", "plain")))
    watched.until(lambda: watched.app("plain")["status"]["sync"]["status"] == "OutOfSync")
    watched.until(lambda: (watched.app("refused").get("status") or {}).get("operationState"))
    watched.until(lambda: (watched.app("broken").get("status") or {}).get("conditions"))


def _applied(watched, planted):
    """A variable of Terraform that becomes a sensitive output, with a resource in between.

    The repository is another: files of one that Terraform is applied from are packed up as they are.
    """
    watched.stand_for("infra", INFRA)
    Desk(watched.folder.parent / "infra", f"{watched.web}/git/infra.git").push({"module/main.tf": MODULE})
    source = {"kind": "GitRepository", "name": "infra"}
    spec = {"url": INFRA, "ref": {"branch": "main"}, "interval": "1h"}
    repository = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "spec": spec}
    repository["metadata"] = {"name": "infra", "namespace": APP}
    path = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{APP}/gitrepositories"
    assert watched.post(path, repository).fine
    watched.apply(secret("variables", APP, key=planted.text("variable of Terraform")))
    wanted = {
        "path": "./module",
        "sourceRef": source,
        "approvePlan": "auto",
        "interval": "1h",
        "varsFrom": [{"kind": "Secret", "name": "variables"}],
        "writeOutputsToSecret": {"name": "outputs"},
    }
    metadata = {"name": "module", "namespace": APP}
    watched.apply(
        {"apiVersion": "infra.contrib.fluxcd.io/v1alpha2", "kind": "Terraform", "metadata": metadata, "spec": wanted}
    )
    watched.until(lambda: values(watched, APP, "outputs").get("key") == planted.text("variable of Terraform"))


def _rotated(watched, desk, planted):
    """Another key comes, and values are sealed with it; neither it nor the one before is seen."""
    keys = "/api/v1/namespaces/kube-system/secrets"
    listed = watched.get(keys, labelSelector="sealedsecrets.bitnami.com/sealed-secrets-key").body["items"]
    key = made_key(datetime.now(UTC), size=2048)
    another = key_secret(key, namespace="kube-system", name="sealed-secrets-key-another")
    before = certificate(watched)
    assert watched.post(keys, another).fine
    watched.until(lambda: certificate(watched).fingerprint != before.fingerprint)
    for number, each in enumerate([*listed, another]):
        body = base64.b64decode(each["data"]["tls.key"]).decode().splitlines()[5]
        way = f"sealing key {number}"
        planted[way] = Canary(way, body)
    desk.push(files("sealed", sealed(before, secret("kept", APP, x=planted.text("sealed again")))))


def _crashed(watched, planted):
    """A bug, whose text is a value."""
    wanted = encode(secret("bug", APP, x=planted.text("bug of a command"))).decode()
    for options in ((), ("--verbose",)):
        said = watched.plumb("seal", *options, stdin=wanted, program=BUGGY)
        assert said.code == 70, said.err
    assert list((watched.home / "crashes").glob("*.txt"))


def _asked(watched, desk):
    """What people type."""
    for app in ("plain", "refused", "broken"):
        for verb in ("get", "diff", "manifests", "resources", "history"):
            watched.plumb("app", verb, app)
        watched.plumb("app", "get", app, "-o", "json", "--show-operation")
        watched.plumb("app", "manifests", app, "--source", "live")
        for verb in ("why", "tree"):
            watched.plumb(verb, f"app/{app}", "-n", "argocd")
    for kind, name in (("sealedsecret", "failing"), ("externalsecret", "untemplated"), ("secret", "good")):
        for verb in ("why", "tree", "health"):
            watched.plumb(verb, f"{kind}/{name}", "-n", APP)
    watched.plumb("diff", "-n", PLAIN, "-f", str(desk.folder / "plain"))
    watched.plumb("app", "sync", "refused", "--dry-run")
    watched.plumb("secret", "rotate", "--dry-run", str(desk.folder / "sealed"))
    watched.plumb("secret", "rotate", "--dry-run", "-o", "json", str(desk.folder / "sealed"))
    for verb in ("show", "plan", "output", "logs"):
        watched.plumb("tf", verb, "module", "-n", APP)
    watched.plumb("keys", "list")


def test_nothing_is_anywhere_but_where_it_belongs(sinks, planted):
    canaries = [each for way, each in planted.items() if way != "planted"]
    assert len(canaries) > 25
    found = leaks(canaries, sinks)
    assert not found, "\n".join(map(str, found))


def test_the_search_looks_everywhere(sinks):
    looked_at = {sink.where.partition(" ")[0].partition(":")[0] for sink in sinks if sink.content}
    assert looked_at >= {
        "/api/v1/events",
        "/api/v1/secrets",
        "/apis/argoproj.io/v1alpha1/applications",
        "/apis/bitnami.com/v1alpha1/sealedsecrets",
        "/apis/external-secrets.io/v1/externalsecrets",
        "/metrics",
        "cmdline",
        "data/journal.db",
        "data/plumb.log",
        "plumb",
    }
    for folder in (".plumbline/crashes/", "data/terraform/runs/", "data/artifacts/"):
        assert any(sink.where.startswith(folder) for sink in sinks)
    assert any("journal_entries" in sink.where and APP.encode() in sink.content for sink in sinks)
    assert any(b'"level":"debug"' in sink.content for sink in sinks if sink.where == "data/plumb.log")


def test_what_a_bug_would_write_is_found(sinks, planted):
    """One value is written down on purpose, as it lies in the Secret. It is found where that was, and nowhere else."""
    found = leaks([planted["planted"]], sinks)
    assert {each.where for each in found} == {"data/plumb.log"}
    assert any(form.startswith("base64") for each in found for form in each.forms)


@pytest.mark.parametrize("form", Canary("any").forms)
def test_every_form_is_found(form):
    canary = Canary("any")
    sink = Sink("a log", b"something is " + canary.forms[form] + b" here")
    assert form in leaks([canary], [sink])[0].forms
    assert not leaks([Canary("another")], [sink])


def test_values_within_something_larger_are_found():
    canary = Canary("any")
    body = encode({"kind": "Secret", "data": {"x": base64.b64encode(canary.text.encode()).decode()}})
    for padding in range(4):
        outer = base64.b64encode(b" " * padding + body)
        assert leaks([canary], [Sink("an annotation", outer)]), padding


def test_the_folder_for_temporary_files_is_the_one_looked_at(watched):
    said = watched.shell([sys.executable, "-c", "import tempfile; print(tempfile.gettempdir())"])
    assert Path(said.out.strip()) == watched.temporary
    assert environment().get("TMPDIR") != str(watched.temporary)
