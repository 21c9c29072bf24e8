"""Who may do what, who may grant it and who somebody is: the real server and this one give the same answers."""

import base64
import itertools
import time

import pytest

from plumbline.access.identity import Identity
from plumbline.apiserver.authentication.authenticator import Authenticator
from plumbline.apiserver.authentication.impersonation import Impersonation, wanted_identity
from plumbline.apiserver.authentication.keys import SigningKey, url_safe
from plumbline.apiserver.authentication.legacy import LegacyTokens, claims_in_secret
from plumbline.apiserver.authentication.openid import JWKS_TYPE, jwks, openid_configuration
from plumbline.apiserver.authentication.reviews import (
    local_subject_access_review,
    self_subject_access_review,
    self_subject_review,
    self_subject_rules_review,
    subject_access_review,
)
from plumbline.apiserver.authentication.tokenrequests import TokenIssuer
from plumbline.apiserver.authentication.tokens import ServiceAccountTokens
from plumbline.apiserver.rbac import Attributes, RoleWrite, aggregated, escalation_error, forbidden
from plumbline.apiserver.rbac.bootstrap import seeds
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode

from .rbac_scene import GROUP, KINDS, RBAC, Caller, Scene, account, binding, group, role, rule, spoken, user

pytestmark = pytest.mark.conformance

ISSUER = "https://kubernetes.default.svc"
HOME = "rbac-home"
AWAY = "rbac-away"

ROLES = [
    role("r-pods", rule("get,list", "", "pods"), rule("get", "", "pods/log")),
    role("r-every-sub", rule("get", "", "pods/*"), rule("get,patch", "*", "*/scale")),
    role("r-star", rule("*", "apps", "*")),
    role("r-star-verb", rule("*", "", "secrets")),
    role("r-names", rule("get,delete", "", "configmaps", names="a,b"), rule("list", "", "configmaps")),
    role("r-names-first", rule("get", "", "secrets", names="a"), rule("get", "", "secrets")),
    role("r-urls", rule("get", urls="/metrics,/logs/*,/stars**"), rule("*", urls="/any")),
    role("r-all-urls", rule("*", urls="*")),
    role("r-groups", rule("list", "apps,batch,", "jobs,deployments")),
    role("r-nothing"),
    role("r-legacy", rule("impersonate", "", "users,groups,serviceaccounts")),
    role(
        "r-extras",
        rule("impersonate", "", "users"),
        rule("impersonate", "authentication.k8s.io", "userextras/scopes", names="view"),
    ),
    role(
        "r-constrained",
        rule("impersonate:user-info", "authentication.k8s.io", "users"),
        rule("impersonate-on:user-info:list", "", "configmaps"),
        rule("impersonate:arbitrary-node", "authentication.k8s.io", "nodes", names="n1"),
        rule("impersonate-on:arbitrary-node:list", "", "configmaps"),
        rule("impersonate:serviceaccount", "authentication.k8s.io", "serviceaccounts"),
        rule("impersonate-on:serviceaccount:*", "", "configmaps"),
    ),
    role(
        "r-writer",
        rule("create,update,get", GROUP, "clusterroles,clusterrolebindings,roles,rolebindings"),
        rule("get,list", "", "pods,pods/log"),
        rule("get", "apps", "*/scale"),
        rule("delete", "", "configmaps", names="a"),
        rule("get", urls="/logs/*"),
        rule("bind", GROUP, "clusterroles", names="view"),
    ),
    role("r-escalator", rule("create,escalate,update", GROUP, "roles")),
    role("r-aggregator", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"part": "yes"}}]}),
    role("r-part-b", rule("get", "", "pods"), rule("get", "", "nodes"), labels={"part": "yes"}),
    role("r-part-a", rule("get", "", "pods"), rule("list", "", "pods"), labels={"part": "yes"}),
]
BOUND = {
    "pods": "r-pods",
    "subs": "r-every-sub",
    "star": "r-star",
    "verbs": "r-star-verb",
    "names": "r-names",
    "first": "r-names-first",
    "urls": "r-urls",
    "allurls": "r-all-urls",
    "several": "r-groups",
    "nothing": "r-nothing",
    "lost": "r-missing",
    "root": "cluster-admin",
    "boss": "cluster-admin",
    "ivan": "r-legacy",
    "ulla": "r-extras",
    "carl": "r-constrained",
    "wolf": "r-writer",
    "erik": "r-escalator",
    "lostwriter": "r-writer",
    "whole": "admin",
    "parts": "r-aggregator",
}


