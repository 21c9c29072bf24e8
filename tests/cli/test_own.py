"""plumb own: files side by side offline, and a cluster asked who owns what."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plumbline.base.errors import OwnedElsewhere, OwnerSide
from plumbline.base.json import decode, encode
from plumbline.cli.exits import Exit, exit_of

HCL = """\
resource "aws_db_instance" "main" {
  identifier = "orders"
}
resource "aws_sqs_queue" "open" {
  name = var.open
}
"""
MANAGED = """\
apiVersion: rds.aws.upbound.io/v1beta3
kind: Instance
metadata:
  name: orders
spec:
  forProvider:
    identifier: orders
    region: us-east-1
"""
POLICY = """\
apiVersion: plumbline.dev/v1alpha1
kind: Boundary
metadata: {name: platform}
spec:
  rules:
    - name: databases
      reason: Teams ask for databases themselves.
      external: [aws_db_instance]
      engines: [crossplane]
"""
CONFLICT = """\
✗ aws_db_instance/orders (us-east-1) has 2 owners
    Terraform infra                                       infra/main.tf:1   aws_db_instance.main
    managed resource Instance.rds.aws.upbound.io/orders   apps/db.yaml:7    spec.forProvider.identifier
    Keep one of them:
      Terraform: put a `removed` block with `destroy = false` in place of the resource block, and apply
      Crossplane: set spec.managementPolicies to ["Observe"], or delete it with deletionPolicy Orphan
"""
VIOLATION = """\
✗ aws_db_instance/orders breaks rule databases: only crossplane may own it, and Terraform infra claims it
    Terraform infra   infra/main.tf:1   aws_db_instance.main
    .plumbline/boundaries.yaml:6  Teams ask for databases themselves.
