"""Roles and bindings on the real server, callers with certificates of its authority, and our answers beside its own."""

import http.client
import ssl
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from plumbline.apiserver.authentication.certificates import certificate_identity
from plumbline.apiserver.authentication.issuing import Holder, Issued, issue
from plumbline.apiserver.rbac import Authorizer
from plumbline.base.clock import SystemClock
from plumbline.base.errors import RequestRefused
from plumbline.base.json import decode, encode


class Answer(NamedTuple):
    status: int
    body: Any


RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
KINDS = {
    "clusterroles": "ClusterRole",
    "clusterrolebindings": "ClusterRoleBinding",
    "roles": "Role",
    "rolebindings": "RoleBinding",
}


def rule(verbs="get", groups="", resources="", names="", urls=""):
    columns = {"verbs": verbs, "resources": resources, "resourceNames": names, "nonResourceURLs": urls}
    made = {title: column.split(",") for title, column in columns.items() if column}
    return made if urls else made | {"apiGroups": groups.split(",")}


def user(name):
    return {"kind": "User", "apiGroup": GROUP, "name": name}


def group(name):
    return {"kind": "Group", "apiGroup": GROUP, "name": name}


def account(name, namespace=""):
    made = {"kind": "ServiceAccount", "name": name}
    return made | {"namespace": namespace} if namespace else made


def role(name, *rules, labels=None, **more):
    metadata = {"name": name} | ({"labels": labels} if labels else {})
    return {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": metadata, "rules": list(rules)} | more


def binding(name, of, *subjects, kind="ClusterRole"):
    ref = {"apiGroup": GROUP, "kind": kind, "name": of}
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "subjects": list(subjects),
        "roleRef": ref,
    }


class Scene:
    """The real server with more in it; `authorizer` has seen the same roles and bindings."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.authorizer = Authorizer()
        self._callers = {}

    def add(self, resource, obj, namespace=""):
        where = f"{RBAC}/namespaces/{namespace}/{resource}" if namespace else f"{RBAC}/{resource}"
        answer = self.cluster.post(where, obj | {"kind": KINDS[resource]})
        assert answer.status == 201, answer.body

    def observe_all(self):
        for resource, kind in KINDS.items():
            for item in self.cluster.get(f"{RBAC}/{resource}").body["items"]:
                self.authorizer.observe(item | {"kind": kind})

    def review(self, spec):
        return self.cluster.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": spec}).body["status"]

    def await_seen(self, spec):
        """Its authorizer learns of roles and bindings a moment after they are written."""
        until = time.monotonic() + 10
        while not self.review(spec)["allowed"]:
            assert time.monotonic() < until, spec
            time.sleep(0.05)

    def caller(self, name):
        if name not in self._callers:
            self._callers[name] = Caller(self.cluster, name)
        return self._callers[name]

    def close(self):
        for caller in self._callers.values():
            caller.close()


class Caller:
    """Somebody with a certificate that we issued with the real server's authority; without a name, with nothing."""

    def __init__(self, cluster, name=""):
        self._where = urlsplit(cluster.url)
        self._tls = ssl.create_default_context(cafile=str(cluster.ca))
        self.identity = None
        if name:
            authority = Issued(
                x509.load_pem_x509_certificate(cluster.ca.read_bytes()),
                load_pem_private_key((cluster.folder / "ca.key").read_bytes(), None),
            )
            issued = issue(authority, Holder(name), SystemClock().now())
            file = cluster.folder / f"caller-{len(list(cluster.folder.glob('caller-*')))}.pem"
            file.write_bytes(issued.pem)
            self._tls.load_cert_chain(file)
            der = ssl.PEM_cert_to_DER_cert(issued.certificate_pem.decode())
            self.identity = certificate_identity(der, SystemClock().now())
        self._connection = None

    def send(self, method, path, body=None, headers=()):
        if self._connection is None:
            self._connection = http.client.HTTPSConnection(
                self._where.hostname, self._where.port, context=self._tls, timeout=30
            )
        payload = b"" if body is None else encode(body)
        self._connection.putrequest(method, path)
        for header, value in {"Accept": "application/json", "Content-Type": "application/json"}.items():
            if header not in dict(headers):
                self._connection.putheader(header, value)
        for header, value in headers:
            self._connection.putheader(header, value)
        self._connection.putheader("Content-Length", str(len(payload)))
        self._connection.endheaders(payload)
        reply = self._connection.getresponse()
        text = reply.read()
        return Answer(
            reply.status, decode(text) if "json" in (reply.getheader("Content-Type") or "") else text.decode()
        )

    def close(self):
        if self._connection is not None:
            self._connection.close()


def spoken(question):
    """What we answer: the object, or the Status of a refusal."""
    try:
        return question()
    except RequestRefused as refused:
        return refused.status