@pytest.fixture(scope="module")
def scene(real_controllers):
    scene = Scene(real_controllers)
    for namespace in (HOME, AWAY):
        assert real_controllers.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).status == 201
    for each in ROLES:
        scene.add("clusterroles", each)
    for name, bound in BOUND.items():
        scene.add("clusterrolebindings", binding(f"b-{name}", bound, user(name)))
    scene.add("clusterrolebindings", binding("b-lostwriter-too", "r-missing", user("lostwriter")))
    scene.add("clusterrolebindings", binding("b-group", "r-pods", user("nobody"), group("crew")))
    scene.add("clusterrolebindings", binding("b-account", "r-pods", account("robot", HOME)))
    scene.add("roles", role("r-local", rule("get", "", "pods", names="web")), HOME)
    for name, of, kind, subject in [
        ("b-local", "r-local", "Role", user("local")),
        ("b-local-cluster", "r-star", "ClusterRole", user("tenant")),
        ("b-local-account", "r-local", "Role", account("bot", HOME)),
        ("b-local-lost", "r-missing", "Role", user("locallost")),
    ]:
        scene.add("rolebindings", binding(name, of, subject, kind=kind), HOME)
    scene.add("rolebindings", binding("b-last", "r-star", user("last")), AWAY)
    wish = {"verb": "get", "group": "apps", "resource": "deployments", "namespace": AWAY}
    scene.await_seen({"user": "last", "resourceAttributes": wish})
    _await_aggregation(scene)
    scene.observe_all()
    yield scene
    scene.close()


def _await_aggregation(scene):
    """`edit` is made of `view` and `admin` of `edit`, a round each; only then do they all stay as they are."""
    until = time.monotonic() + 30
    while unfinished := _unfinished_sums(scene.cluster):
        assert time.monotonic() < until, unfinished
        time.sleep(0.1)
    for name, resource in [("whole", "bindings"), ("parts", "nodes")]:
        scene.await_seen({"user": name, "resourceAttributes": {"verb": "get", "resource": resource}})


def _unfinished_sums(cluster):
    roles = cluster.get(f"{RBAC}/clusterroles").body["items"]
    sums = [each for each in roles if each.get("aggregationRule")]
    return [each["metadata"]["name"] for each in sums if aggregated(each, roles) != each.get("rules")]


SUBJECTS = [
    *({"user": name} for name in [*BOUND, "local", "tenant", "locallost", "stranger", "system:anonymous"]),
    {"groups": ["crew"]},
    {"user": "x", "groups": ["crew"]},
    {"user": "nobody", "groups": ["other", "crew"]},
    {"user": f"system:serviceaccount:{HOME}:robot"},
    {"user": f"system:serviceaccount:{HOME}:bot"},
    {"user": "system:serviceaccount:kube-system:deployment-controller"},
    {"user": "m", "groups": ["system:masters"]},
    {"user": "a", "groups": ["system:unauthenticated"]},
]
RESOURCES = [
    {"verb": "get", "resource": "pods", "namespace": HOME},
    {"verb": "get", "resource": "pods", "namespace": HOME, "name": "web"},
    {"verb": "get", "resource": "pods", "namespace": AWAY, "name": "web"},
    {"verb": "list", "resource": "pods"},
    {"verb": "get", "resource": "pods", "subresource": "log", "namespace": HOME, "name": "p"},
    {"verb": "get", "resource": "pods", "subresource": "exec", "namespace": HOME},
    {"verb": "get", "group": "apps", "resource": "deployments", "namespace": HOME},
    {"verb": "patch", "group": "apps", "resource": "deployments", "subresource": "scale", "namespace": HOME},
    {"verb": "get", "group": "example.com", "resource": "things", "subresource": "scale", "namespace": AWAY},
    {"verb": "escalate", "group": "apps", "version": "v7", "resource": "whatever"},
    {"verb": "list", "group": "batch", "resource": "jobs", "namespace": HOME},
    {"verb": "nonsense", "resource": "secrets", "namespace": HOME},
    {"verb": "get", "resource": "secrets", "namespace": HOME, "name": "a"},
    {"verb": "get", "resource": "configmaps", "namespace": HOME, "name": "a"},
    {"verb": "get", "resource": "configmaps", "namespace": HOME, "name": "c"},
    {"verb": "list", "resource": "configmaps", "namespace": HOME, "name": "c"},
    {"verb": "*", "group": "*", "resource": "*", "namespace": "*"},
    {"verb": "get"},
    {},
]
PATHS = [
    {"verb": "get", "path": "/metrics"},
    {"verb": "get", "path": "/metrics/"},
    {"verb": "get", "path": "/logs/x/y"},
    {"verb": "get", "path": "/logs"},
    {"verb": "get", "path": "/stars/and/stripes"},
    {"verb": "post", "path": "/any"},
    {"verb": "get", "path": ""},
    {},
]


def test_every_decision_and_its_reason_is_the_same(scene):
    differing, asked = [], 0
    wishes = [{"resourceAttributes": wish} for wish in RESOURCES] + [{"nonResourceAttributes": wish} for wish in PATHS]
    for subject, wish in itertools.product(SUBJECTS, wishes):
        asked += 1
        ours = subject_access_review({"spec": subject | wish}, scene.authorizer)["status"]
        theirs = scene.review(subject | wish)
        if ours != theirs:
            differing.append((subject, wish, ours, theirs))
    assert differing == []
    assert asked > 700