"""


@pytest.fixture
def repo(tmp_path, monkeypatch):
    root = tmp_path / "repo"

    def write(**files):
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return root

    write(**{".git/config": "", "infra/main.tf": HCL, "apps/db.yaml": MANAGED})
    monkeypatch.chdir(root)
    return write


def test_a_second_owner_is_found_with_both_places_and_a_way_out(run, repo):
    said = run("own", "check")
    assert said.out == CONFLICT
    assert said.code == Exit.NO
    assert said.err == "1 id cannot be read from the files; -v names them.\n1 conflict in 4 resources of 3 owners.\n"


def test_files_without_a_conflict_pass_and_say_so(run, repo):
    said = run("own", "check", "infra")
    assert (said.code, said.out) == (Exit.DONE, "")
    assert said.err.endswith("No resource has two owners: 2 resources of 1 owner.\n")


def test_the_policy_of_the_checkout_is_used_wherever_one_stands(run, repo, monkeypatch):
    root = repo(**{".plumbline/boundaries.yaml": POLICY})
    monkeypatch.chdir(root / "infra")
    said = run("own", "check", ".")
    assert (said.code, said.out) == (Exit.NO, VIOLATION)
    assert "1 violation in" in said.err


def test_another_policy_can_be_named(run, repo, tmp_path):
    repo(**{".plumbline/boundaries.yaml": POLICY})
    other = tmp_path / "other.yaml"
    other.write_text(POLICY.replace("engines: [crossplane]", "engines: [terraform]"))
    assert run("own", "check", "infra", "--policy", other).code == Exit.DONE
    other.write_text(POLICY.replace("engines", "engine"))
    said = run("own", "check", "infra", "--policy", other)
    assert said.code == Exit.USAGE
    assert "error[invalid-input]" in said.err


def test_denied_by_default_is_said_without_a_rule(run, repo):
    repo(**{".plumbline/boundaries.yaml": POLICY.replace("aws_db_instance", "aws_vpc") + "  otherwise: deny\n"})
    assert "aws_db_instance/orders breaks no rule: no rule allows anybody to own it" in run("own", "check", "infra").out


def test_json_says_the_same(run, repo):
    said = run("own", "check", "-o", "json")
    found = decode(said.out)
    assert (said.code, found["passed"]) == (Exit.NO, False)
    assert [claim["source"]["file"] for claim in found["conflicts"][0]["claims"]] == ["infra/main.tf", "apps/db.yaml"]


def test_verbose_names_what_cannot_be_decided(run, repo):
    assert "▲ undecided: aws_sqs_queue/* (aws_sqs_queue.open) at infra/main.tf:4\n" in run("own", "check", "-v").err


def test_what_cannot_be_read_is_named_and_what_terraform_wrote_must_be(run, repo):
    repo(**{"apps/helm.yaml": "{{ x }}", "more/main.tf": "resource {"})
    said = run("own", "check", "apps", "more")
    assert said.code == Exit.NO
    assert "▲ not read: apps/helm.yaml:1: " in said.err
    assert "✗ not read: more/main.tf:1: a block has no end\n" in said.err
    assert "1 unreadable file in" in said.err


def test_applications_can_be_given_a_folder(run, repo):
    repo(
        **{
            "out/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
            "k8s/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        }
    )
    said = run("own", "check", "--app", "one=out", "--app", "two=k8s", "--app", "all=.")
    assert "ConfigMap/default/a has 3 owners" in said.out
    for wrong in ("one", "one=", "=out", "one=/elsewhere"):
        assert run("own", "check", "--app", wrong).code == Exit.USAGE


def test_repeats_and_leads_are_warnings(run, repo):
    repeated = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    lead = 'resource "aws_db_instance" "b" {\n  identifier = "ord${var.x}"\n}\n'
    repo(**{"k8s/a.yaml": repeated, "more/main.tf": lead})
    said = run("own", "check", "k8s", "more", "infra")
    assert said.code == Exit.DONE
    assert "▲ ConfigMap/default/a is declared 2 times by folder k8s\n" in said.out
    assert "▲ aws_db_instance/ord* (aws_db_instance.b) may turn out to be somebody else's\n" in said.out


def test_own_alone_explains_itself(run):
    said = run("own")
    assert said.code == Exit.DONE
    assert said.out == run("own", "--help").out
    assert all(verb in said.out for verb in ("check", "list", "explain", "export"))


def test_a_second_claim_is_refused_with_its_own_exit_code():
    error = OwnedElsewhere("x", holder=OwnerSide("a", "b"), claimant=OwnerSide("c", "d"))
    assert exit_of(error) == Exit.REFUSED


KINDS = {
    "v1": [("configmaps", "ConfigMap", True), ("secrets", "Secret", True), ("pods", "Pod", True)],
    "apps/v1": [("deployments", "Deployment", True)],
    "rds.aws.upbound.io/v1beta3": [("instances", "Instance", False)],
}
TRACKED = {"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:shop/web"}
OBJECTS = {
    "/apis/apps/v1/deployments": [
        {"metadata": {"name": "web", "namespace": "shop", "annotations": TRACKED, "creationTimestamp": "2026-01-01T00:00:00Z"}},
        {"metadata": {"name": "stray", "namespace": "shop", "managedFields": [{"manager": "kubectl-create"}]}},
    ],
    "/apis/rds.aws.upbound.io/v1beta3/instances": [
        {
            "metadata": {"name": "orders", "annotations": {"argocd.argoproj.io/tracking-id": "shop:rds.aws.upbound.io/Instance:shop/orders"}},
            "spec": {"forProvider": {"identifier": "orders", "region": "us-east-1"}},
        },
        {"metadata": {"name": "twin"}, "spec": {"forProvider": {"identifier": "orders"}}},
    ],
    "/api/v1/configmaps": [
        {"metadata": {"name": "kube-root-ca.crt", "namespace": "shop", "managedFields": [{"manager": "kube-controller-manager"}]}},
    ],
}  # fmt: skip
POD = {
    "kind": "PartialObjectMetadata",
    "apiVersion": "meta.k8s.io/v1",
    "metadata": {
        "name": "web-1",
        "namespace": "shop",
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u", "controller": True}
        ],
    },
}


def answer(path):
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        named = [version.split("/") for version in KINDS if "/" in version]
        groups = [{"name": g, "versions": [{"version": v}], "preferredVersion": {"version": v}} for g, v in named]
        return {"kind": "APIGroupList", "groups": groups}
    for version, kinds in KINDS.items():
        if path in {f"/api/{version}", f"/apis/{version}"}:
            listed = [
                {"name": n, "kind": k, "namespaced": s, "verbs": ["get", "list"], "singularName": k.lower()}
                for n, k, s in kinds
            ]
            return {"kind": "APIResourceList", "resources": listed}
        for name, kind, _ in kinds:
            if path in OBJECTS and path.endswith(f"{version}/{name}"):
                return {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": OBJECTS[path]}
    return POD if path == "/api/v1/namespaces/shop/pods/web-1" else None


class _Api(BaseHTTPRequestHandler):
    def do_GET(self):
        found = answer(self.path.partition("?")[0])
        code = 200 if found is not None else 403 if self.path.startswith("/api/v1/secrets") else 404
        body = encode(
            found
            or {
                "kind": "Status",
                "status": "Failure",
                "code": code,
                "message": "no",
                "reason": "Forbidden" if code == 403 else "NotFound",
            }
        )
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): ...


@pytest.fixture
def own(run, tmp_path):
    """`plumb own` with a kubeconfig that leads to a small API on loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a, namespace: shop}}]\n"
        f"clusters: [{{name: a, cluster: {{server: 'http://127.0.0.1:{server.server_port}'}}}}]\nusers: [{{name: a, user: {{}}}}]\n"
    )
    yield lambda verb, *args: run("own", verb, *args, "--kubeconfig", kubeconfig)
    server.shutdown()
    thread.join()
    server.server_close()


