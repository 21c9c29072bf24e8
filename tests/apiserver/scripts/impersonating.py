"""Being somebody else: what the headers may say, and what others may do."""

from tests.apiserver.scripts.samples import CM, cm
from tests.apiserver.scripts.steps import Script, Step

ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings"
REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
ALICE = {"Impersonate-User": "alice"}
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}


def granted(to: dict[str, str]) -> list[Step]:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"], "resourceNames": ["a"]}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    return [
        Step("POST", ROLES, {"metadata": {"name": "reader"}, "rules": [rule]}, compared=False),
        Step("POST", BINDINGS, {"metadata": {"name": "b"}, "subjects": [to], "roleRef": role}, compared=False),
        Step("POST", CM, cm(), compared=False),
    ]


SCRIPTS: dict[str, Script] = {
    "others may do nothing": [
        Step("GET", CM, headers=ALICE),
        Step("GET", f"{CM}/a", headers=ALICE),
        Step("GET", f"{CM}/a", headers=ALICE, accept="application/yaml"),
        Step("POST", CM, cm(), headers=ALICE),
        Step("POST", CM, b"{", headers=ALICE),
        Step("PUT", f"{CM}/a", cm(), headers=ALICE),
        Step("PATCH", f"{CM}/a", {}, headers=ALICE, type="text/odd"),
        Step("DELETE", f"{CM}/a", headers=ALICE),
        Step("DELETE", CM, headers=ALICE),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1"}, headers=ALICE),
        Step("GET", f"{CM}/a/status", headers=ALICE),
        Step("GET", "/api/v1/nodes", headers=ALICE),
        Step("GET", "/api/v1/things", headers=ALICE),
        Step("GET", "/apis/none.example/v1/things", headers=ALICE),
        Step("GET", "/nonsense", headers=ALICE),
        Step("GET", "/metrics", headers=ALICE),
        Step("GET", "/api", query={"timeout": "x"}, headers=ALICE),
        Step("GET", "/healthz", headers=ALICE),
        Step("HEAD", f"{CM}/a", headers=ALICE),
        Step("OPTIONS", CM, headers=ALICE),
        Step("GET", "/api/v1/namespaces/{ns}", headers=ALICE),
        Step("GET", "/api/v1/namespaces/{ns}/pods/p/log", headers=ALICE),
    ],
    "others may do what they were granted": [
        *granted({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}),
        Step("GET", f"{CM}/a", headers=ALICE),
        Step("GET", f"{CM}/b", headers=ALICE),
        Step("GET", CM, headers=ALICE),
        Step("GET", CM, query={"fieldSelector": "metadata.name=a"}, headers=ALICE),
        Step("GET", CM, query={"fieldSelector": "metadata.name=b"}, headers=ALICE),
        Step("DELETE", f"{CM}/a", headers=ALICE),
    ],
    "groups": [
        *granted({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "readers"}),
        Step("GET", f"{CM}/a", headers={**ALICE, "Impersonate-Group": "readers"}),
        Step("GET", f"{CM}/a", headers={**ALICE, "Impersonate-Group": "writers"}),
        Step("GET", CM, headers={**ALICE, "Impersonate-Group": "system:masters"}),
    ],
    "accounts": [
        *granted({"kind": "ServiceAccount", "name": "robot", "namespace": "{ns}"}),
        Step("GET", f"{CM}/a", headers={"Impersonate-User": "system:serviceaccount:other:robot"}),
        Step("GET", f"{CM}/a", headers={"Impersonate-User": "system:anonymous"}),
        Step("GET", "/healthz", headers={"Impersonate-User": "system:anonymous"}),
        Step("GET", "/api", headers={"Impersonate-User": "system:anonymous"}),
    ],
    "who they say they are": [
        Step("POST", REVIEWS, REVIEW, headers=ALICE),
        Step("POST", REVIEWS, REVIEW, headers={**ALICE, "Impersonate-Uid": "7", "Impersonate-Group": "g"}),
        Step("POST", REVIEWS, REVIEW, headers={**ALICE, "Impersonate-Extra-Scopes": "a", "Impersonate-Extra-A%2fB": "c"}),
        Step("POST", REVIEWS, REVIEW, headers={"Impersonate-User": "system:serviceaccount:{ns}:robot"}),
        Step("POST", REVIEWS, REVIEW, headers={"Impersonate-Group": "g"}),
        Step("POST", REVIEWS, REVIEW, headers={"Impersonate-Uid": "7"}),
        Step("POST", REVIEWS, REVIEW, headers={"Impersonate-Extra-Scopes": "a"}),
        Step("POST", REVIEWS, REVIEW, headers={"Impersonate-User": ""}, compared=False),
        Step("POST", REVIEWS, REVIEW, headers={"Impersonate-User": "", "Impersonate-Group": "g"}),
    ],
}  # fmt: skip