REFUSED_REQUESTS = [
    ("GET", f"/api/v1/namespaces/{HOME}/pods", {"verb": "list", "resource": "pods", "namespace": HOME}),
    ("GET", "/api/v1/pods", {"verb": "list", "resource": "pods"}),
    ("GET", "/api/v1/nodes?watch=1", {"verb": "watch", "resource": "nodes"}),
    ("GET", "/api/v1/nodes/x/status", {"verb": "get", "resource": "nodes", "subresource": "status", "name": "x"}),
    ("DELETE", f"/apis/apps/v1/namespaces/{HOME}/deployments", {
        "verb": "deletecollection", "group": "apps", "resource": "deployments", "namespace": HOME}),
    ("PUT", f"/apis/apps/v1/namespaces/{HOME}/deployments/web/scale", {
        "verb": "update", "group": "apps", "resource": "deployments", "subresource": "scale", "namespace": HOME,
        "name": "web"}),
    ("GET", f"/api/v1/namespaces/{HOME}", {"verb": "get", "resource": "namespaces", "namespace": HOME, "name": HOME}),
    ("GET", "/metrics", {"verb": "get", "path": "/metrics"}),
    ("GET", "/a/%3Cb%3E&%22c%22", {"verb": "get", "path": '/a/<b>&"c"'}),
    ("POST", "/elsewhere", {"verb": "post", "path": "/elsewhere"}),
]  # fmt: skip


@pytest.mark.parametrize("name", ["stranger", 'odd"<name>', "lost"])
@pytest.mark.parametrize(("method", "path", "wish"), REFUSED_REQUESTS, ids=[path for _, path, _ in REFUSED_REQUESTS])
def test_refusals_read_the_same(scene, name, method, path, wish):
    admin = scene.caller("root")
    theirs = admin.send(method, path, headers=[("Impersonate-User", name)])
    attributes = Attributes(Identity(name, groups=("system:authenticated",)), version="v1", **wish)
    ours = forbidden(attributes, scene.authorizer.decide(attributes).reason)
    assert (theirs.status, theirs.body) == (403, ours.status)


CONFIGMAPS = {"verb": "list", "version": "v1", "resource": "configmaps", "namespace": HOME}
SECRETS = CONFIGMAPS | {"resource": "secrets"}
ROBOT = f"system:serviceaccount:{HOME}:robot"
# One caller's requests come in this order: which refusal is shown depends on what was allowed before.
ATTEMPTS = [
    ("stranger", "configmaps", {"User": ["zed"]}),
    ("stranger", "configmaps", {"User": [ROBOT]}),
    ("stranger", "configmaps", {"User": ["system:node:n1"]}),
    ("stranger", "configmaps", {"User": ["zed"], "Group": ["g"]}),
    ("stranger", "configmaps", {"Group": ["g"]}),
    ("stranger", "configmaps", {"Uid": ["1"]}),
    ("stranger", "configmaps", {"Extra-Foo%2fBar": ["x", "y"]}),
    ("stranger", "configmaps", {"Extra-Foo%2": ["x"], "Uid": ['q"'], "Group": ["a", "b"]}),
    ("ivan", "configmaps", {"User": ["zed"], "Uid": ["5"]}),
    ("ivan", "configmaps", {"User": ["zed"]}),
    ("ivan", "configmaps", {"User": ["zed"], "Group": ["g", "h"]}),
    ("ivan", "configmaps", {"User": ["zed"], "Uid": ["5"]}),
    ("ivan", "configmaps", {"User": ["zed"], "Extra-Scopes": ["view"]}),
    ("ivan", "configmaps", {"User": [ROBOT]}),
    ("ivan", "configmaps", {"User": [ROBOT], "Group": ["g"]}),
    ("ivan", "configmaps", {"User": ["system:node:n1"]}),
    ("ivan", "configmaps", {"User": ["system:anonymous"]}),
    ("ivan", "configmaps", {"User": ["zed"], "Group": ["system:masters"]}),
    ("ulla", "configmaps", {"User": ["zed"], "Group": ["g"]}),
    ("ulla", "configmaps", {"User": ["zed"]}),
    ("ulla", "configmaps", {"User": ["zed"], "Group": ["g"]}),
    ("ulla", "configmaps", {"User": ["zed"], "Extra-Scopes": ["view"]}),
    ("ulla", "configmaps", {"User": ["zed"], "Extra-Scopes": ["view", "edit"]}),
    ("carl", "configmaps", {"User": ["zed"]}),
    ("carl", "secrets", {"User": ["zed"]}),
    ("carl", "configmaps", {"User": ["zed"], "Group": ["g"]}),
    ("carl", "configmaps", {"User": ["zed"], "Group": ["a", "b", "c", "d"]}),
    ("carl", "configmaps", {"User": ["zed"], "Group": ["system:masters"]}),
    ("carl", "configmaps", {"User": ["zed"], "Group": [""]}),
    ("carl", "configmaps", {"User": ["zed"], "Extra-Scopes": ["view"]}),
    ("carl", "configmaps", {"User": ["zed"], "Extra-Acme.io%2fScopes": ["view"]}),
    ("carl", "configmaps", {"User": ["zed"], "Extra-Acme.io%2fScopes": [""]}),
    ("carl", "configmaps", {"User": ["system:node:n1"]}),
    ("carl", "configmaps", {"User": ["system:node:n2"]}),
    ("carl", "configmaps", {"User": [ROBOT]}),
    ("root", "configmaps", {"User": ["zed"]}),
    ("root", "configmaps", {"User": ["m"], "Group": ["system:masters"]}),
]


