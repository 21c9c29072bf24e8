"""Sealing as somebody does it who has a kubeconfig and nothing else, and what the tests of secrets deliver."""

import base64

from plumbline.base.json import JsonObject, encode
from plumbline.secrets.sealing import Certificate, Scope, certificate_of, sealed_secret

from .installation import Installation

PROXY = "/api/v1/namespaces/kube-system/services/http:sealed-secrets-controller:http/proxy"
SEALED = "/apis/bitnami.com/v1alpha1/namespaces/{}/sealedsecrets"
SECRETS = "/api/v1/namespaces/{}/secrets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/{}/deployments"
PODS = "/api/v1/namespaces/{}/pods"
_UNSUCCESSFUL = "one or more synchronization tasks completed unsuccessfully"
WAVE = "argocd.argoproj.io/sync-wave"


def certificate(installation: Installation) -> Certificate:
    """Asked for as kubeseal asks for it: through the API server."""
    answer = installation.get(f"{PROXY}/v1/cert.pem")
    assert answer.fine, answer.body
    return certificate_of(str(answer.body).encode())


def secret(name: str, namespace: str, **values: str) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "stringData": values,
    }


def sealed(
    recipient: Certificate, plain: JsonObject, *, scope: Scope = "strict", wave: int | None = None, **template: object
) -> JsonObject:
    """*plain*, sealed; *template* is what the Secret gets besides."""
    made = sealed_secret(plain, recipient, scope)
    if wave is not None:
        made["metadata"].setdefault("annotations", {})[WAVE] = str(wave)
    made["spec"]["template"] = {**made["spec"].get("template", {}), **template}
    return made


def renamed(obj: JsonObject, **metadata: str) -> JsonObject:
    """As somebody does it in an editor: the rest stays as it was."""
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


def deployment(name: str, secret_name: str, *, image: str = "example.org/api:1", wave: int = 0) -> JsonObject:
    """One that mounts a Secret."""
    mounted = {"name": "credentials", "mountPath": "/etc/credentials"}
    pod = {
        "containers": [{"name": "api", "image": image, "volumeMounts": [mounted]}],
        "volumes": [{"name": "credentials", "secret": {"secretName": secret_name}}],
    }
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "annotations": {WAVE: str(wave)}},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }


def files(folder: str, *objects: JsonObject) -> dict[str, str | None]:
    """As they lie in Git."""
    return {
        f"{folder}/{each['kind'].lower()}-{each['metadata']['name']}.json": encode(each).decode() for each in objects
    }


def values(installation: Installation, namespace: str, name: str) -> dict[str, str]:
    found = installation.live(f"{SECRETS.format(namespace)}/{name}") or {}
    return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}


def unwell(installation: Installation, app: str, revision: str) -> JsonObject:
    """The application, once a sync of *revision* did not get through, and it says that it is not well. It is tried again."""

    def so() -> JsonObject | None:
        found = installation.app(app) or {}
        status = found.get("status") or {}
        state = status.get("operationState") or {}
        failed = _UNSUCCESSFUL in state.get("message", "") and state["syncResult"]["revision"] == revision
        return found if failed and status["health"]["status"] == "Degraded" else None

    return installation.until(so)


def external(name: str, store: str, *, wave: int | None = None, **spec: object) -> JsonObject:
    """One value, `password`, of the secret of its name."""
    annotations = {} if wave is None else {WAVE: str(wave)}
    items = [{"secretKey": "password", "remoteRef": {"key": name, "property": "password"}}]
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"secretStoreRef": {"name": store}, "refreshInterval": "1h", "data": items, **spec},
    }


def store(name: str, provider: JsonObject, *, wave: int = -2) -> JsonObject:
    metadata = {"name": name, "annotations": {WAVE: str(wave)}}
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "SecretStore",
        "metadata": metadata,
        "spec": {"provider": provider},
    }


def readable(namespace: str, reader: str) -> tuple[JsonObject, ...]:
    """What lets the service account *reader* of another namespace read the Secrets of *namespace*, and nobody else."""
    rbac = "rbac.authorization.k8s.io"
    metadata = {"name": "vault", "namespace": namespace}
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]
    subject = {"kind": "ServiceAccount", "name": "reader", "namespace": reader}
    return (
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": metadata, "rules": rules},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "vault"},
            "subjects": [subject],
        },
    )


def of_namespace(namespace: str) -> JsonObject:
    """The provider that reads the Secrets of *namespace* as the service account `reader`."""
    return {"kubernetes": {"remoteNamespace": namespace, "auth": {"serviceAccount": {"name": "reader"}}}}