BOTH = "contested by 2 managed resource Instance.rds.aws.upbound.io/orders, managed resource Instance.rds.aws.upbound.io/twin"


def test_a_list_names_the_owner_at_the_end_and_whom_it_goes_through(own):
    said = own("list")
    assert said.code == Exit.DONE
    assert [line.split() for line in said.out.splitlines()] == [
        ["RESOURCE", "OWNER", "THROUGH"],
        ["Deployment.apps/shop/stray", "nobody", "(person", "kubectl-create)"],
        ["Deployment.apps/shop/web", "Application", "argocd/shop"],
        ["Instance.rds.aws.upbound.io/orders", "Application", "argocd/shop"],
        ["aws_db_instance/orders", *BOTH.split()],
        ["aws_db_instance/orders", "(us-east-1)", *BOTH.split()],
    ]  # fmt: skip
    assert said.err == "▲ not seen: Secret: no\n"


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (["--external"], ["aws_db_instance/orders", "aws_db_instance/orders"]),
        (["--unowned"], ["Deployment.apps/shop/stray"]),
        (["--owner", "*twin"], ["aws_db_instance/orders", "aws_db_instance/orders"]),
        (["--owner", "argocd/*", "-n", "shop"], ["Deployment.apps/shop/web"]),
        (["-n", "shop"], ["Deployment.apps/shop/stray", "Deployment.apps/shop/web"]),
    ],
)
def test_a_list_can_be_narrowed(own, flags, names):
    assert [line.split()[0] for line in own("list", *flags).out.splitlines()[1:]] == names


def test_a_list_for_programs(own):
    items = decode(own("list", "-o", "json").out)["items"]
    assert items[1] == {
        "resource": {
            "object": {"group": "apps", "kind": "Deployment", "namespace": "shop", "name": "web"},
            "cluster": "",
        },
        "owner": {"engine": "application", "name": "argocd/shop"},
        "through": [{"engine": "application", "name": "argocd/shop"}],
        "traces": [],
    }
    assert items[0]["traces"] == ["person kubectl-create"]


def test_a_pod_is_explained_up_to_the_application(own):
    said = own("explain", "pod/web-1")
    assert (
        said.out
        == """\
Pod/shop/web-1
  is looked after by Deployment.apps/shop/web (owner reference)
  Deployment.apps/shop/web
    owned by Application argocd/shop, says Deployment.apps/shop/web (annotation argocd.argoproj.io/tracking-id), since 2026-01-01T00:00:00Z
    Application.argoproj.io/argocd/shop
      nobody declares to own it
"""
    )


@pytest.mark.parametrize("typed", ["aws_db_instance/orders", "arn:aws:rds:us-east-1:123456789012:db:orders"])
def test_a_database_is_explained_with_both_who_claim_it(own, typed):
    said = own("explain", typed)
    assert said.code == Exit.DONE
    assert "✗ has 2 owners" in said.out
    assert "managed resource Instance.rds.aws.upbound.io/orders, says" in said.out
    assert "managed resource Instance.rds.aws.upbound.io/twin, says" in said.out


def test_an_explanation_for_programs(own):
    chain = decode(own("explain", "Deployment.apps/shop/stray", "-o", "json").out)["chain"]
    assert chain[0]["owner"] is None
    assert chain[0]["claims"][0]["strength"] == "observed"
    pod = decode(own("explain", "pod/web-1", "-o", "json").out)["chain"]
    assert pod[0]["parent"]["object"]["kind"] == "Deployment"


def test_traces_are_told_apart_from_claims(own):
    assert (
        own("explain", "deployment/stray").out
        == """\
Deployment.apps/shop/stray
  nobody declares to own it
  traces of person kubectl-create, says Deployment.apps/shop/stray (field manager kubectl-create)
"""
    )


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("pod/none", Exit.NOT_FOUND),
        ("aws_vpc/none", Exit.NOT_FOUND),
        ("frob/x", Exit.NOT_FOUND),
        ("web", Exit.USAGE),
        ("a/b/c/d", Exit.USAGE),
        ("pod/", Exit.USAGE),
    ],
)
def test_what_is_not_there_or_names_nothing_is_said(own, typed, code):
    assert own("explain", typed).code == code


def test_an_export_is_one_claim_a_line(own):
    lines = [decode(line) for line in own("export").out.splitlines()]
    assert len(lines) == 6
    assert {line["owner"]["engine"] for line in lines} == {"application", "controller", "crossplane", "person"}