def test_impersonation_is_allowed_and_refused_alike(scene):
    impersonation = Impersonation(scene.authorizer.decide)
    differing = []
    for number, (name, resource, wanted) in enumerate(ATTEMPTS):
        caller = scene.caller(name)
        headers = [(f"Impersonate-{title}", value) for title, values in wanted.items() for value in values]
        theirs = caller.send("GET", f"/api/v1/namespaces/{HOME}/{resource}", headers=headers)
        request = Attributes(caller.identity, **(CONFIGMAPS if resource == "configmaps" else SECRETS))
        ours = spoken(lambda: _as_another(scene, impersonation, headers, request))  # noqa: B023 - called at once
        if (ours is None and theirs.status != 200) or (ours is not None and ours != theirs.body):
            differing.append((number, name, wanted, ours, theirs))
    assert differing == []


def _as_another(scene, impersonation, headers, request):
    wanted = wanted_identity(headers)
    asked = request._replace(identity=impersonation.impersonated(wanted, request))
    decision = scene.authorizer.decide(asked)
    if not decision.allowed:
        raise forbidden(asked, decision.reason)


@pytest.mark.parametrize(
    "wanted",
    [
        {"User": ["zed"]},
        {"User": ["zed"], "Group": ["g", "system:authenticated"], "Uid": ["7"], "Extra-A%2fB": ["1", "2"]},
        {"User": [ROBOT]},
        {"User": ["system:node:n1"]},
    ],
)
def test_who_one_becomes_is_the_same(scene, wanted):
    caller = scene.caller("boss")
    headers = [(f"Impersonate-{title}", value) for title, values in wanted.items() for value in values]
    theirs = caller.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers)
    request = Attributes(caller.identity, "create", "authentication.k8s.io", "v1", "selfsubjectreviews")
    identity = Impersonation(scene.authorizer.decide).impersonated(wanted_identity(headers), request)
    created = theirs.body["metadata"]["creationTimestamp"]
    assert theirs.body == self_subject_review(identity, created)


def test_a_certificate_makes_the_same_identity(scene):
    caller = scene.caller("stranger")
    theirs = caller.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert theirs.body == self_subject_review(caller.identity, theirs.body["metadata"]["creationTimestamp"])


WIDE = role(
    "wide",
    rule("get,delete", "", "pods"),
    rule("get,list", "", "secrets,pods/exec"),
    rule("delete", "", "configmaps", names="a,b"),
    rule("get", "apps,batch", "deployments/scale,*/scale"),
    rule("get,post", urls="/logs/x,/b*,*"),
)
SELECTED = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
ROLE_WRITES = [
    ("wolf", "clusterroles", role("fine", rule("get", "", "pods"), rule("get", urls="/logs/a*"))),
    ("wolf", "clusterroles", WIDE),
    ("wolf", "roles", role("wide", rule("*", "", "pods"))),
    ("wolf", "roles", role("twice", rule("get", "", "x"), rule("get", "", "x"))),
    ("erik", "roles", role("wide", rule("*", "*", "*"))),
    ("wolf", "clusterroles", role("sum", aggregationRule=SELECTED)),
    ("root", "clusterroles", role("sum", rule("*", "*", "*"), aggregationRule=SELECTED)),
    ("lostwriter", "roles", role("wide", rule("*", "", "pods"))),
    ("wolf", "clusterrolebindings", binding("b", "r-pods", user("zed"))),
    ("wolf", "clusterrolebindings", binding("b", "view", user("zed"))),
    ("wolf", "clusterrolebindings", binding("b", "cluster-admin", user("zed"))),
    ("wolf", "clusterrolebindings", binding("b", "r-missing", user("zed"))),
    ("wolf", "clusterrolebindings", binding("b", "r-missing", user("zed"), kind="Role")),
    ("wolf", "clusterrolebindings", binding("b", "r-missing", user("zed"), kind="Zap")),
    ("wolf", "rolebindings", binding("b", "r-local", user("zed"), kind="Role")),
    ("wolf", "rolebindings", binding("b", "r-missing", user("zed"), kind="Role")),
    ("wolf", "rolebindings", binding("b", "edit", user("zed"))),
    ("root", "rolebindings", binding("b", "edit", user("zed"))),
]


@pytest.mark.parametrize(
    ("name", "resource", "obj"), ROLE_WRITES, ids=[f"{n}-{r}-{i}" for i, (n, r, _) in enumerate(ROLE_WRITES)]
)
def test_nobody_grants_more_here_than_there(scene, name, resource, obj):
    namespace = HOME if resource in {"roles", "rolebindings"} else ""
    where = f"{RBAC}/namespaces/{namespace}/{resource}" if namespace else f"{RBAC}/{resource}"
    obj = obj | {"kind": KINDS[resource]}
    caller = scene.caller(name)
    theirs = caller.send("POST", f"{where}?dryRun=All", obj)
    ours = escalation_error(scene.authorizer, RoleWrite(caller.identity, obj, namespace))
    assert (theirs.status, theirs.body) == ((201, theirs.body) if ours is None else (ours.status["code"], ours.status))


