"""Who may do what, tokens and contexts: asked with kubectl, answered alike."""

import base64
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from plumbline.base.json import decode

from .conftest import BothSay
from .manifests import CONFIG
from .plane import OurPlane
from .transcripts import Kubectl, Line, Script

pytestmark = pytest.mark.conformance

RULES = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: "{ns}"}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [secrets], resourceNames: [one], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: "{ns}"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: User, apiGroup: rbac.authorization.k8s.io, name: ann}
- {kind: ServiceAccount, name: robot, namespace: "{ns}"}
"""
MORE_RULES = RULES.replace("verbs: [get, list, watch]", "verbs: [get, list, watch, delete]")
ROBOT = "--as=system:serviceaccount:{ns}:robot"


def signing_request() -> str:
    """For a signer that nobody is."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ann")])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    text = base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()
    spec = f"{{request: {text}, signerName: example.com/none, usages: [client auth]}}"
    return f"apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {{name: '{{ns}}'}}\nspec: {spec}\n"


SCRIPTS: dict[str, Script] = {
    "may I": Script(
        [
            Line("create -f -", stdin=RULES + "---\n" + CONFIG),
            "auth can-i create pods",
            "auth can-i '*' '*' --all-namespaces",
            "auth can-i get configmaps --as=ann",
            "auth can-i delete configmaps --as=ann",
            "auth can-i get secrets/one --as=ann",
            "auth can-i get secrets/two --as=ann",
            "auth can-i get configmaps --as=bob --as-group=staff",
            "auth can-i get /healthz --as=ann",
            "auth can-i get /metrics --as=ann",
            "auth can-i get gizmos --as=ann",
            "auth can-i update deployments --subresource=scale --as=ann -q",
            "auth can-i --list --as=ann",
            f"auth can-i list cm {ROBOT}",
            "get cm --as=ann -o name",
            "get cm one -o name --as=bob",
            "get secrets --as=ann",
            "get nodes --as=ann",
            "delete cm one --as=ann",
            f"create cm mine {ROBOT}",
            "get cm -A --as=ann",
            "get --raw /metrics --as=ann",
            "get cm --as=ann --as-uid=7 --as-user-extra=a=b -o name",
            "create rolebinding up --clusterrole=cluster-admin --user=ann --as=ann",
        ]
    ),
    "who am I": Script(
        [
            "auth whoami --as=ann --as-group=staff",
            "auth whoami --as=ann --as-uid=7 -o json",
            "auth whoami -o jsonpath={.status.userInfo.groups}",
        ]
    ),
    "reconcile": Script(
        [
            Line("auth reconcile -f -", stdin=RULES),
            Line("auth reconcile -f -", stdin=MORE_RULES),
            Line("auth reconcile -f - --dry-run=server", stdin=RULES),
            Line("auth reconcile -f - --remove-extra-permissions --remove-extra-subjects", stdin=RULES),
            "get role reader -o yaml",
        ]
    ),
    "tokens": Script(
        [
            "create sa robot",
            "create token missing",
            "create token robot --duration=1s",
            "create token robot --duration=nonsense",
            "create token robot --bound-object-kind=Secret",
            "create token robot --bound-object-kind=Secret --bound-object-name=none",
            "create token robot --bound-object-kind=Gizmo --bound-object-name=none",
            "get sa robot -o yaml",
            "describe sa robot",
        ]
    ),
    "certificates": Script(
        [
            Line("create -f -", stdin=signing_request()),
            "get csr {ns}",
            "certificate approve {ns}",
            "get csr {ns} -o jsonpath='{.status.conditions[*].type}{.spec.groups}'",
            "certificate approve {ns}",
            "certificate deny {ns}",
            "certificate approve none",
            "delete csr {ns}",
            Line("create -f -", stdin=signing_request().replace("example.com/none", "nonsense")),
        ]
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_access_is_as_on_the_real_cluster(name: str, both_say_the_same: BothSay) -> None:
    both_say_the_same(SCRIPTS[name])


def test_a_token_is_a_context_of_its_own_until_its_account_is_gone(
    plane: OurPlane, kubectl: Kubectl, tmp_path: Path
) -> None:
    kubectl.run(Line("create sa robot"))
    kubectl.run(Line("create -f -", stdin=RULES))
    kubectl.run(Line("create cm one"))
    token = kubectl.run(Line("create token robot --duration=20m")).out.strip()
    robot = Kubectl(plane, tmp_path / "robot", kubectl.namespace, kubeconfig=tmp_path / "config")
    for words in (
        f"set-cluster plane --server={plane.url} --certificate-authority={plane.ca} --embed-certs",
        f"set-credentials robot --token={token}",
        "set-context robot --cluster=plane --user=robot --namespace={ns}",
        "use-context robot",
    ):
        said = robot.run(Line(f"config {words}"))
        assert said.code == 0, said.err
    assert robot.run(Line("config current-context")).out == "robot\n"
    assert "REDACTED" in robot.run(Line("config view")).out
    who = decode(robot.run(Line("auth whoami -o json")).out)["status"]["userInfo"]
    assert who["username"] == f"system:serviceaccount:{kubectl.namespace}:robot"
    assert f"system:serviceaccounts:{kubectl.namespace}" in who["groups"]
    assert robot.run(Line("get cm one -o name")).out == "configmap/one\n"
    assert "cannot delete resource" in robot.run(Line("delete cm one")).err
    for_others = kubectl.run(Line("create token robot --audience=elsewhere")).out.strip()
    robot.run(Line(f"config set-credentials robot --token={for_others}"))
    assert "(Unauthorized)" in robot.run(Line("get cm one")).err
    robot.run(Line(f"config set-credentials robot --token={token}"))
    kubectl.run(Line("delete sa robot"))
    assert "You must be logged in to the server (Unauthorized)" in robot.run(Line("get cm one")).err


def test_the_default_token_lives_an_hour_and_names_its_account(kubectl: Kubectl) -> None:
    token = kubectl.run(Line("create token default")).out.strip()
    payload = token.split(".")[1]
    claims = decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["sub"] == f"system:serviceaccount:{kubectl.namespace}:default"
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["kubernetes.io"]["namespace"] == kubectl.namespace
