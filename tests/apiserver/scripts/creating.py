"""Creating: what is refused, what the server adds, what it makes of names."""

from tests.apiserver.scripts.samples import CM, DEPLOY, JSON_PATCH, MERGE, cm, deploy, made
from tests.apiserver.scripts.steps import Script, Step

RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}

SCRIPTS: dict[str, Script] = {
    "create, read, again": [made(), Step("GET", f"{CM}/a"), made(), Step("GET", f"{CM}/none")],
    "create without a body": [Step("POST", CM, b"")],
    "create with broken json": [Step("POST", CM, b'{"a":'), Step("POST", CM, b"[]"), Step("POST", CM, b'"x"')],
    "create of another kind": [Step("POST", CM, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}})],
    "create in another version": [Step("POST", CM, cm(apiVersion="v2")), Step("POST", CM, cm(apiVersion="apps/v1"))],
    "create without kind": [Step("POST", CM, {"metadata": {"name": "bare"}, "data": {"a": "b"}})],
    "create in another namespace": [Step("POST", CM, cm(metadata={"name": "a", "namespace": "elsewhere"}))],
    "create without a name": [Step("POST", CM, cm(metadata={}))],
    "create with a bad name": [Step("POST", CM, cm("A_b")), Step("POST", CM, cm("x" * 254))],
    "create with a resource version": [Step("POST", CM, cm(metadata={"name": "a", "resourceVersion": "7"}))],
    "create with system fields": [
        Step("POST", CM, cm(metadata={"name": "a", "uid": "u", "selfLink": "x", "generation": 7, "creationTimestamp": "2020-01-01T00:00:00Z"})),
    ],
    "create dry": [Step("POST", CM, cm(), {"dryRun": "All"}), Step("GET", f"{CM}/a"), Step("POST", CM, cm(), {"dryRun": "Some"})],
    "create with a manager": [
        Step("POST", CM, cm(), {"fieldManager": "me"}),
        Step("POST", CM, cm("b"), {"fieldManager": "x" * 129}),
        Step("POST", CM, cm("b"), {"fieldManager": "a\u0007b"}),
    ],
    "create where nothing is": [Step("POST", "/api/v1/namespaces/none-such/configmaps", cm())],
    "field validation": [
        Step("POST", CM, cm("warn", bogus=1, other={"x": 1})),
        Step("POST", CM, cm("strict", bogus=1), {"fieldValidation": "Strict"}),
        Step("POST", CM, cm("ignored", bogus=1), {"fieldValidation": "Ignore"}),
        Step("POST", CM, cm("odd"), {"fieldValidation": "Maybe"}),
        Step("POST", CM, b'{"metadata":{"name":"dup"},"data":{"a":"1","a":"2"},"data":{"a":"3"}}'),
        Step("POST", CM, b'{"metadata":{"name":"dup2"},"data":{"a":"1","a":"2"}}', {"fieldValidation": "Strict"}),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "bogus": {"deep": 1}, "Replicas": 2}}),
    ],
    "types": [
        Step("POST", CM, cm(data={"a": 1})),
        Step("POST", CM, cm(data=["a"])),
        Step("POST", CM, cm(data="x")),
        Step("POST", CM, cm(immutable="yes")),
        Step("POST", CM, cm(metadata={"name": 7})),
        Step("POST", CM, cm(metadata={"name": "a", "labels": {"a": 1}})),
        Step("POST", CM, cm(metadata="a")),
        Step("POST", CM, cm(binaryData={"a": "%%%"})),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "replicas": "two"}}),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "replicas": 1.5}}),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "replicas": 99999999999}}),
        Step("POST", DEPLOY, {**deploy(), "spec": []}),
    ],
    "generated names": [
        Step("POST", CM, cm(metadata={"generateName": "g-" + "x" * 70}), compared=False),
        Step("POST", CM, cm(metadata={"name": "given", "generateName": "g-"})),
        Step("POST", CM, cm(metadata={"generateName": "BAD-"}), compared=False),
    ],
    "large": [
        Step("POST", CM, cm(data={"k": "v" * 1_048_576})),
        Step("POST", CM, cm(data={"k": "v" * 1_048_570})),
    ],
    "owners": [
        Step("POST", CM, cm(metadata={"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}] * 2})),
    ],
    "generated names that are taken": [
        # Of 27^5 names none is taken twice by chance; a name that is given and taken is said to be.
        made("g-bcdfg"),
        Step("POST", CM, cm(metadata={"name": "g-bcdfg", "generateName": "g-"})),
        Step("POST", CM, cm(metadata={"generateName": "g-"})),
        Step("POST", CM, cm(metadata={"generateName": "x" * 60 + "-"}), {"dryRun": "All"}),
        Step("POST", CM, cm(metadata={"generateName": "-bad"}), compared=False),
        Step("POST", CM, cm(metadata={"generateName": ""})),
    ],
    "managers": [
        Step("POST", CM, cm("agent"), headers={"User-Agent": "kubectl/v1.36 (linux/amd64)"}),
        Step("POST", CM, cm("plain"), headers={"User-Agent": "plain"}),
        Step("POST", CM, cm("slash"), headers={"User-Agent": "/x"}),
        Step("POST", CM, cm("empty"), headers={"User-Agent": ""}),
        Step("POST", CM, cm("long"), headers={"User-Agent": "x" * 200}),
        Step("POST", CM, cm("query"), {"fieldManager": "a b"}),
        Step("POST", CM, cm("mine", metadata={"name": "mine", "managedFields": [
            {"manager": "other", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}},
        ]})),
        Step("POST", CM, cm("bad", metadata={"name": "bad", "managedFields": [{"manager": "other", "operation": "Odd"}]})),
        Step("POST", CM, cm("none", metadata={"name": "none", "managedFields": []})),
    ],
    "metadata": [
        Step("POST", CM, cm(metadata={"name": "labels", "labels": {"a/b/c": "x"}, "annotations": {"A B": "x"}})),
        Step("POST", CM, cm(metadata={"name": "fin", "finalizers": ["nodomain", "a.example/b", "a.example/b"]})),
        Step("POST", CM, cm(metadata={"name": "orphan", "finalizers": ["orphan", "foregroundDeletion"]})),
        Step("POST", CM, cm(metadata={"name": "going", "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3})),
        Step("POST", CM, cm(metadata={"name": "own", "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap"}]})),
        Step("POST", CM, cm(metadata={"name": "two", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u", "controller": True},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "p", "uid": "w", "controller": True},
        ]})),
        Step("POST", CM, cm(metadata={"name": "event", "ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "o", "uid": "u"}]})),
        Step("POST", CM, cm(metadata={"name": "dotted.name.example", "namespace": "{ns}"})),
        Step("POST", CM, cm(metadata={"name": ""})),
        Step("POST", CM, cm(metadata={"name": None})),
        Step("POST", CM, cm(metadata=None)),
        Step("POST", CM, cm(data=None)),
        *(Step("POST", CM, cm(data={key: "x"})) for key in ("..", "a b", "", "x" * 254)),
        Step("POST", CM, cm(data={"k": "v"}, binaryData={"k": "dg=="})),
    ],
    "owners that differ": [
        Step("POST", CM, cm(metadata={"name": "a", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "w"},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "w"},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u", "controller": True},
        ]})),
        Step("PATCH", f"{CM}/a", [{"op": "add", "path": "/metadata/ownerReferences/-", "value": {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "w"}}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}] * 3}}, type=MERGE),
        Step("PUT", f"{CM}/a", cm(metadata={"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}] * 2})),
    ],
    "cluster-wide": [
        Step("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {"metadata": {"name": "{ns}", "namespace": "x"}, "rules": [RULE]}),
        Step("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {"metadata": {"name": "{ns}"}, "rules": [RULE]}),
        Step("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/{ns}"),
        Step("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles/{ns}"),
        Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}"}}),
        Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-other", "labels": {"kubernetes.io/metadata.name": "odd"}}}),
        Step("POST", "/api/v1/namespaces", {"metadata": {"name": "Not.A.Label"}}),
        Step("POST", "/api/v1/namespaces", {"metadata": {"generateName": "{ns}-"}}),
    ],
}  # fmt: skip