@pytest.mark.parametrize("change", [{"rules": [rule("get,watch", "", "pods")]}, {"aggregationRule": None, "rules": []}])
def test_updates_are_checked_alike(scene, change):
    name = "r-aggregator" if "aggregationRule" in change else "r-pods"
    old = scene.cluster.get(f"{RBAC}/clusterroles/{name}").body
    new = {field: value for field, value in (old | change).items() if value is not None}
    caller = scene.caller("wolf")
    theirs = caller.send("PUT", f"{RBAC}/clusterroles/{name}?dryRun=All", new)
    ours = escalation_error(scene.authorizer, RoleWrite(caller.identity, new, name=name, old=old))
    assert theirs.status == 403
    assert theirs.body == ours.status


def test_roles_are_aggregated_alike(scene):
    roles = scene.cluster.get(f"{RBAC}/clusterroles").body["items"]
    made = {each["metadata"]["name"]: each for each in roles if each.get("aggregationRule")}
    assert {"admin", "edit", "view", "r-aggregator"} <= set(made)
    for each in made.values():
        assert aggregated(each, roles) == each["rules"]


def test_a_cluster_starts_with_the_same_roles_and_bindings(scene):
    theirs = {}
    for resource, kind in KINDS.items():
        for item in scene.cluster.get(f"{RBAC}/{resource}").body["items"]:
            if "kubernetes.io/bootstrapping" in item["metadata"].get("labels", {}):
                metadata = item["metadata"]
                for manager in metadata["managedFields"]:
                    manager["time"] = "then"
                metadata |= {"uid": "u", "resourceVersion": "1", "creationTimestamp": "then"}
                stored = {"kind": kind, "apiVersion": f"{GROUP}/v1"} | item
                theirs[kind, metadata.get("namespace", ""), metadata["name"]] = encode(stored)
    ours = {(seed.kind, seed.namespace, seed.name): seed.encoded("u", "1", "then") for seed in seeds()}
    assert ours == theirs


class Objects:
    """Our lookups, answered by the real server."""

    def __init__(self, cluster):
        self._cluster = cluster

    def __call__(self, kind, namespace, name):
        where = f"/api/v1/namespaces/{namespace}" if namespace else "/api/v1"
        answer = self._cluster.get(f"{where}/{kind.lower()}s/{name}")
        return answer.body if answer.status == 200 else None


@pytest.fixture(scope="module")
def key(scene):
    return SigningKey.from_pem((scene.cluster.folder / "sa.key").read_bytes())


@pytest.fixture(scope="module")
def issuer(scene, key):
    """Signs with the key of the real server."""
    return TokenIssuer(key, ISSUER, [ISSUER], lookup=Objects(scene.cluster), clock=SystemClock(), ids=Ids())


@pytest.fixture(scope="module")
def authenticator(scene, key):
    tokens = ServiceAccountTokens([key.public], ISSUER, [ISSUER], Objects(scene.cluster), SystemClock())
    legacy = LegacyTokens([key.public], [ISSUER], Objects(scene.cluster), SystemClock(), lambda *_: None)
    return Authenticator([legacy, tokens], [ISSUER], SystemClock())


@pytest.fixture(scope="module")
def bound_objects(scene):
    core = f"/api/v1/namespaces/{HOME}"
    container = {"name": "main", "image": "none"}
    for path, obj in [
        ("/api/v1/nodes", {"metadata": {"name": "n1"}}),
        (f"{core}/serviceaccounts", {"metadata": {"name": "robot"}}),
        (f"{core}/serviceaccounts", {"metadata": {"name": "doomed"}}),
        (f"{core}/secrets", {"metadata": {"name": "s1"}}),
        (f"{core}/pods", {
            "metadata": {"name": "p1"},
            "spec": {"serviceAccountName": "robot", "nodeName": "n1", "containers": [container]}}),
        (f"{core}/pods", {
            "metadata": {"name": "p2"},
            "spec": {"serviceAccountName": "robot", "nodeName": "gone", "containers": [container]}}),
    ]:  # fmt: skip
        answer = scene.cluster.post(path, obj)
        assert answer.status == 201, answer.body


def ref(kind, name, **more):
    return {"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": kind, "name": name} | more}}


TOKEN_REQUESTS = [
    {},
    {"spec": {"audiences": ["a", "b"], "expirationSeconds": 600}},
    {"spec": {"audiences": [""]}},
    {"metadata": {"labels": {"a": "b"}, "name": "robot"}},
    ref("Pod", "p1"),
    ref("Pod", "p2"),
    ref("Node", "n1"),
    ref("Secret", "s1"),
    {"spec": {"expirationSeconds": 3607} | ref("Pod", "p1")["spec"]},
    {"spec": {"expirationSeconds": 3607, "audiences": ["x"]} | ref("Pod", "p1")["spec"]},
    {"spec": {"expirationSeconds": 3607} | ref("Node", "n1")["spec"]},
    ref("Pod", "p1", uid="zz"),
    ref("Pod", "nope"),
    ref("Pod", ""),
    ref("ConfigMap", "nope"),
    ref("Deployment", "nope", apiVersion="apps/v1"),
    {"spec": {"boundObjectRef": {}}},
    {"spec": {"expirationSeconds": 599}},
    {"spec": {"expirationSeconds": 2**32 + 1}},
    {"metadata": {"name": "other"}},
    {"metadata": {"namespace": "other"}},
    {"metadata": {"uid": "other"}},
]


@pytest.mark.parametrize("account_name", ["robot", "default", "nobody-there"])
def test_tokens_are_issued_alike(scene, issuer, bound_objects, account_name):
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/{account_name}/token"
    for request in TOKEN_REQUESTS:
        theirs = scene.cluster.post(path, request).body
        ours = spoken(lambda: issuer.issue(HOME, account_name, request))  # noqa: B023 - called at once
        assert _timeless(ours) == _timeless(theirs), request


def _timeless(answer):
    """Claims in place of the token, and times as distances."""
    if answer["kind"] == "Status":
        return answer
    answer["metadata"].pop("managedFields", None)
    answer["metadata"].pop("creationTimestamp")
    token = answer["status"].pop("token")
    assert answer["status"].pop("expirationTimestamp")
    header, payload, _ = token.split(".")
    claims = decode(base64.urlsafe_b64decode(payload + "=="))
    issued = claims["iat"]
    claims |= {"jti": len(claims["jti"]), "iat": 0, "exp": claims["exp"] - issued, "nbf": claims["nbf"] - issued}
    if "warnafter" in claims["kubernetes.io"]:
        claims["kubernetes.io"]["warnafter"] -= issued
    return answer, base64.urlsafe_b64decode(header + "=="), encode(claims)


REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"


def test_reviews_of_tokens_say_the_same_whoever_issued_them(scene, issuer, authenticator, bound_objects):
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/robot/token"
    for request in ({}, ref("Pod", "p1"), ref("Pod", "p2"), ref("Node", "n1"), ref("Secret", "s1")):
        for token in (
            issuer.issue(HOME, "robot", request)["status"]["token"],
            scene.cluster.post(path, request).body["status"]["token"],
        ):
            for audiences in ([], ["x"], ["x", ISSUER]):
                review = {"spec": {"token": token, "audiences": audiences}}
                theirs = scene.cluster.post(REVIEWS, review).body["status"]
                assert authenticator.review(review)["status"] == theirs
                assert theirs.get("authenticated", False) == (audiences != ["x"])


def test_bad_tokens_are_bad_here_and_there_for_the_same_reason(scene, issuer, authenticator, key, bound_objects):
    good = issuer.issue(HOME, "robot", {})["status"]["token"]
    header, payload, signature = good.split(".")
    claims = decode(base64.urlsafe_b64decode(payload + "=="))

    def head(**fields):
        return url_safe(encode(fields))

    def signed(**change):
        return key.token(claims | change)

    now = int(time.time())
    bad = {
        "not a token": "abc",
        "no signature": f"{header}.{payload}",
        "none": f"{head(alg='none')}.{payload}.",
        "none with a kid": f"{head(alg='none', kid=key.public.id)}.{payload}.",
        "the public key as a secret": f"{head(alg='HS256', kid=key.public.id)}.{payload}.{signature}",
        "unknown key": f"{head(alg=key.public.algorithm, kid='zzz')}.{payload}.{signature}",
        "signature of nothing": f"{header}.{payload}.{signature[:-6]}AAAAAA",
        "other claims": f"{header}.{url_safe(encode(claims | {'sub': 'root'}))}.{signature}",
        "another issuer": signed(iss="https://elsewhere"),
        "expired": signed(exp=now - 61 * 60, iat=now - 90 * 60, nbf=now - 90 * 60),
        "not yet": signed(nbf=now + 3600),
        "from the future": signed(iat=now + 3600),
        "another uid": signed(
            **{"kubernetes.io": {"namespace": HOME, "serviceaccount": {"name": "robot", "uid": "0"}}}
        ),
        "no such account": signed(**{"kubernetes.io": {"namespace": HOME, "serviceaccount": {"name": "ghost"}}}),
        "no such pod": signed(**{"kubernetes.io": claims["kubernetes.io"] | {"pod": {"name": "ghost", "uid": "1"}}}),
        "another pod": signed(**{"kubernetes.io": claims["kubernetes.io"] | {"pod": {"name": "p1", "uid": "1"}}}),
        "another secret": signed(**{"kubernetes.io": claims["kubernetes.io"] | {"secret": {"name": "s1", "uid": "1"}}}),
        "another node": signed(**{"kubernetes.io": claims["kubernetes.io"] | {"node": {"name": "n1", "uid": "1"}}}),
        "for others": signed(aud=["x"]),
    }
    nobody = Caller(scene.cluster)
    for why, token in bad.items():
        review = {"spec": {"token": token}}
        theirs = scene.cluster.post(REVIEWS, review).body["status"]
        assert authenticator.review(review)["status"] == theirs, why
        bearer = [("Authorization", f"Bearer {token}")]
        refused = nobody.send("GET", f"/api/v1/namespaces/{HOME}/pods", headers=bearer)
        ours = spoken(lambda: authenticator.identity(authorization=f"Bearer {token}"))  # noqa: B023 - called at once
        assert (refused.status, refused.body) == (401, ours), why
    expired_within_leeway = signed(exp=now - 30)
    assert nobody.send("GET", "/apis", headers=[("Authorization", f"bearer {expired_within_leeway} ")]).status == 200
    assert authenticator.identity(authorization=f"bearer {expired_within_leeway} ").name == ROBOT
    nobody.close()


def test_a_token_ends_with_its_service_account(scene, issuer, authenticator, bound_objects):
    token = issuer.issue(HOME, "doomed", {})["status"]["token"]
    assert authenticator.identity(authorization=f"Bearer {token}").name.endswith(":doomed")
    scene.cluster.send("DELETE", f"/api/v1/namespaces/{HOME}/serviceaccounts/doomed")
    review = {"spec": {"token": token}}
    assert authenticator.review(review)["status"] == scene.cluster.post(REVIEWS, review).body["status"]


class Kept:
    """A Secret of the real cluster with the token of an account of its own."""

    def __init__(self, cluster, key, name):
        self._cluster, self._key = cluster, key
        self._core = f"/api/v1/namespaces/{HOME}"
        self.secret, self.account = f"{self._core}/secrets/{name}", f"{self._core}/serviceaccounts/{name}"
        account = cluster.post(f"{self._core}/serviceaccounts", {"metadata": {"name": name}}).body
        self.claims = claims_in_secret(account, name)
        named = {"kubernetes.io/service-account.name": name}
        about = {"name": name, "annotations": named}
        made = {"type": "kubernetes.io/service-account-token", "metadata": about}
        assert cluster.post(f"{self._core}/secrets", made).status == 201

    def filled(self):
        """The token, once the real kube-controller-manager has written it."""
        until = time.monotonic() + 20
        while not (held := self._cluster.get(self.secret).body.get("data", {}).get("token")):
            assert time.monotonic() < until
            time.sleep(0.05)
        return base64.b64decode(held).decode()

    def signed(self, **change):
        """Another token, which the Secret holds from now on: of one that was good the real server takes note for 10 s."""
        token = self._key.token(self.claims | change)
        self.change(self.secret, {"data": {"token": base64.b64encode(token.encode()).decode()}})
        return token

    def change(self, path, change):
        answer = self._cluster.patch(path, change, "application/merge-patch+json")
        assert answer.status == 200, answer.body

    def delete(self, path):
        self._cluster.send("DELETE", path)


def named(part):
    return f"kubernetes.io/serviceaccount/{part}"


@pytest.fixture
def reviewed(scene, authenticator):
    """What the real server says of a token, once ours says the same: it hears of changes a little later.

    Whom it has let in meanwhile it lets in for another ten seconds.
    """

    def review(token, *audiences):
        question = {"spec": {"token": token, "audiences": list(audiences)}}
        until = time.monotonic() + 20
        while (theirs := scene.cluster.post(REVIEWS, question).body["status"]) != (
            ours := authenticator.review(question)["status"]
        ):
            assert time.monotonic() < until, (theirs, ours)
            time.sleep(0.1)
        return theirs

    return review


def test_a_token_in_a_secret_is_as_good_here_as_there(scene, key, reviewed):
    kept = Kept(scene.cluster, key, "keeper")
    token = kept.filled()
    assert decode(base64.urlsafe_b64decode(token.split(".")[1] + "==")) == kept.claims
    assert token.rpartition(".")[0] == key.token(kept.claims).rpartition(".")[0]
    assert reviewed(token)["user"]["username"] == f"system:serviceaccount:{HOME}:keeper"
    assert reviewed(token, ISSUER, "x")["audiences"] == [ISSUER]
    assert "audiences" in reviewed(token, "x")["error"]
    assert reviewed(kept.signed())["authenticated"], "whoever signed it"


LEGACY_FAULTS = {
    "sub": ({"sub": ""}, "sub claim is missing"),
    "namespace": ({named("namespace"): ""}, "namespace claim is missing"),
    "secret": ({named("secret.name"): ""}, "secretName claim is missing"),
    "name": ({named("service-account.name"): ""}, "serviceAccountName claim is missing"),
    "uid": ({named("service-account.uid"): ""}, "serviceAccountUID claim is missing"),
    "subject": ({"sub": "root"}, "sub claim is invalid"),
    "other-subject": ({"sub": f"system:serviceaccount:{HOME}:default"}, "sub claim is invalid"),
    "other-uid": ({named("service-account.uid"): "0"}, "does not match claim (0)"),
    "for-others": ({"aud": ["x"]}, "is invalid for the target audiences"),
}


def test_a_bad_token_in_a_secret_is_bad_for_the_same_reason(scene, key, reviewed):
    kept = Kept(scene.cluster, key, "faulty")
    kept.filled()
    for change, why in LEGACY_FAULTS.values():
        assert why in reviewed(kept.signed(**change))["error"]
    forgotten = kept.signed()
    kept.signed()
    assert "does not match server's copy" in reviewed(forgotten)["error"]
    kept.change(kept.secret, {"metadata": {"labels": {"kubernetes.io/legacy-token-invalid-since": "2026-01-01"}}})
    assert "marked invalid" in reviewed(kept.signed())["error"]


def test_a_token_in_a_secret_ends_alike(scene, key, reviewed):
    held = {"metadata": {"finalizers": ["example.org/held"]}}
    free = {"metadata": {"finalizers": None}}
    kept = Kept(scene.cluster, key, "ending")
    kept.filled()
    kept.change(kept.account, held)
    kept.change(kept.secret, held)
    kept.delete(kept.account)
    assert "has been deleted" in reviewed(kept.signed())["error"]
    kept.change(kept.account, free)
    assert "Token has been invalidated" in reviewed(kept.signed())["error"], "its Secret is about to go"
    token = kept.signed()
    kept.change(kept.secret, free)
    assert "Token has been invalidated" in reviewed(token)["error"]


def test_the_keys_are_published_alike(scene, key):
    caller = scene.caller("root")
    theirs = caller.send("GET", "/openid/v1/jwks", headers=[("Accept", JWKS_TYPE)])
    assert encode(theirs.body) == encode(jwks([key.public]))
    address = scene.cluster.url.removeprefix("https://")
    configuration = scene.cluster.get("/.well-known/openid-configuration").body
    assert encode(configuration) == encode(openid_configuration(ISSUER, address, [key.public]))


ASKED = {"verb": "list", "resource": "pods", "namespace": HOME}
ACCESS_REVIEWS = [
    {"spec": {"user": "pods", "resourceAttributes": ASKED}},
    {"kind": "", "spec": {}},
    {},
    {"spec": {"user": "a", "resourceAttributes": ASKED, "nonResourceAttributes": {"verb": "get"}}},
    {"spec": {"user": "a", "nonResourceAttributes": {"path": "/"}}},
    {"spec": {"groups": ["crew"], "resourceAttributes": {}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {"namespace": AWAY}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {"fieldSelector": {"rawSelector": "metadata.name=x"}}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {
        "fieldSelector": {"rawSelector": "a=b=c,,"}, "labelSelector": {"rawSelector": "a in ("}}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {"labelSelector": {}, "fieldSelector": {"requirements": [
        {"key": "", "operator": "In"}, {"key": "a", "operator": "Zap", "values": ["x"]},
        {"key": "a", "operator": "Exists", "values": ["x"]}, {"key": "a"}]}}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {
        "labelSelector": {"requirements": [
            {"key": "a", "operator": "Zap"}, {"key": "b%", "operator": "In", "values": ["c", "-"]}]},
        "fieldSelector": {"rawSelector": "x=y", "requirements": [{"key": "a", "operator": "In", "values": ["x"]}]}}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {
        "labelSelector": {"requirements": [
            {"key": "a", "operator": "Zap"}, {"key": "b", "operator": "In", "values": ["c"]}]},
        "fieldSelector": {"requirements": [{"key": "a", "operator": "In", "values": ["x", "y"]}]}}}},
    {"spec": {"user": "a", "resourceAttributes": ASKED | {
        "fieldSelector": {"requirements": [
            {"key": "a", "operator": "In", "values": ["x"]}, {"key": "a", "operator": "Exists"}]},
        "labelSelector": {"requirements": [{"key": "a", "operator": "Exists"}]}}}},
]  # fmt: skip


def _managed(answer):
    if isinstance(answer.get("metadata"), dict):
        answer["metadata"].pop("managedFields", None)
    return {field: value for field, value in answer.items() if field not in {"kind", "apiVersion", "spec"}}


@pytest.mark.parametrize("review", ACCESS_REVIEWS, ids=range(len(ACCESS_REVIEWS)))
def test_access_reviews_are_answered_alike(scene, review):
    authorization, caller = "/apis/authorization.k8s.io/v1", scene.caller("wolf")
    empty = {"metadata": {}} | review
    theirs = scene.cluster.post(f"{authorization}/subjectaccessreviews", review).body
    assert _managed(spoken(lambda: subject_access_review(empty, scene.authorizer))) == _managed(theirs)
    theirs = scene.cluster.post(f"{authorization}/namespaces/{HOME}/localsubjectaccessreviews", review).body
    assert _managed(spoken(lambda: local_subject_access_review(empty, HOME, scene.authorizer))) == _managed(theirs)
    theirs = caller.send("POST", f"{authorization}/selfsubjectaccessreviews", review).body
    ours = spoken(lambda: self_subject_access_review(empty, caller.identity, scene.authorizer))
    assert _managed(ours) == _managed(theirs)


def test_metadata_in_a_review_is_refused_alike(scene):
    path = f"/apis/authorization.k8s.io/v1/namespaces/{HOME}/localsubjectaccessreviews"
    for metadata in ({"namespace": AWAY}, {"labels": {"a": "b"}, "name": "z"}):
        review = {"metadata": metadata, "spec": {"user": "a", "resourceAttributes": ASKED}}
        theirs = scene.cluster.post(path, review).body
        ours = spoken(lambda: local_subject_access_review(review, HOME, scene.authorizer))  # noqa: B023 - called at once
        assert ours["code"] == theirs["code"]
        assert ours["message"].partition("{")[0] == theirs["message"].partition("{")[0]


@pytest.mark.parametrize("name", ["names", "urls", "tenant", "locallost", "lostwriter", "stranger", "root"])
def test_own_rules_are_listed_alike(scene, name):
    caller = scene.caller(name)
    for spec in ({"namespace": HOME}, {}):
        theirs = caller.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": spec}).body
        ours = spoken(lambda: self_subject_rules_review({"spec": spec}, caller.identity, scene.authorizer))  # noqa: B023 - called at once
        if spec:
            # Its bindings come in no order.
            for answer in (ours, theirs):
                for field in ("resourceRules", "nonResourceRules"):
                    answer["status"][field].sort(key=encode)
        assert ours == theirs
