"""All other kinds."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies import pairs
from tests.apiserver.strategies.turns.samples import CORE, keys, made, made_service, patched

SCRIPTS: Mapping[str, Script] = {
    "accounts": [
        made(
            f"{CORE}/serviceaccounts",
            {
                "metadata": {"name": "a", "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}},
                "secrets": [{"name": "s", "kind": "Secret", "namespace": "n"}, {"kind": "Secret"}],
            },
        ),
        patched(f"{CORE}/serviceaccounts/a", {"metadata": {"labels": {"x": "y"}}}),
        Step("DELETE", f"{CORE}/serviceaccounts/a"),
    ],
    "limit ranges without a name": [
        made(f"{CORE}/limitranges", {"metadata": {}, "spec": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}})
    ],
    "quotas that contradict themselves": [
        made(
            f"{CORE}/resourcequotas",
            {
                "metadata": {"name": "q"},
                "spec": {"hard": {"cpu": "2", "limits.cpu": "1", "requests.memory": "2Gi", "limits.memory": "1Gi"}},
            },
        ),
    ],
    "secrets for TLS": [
        made(
            f"{CORE}/secrets",
            {"metadata": {"name": "a"}, "type": "kubernetes.io/tls", "data": {"tls.crt": "", "tls.key": ""}},
        ),
        made(
            f"{CORE}/secrets",
            {"metadata": {"name": "b"}, "type": "kubernetes.io/tls", "stringData": {"tls.crt": "x", "tls.key": "y"}},
        ),
        made(
            f"{CORE}/secrets",
            {
                "metadata": {"name": "c"},
                "type": "kubernetes.io/tls",
                "stringData": {
                    "tls.crt": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                    "tls.key": "",
                },
            },
        ),
        made(
            f"{CORE}/secrets",
            {
                "metadata": {"name": "d"},
                "type": "kubernetes.io/tls",
                "stringData": {
                    "tls.crt": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                    "tls.key": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                },
            },
        ),
        made(
            f"{CORE}/secrets",
            {
                "metadata": {"name": "e"},
                "type": "kubernetes.io/tls",
                "stringData": {
                    "tls.crt": "-----BEGIN X-----\nAAAA\n-----END X-----\n-----BEGIN Y-----\nAAAA\n-----END Y-----\n",
                    "tls.key": "",
                },
            },
        ),
        made(
            f"{CORE}/secrets",
            {
                "metadata": {"name": "f"},
                "type": "kubernetes.io/tls",
                "stringData": {
                    "tls.crt": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                    "tls.key": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                },
            },
        ),
    ],
    "secrets with keys": [
        keys("a", pairs.CERTIFICATE, pairs.KEY),
        keys("b", pairs.CERTIFICATE, pairs.OLD_KEY),
        keys("c", pairs.CERTIFICATE, pairs.OTHER_KEY),
        keys("d", pairs.CERTIFICATE, pairs.EDWARDS_KEY),
        keys("e", pairs.CERTIFICATE, pairs.KEY.replace("M", "A")),
        keys("f", pairs.OTHER_KEY + pairs.CERTIFICATE, pairs.CERTIFICATE + pairs.KEY),
        keys("g", pairs.CERTIFICATE, "-----BEGIN X-----\nAAAA\n-----END X-----\n"),
        keys("h", pairs.CERTIFICATE, "-----BEGIN PRIVATE KEY-----\nA: b\n\n!!!!\n-----END PRIVATE KEY-----\n"),
    ],
    "ranges": [
        made(
            "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
            {
                "metadata": {"name": "n"},
                "spec": {
                    "podSelector": {},
                    "ingress": [
                        {"from": [{"podSelector": {}}, {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}
                    ],
                    "egress": [{"to": [{"ipBlock": {"cidr": "fd00:0::/32"}}]}],
                },
            },
        ),
        made(
            "/api/v1/nodes",
            {"metadata": {"name": "{ns}"}, "spec": {"podCIDRs": ["fd00:0::/64"], "podCIDR": "fd00:0::/64"}},
        ),
        Step("DELETE", "/api/v1/nodes/{ns}"),
        made_service("a", type="LoadBalancer", loadBalancerSourceRanges=["fd00:0::/32", "10.0.0.0/8"]),
        made_service("b", type="ExternalName", externalName="x", externalIPs=["1.2.3.4"]),
    ],
    "endpoints": [
        made(
            f"{CORE}/endpoints",
            {"metadata": {"name": "e"}, "subsets": [{"addresses": [{"ip": "fd00:0::1"}], "ports": [{"port": 1}]}]},
        ),
        Step("GET", f"{CORE}/endpoints"),
        Step("GET", f"{CORE}/endpoints/none-such"),
        made(
            "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
            {
                "metadata": {"name": "e"},
                "addressType": "FQDN",
                "endpoints": [
                    {"addresses": ["a.b"], "deprecatedTopology": {"kubernetes.io/hostname": "n", "other": "x"}}
                ],
            },
        ),
        patched("/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices/e", {"metadata": {"labels": {"x": "y"}}}),
        patched(
            "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices/e", {"metadata": {"annotations": {"x": "y"}}}
        ),
        Step("GET", "/api/v1/componentstatuses/none-such", compared=False),
    ],
    "networks": [
        made(
            "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
            {
                "metadata": {"name": "i", "annotations": {"kubernetes.io/ingress.class": "x"}},
                "spec": {"defaultBackend": {"service": {"name": "x", "port": {"number": 1}}}},
            },
        ),
        patched(
            "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses/i/status",
            {"status": {"loadBalancer": {"ingress": [{"ip": "fd00:0::1"}]}}},
        ),
    ],
    "nodes": [
        made(
            "/api/v1/nodes",
            {
                "metadata": {"name": "{ns}"},
                "spec": {
                    "externalID": "x",
                    "podCIDR": "10.0.0.0/24",
                    "configSource": {"configMap": {"name": "n", "namespace": "m", "kubeletConfigKey": "k"}},
                },
                "status": {"config": {"error": "x"}, "phase": "Running"},
            },
        ),
        patched(
            "/api/v1/nodes/{ns}",
            {"spec": {"configSource": {"configMap": {"name": "n", "namespace": "m", "kubeletConfigKey": "k"}}}},
        ),
        patched("/api/v1/nodes/{ns}/status", {"status": {"config": {"error": "x"}}}),
        Step("DELETE", "/api/v1/nodes/{ns}"),
    ],
    "classes with old labels": [
        made(
            "/apis/node.k8s.io/v1/runtimeclasses",
            {
                "metadata": {"name": "{ns}"},
                "handler": "h",
                "scheduling": {"nodeSelector": {"beta.kubernetes.io/os": "x"}},
            },
        ),
        made(
            "/apis/storage.k8s.io/v1/storageclasses",
            {
                "metadata": {"name": "{ns}"},
                "provisioner": "p",
                "allowedTopologies": [{"matchLabelExpressions": [{"key": "beta.kubernetes.io/os", "values": ["x"]}]}],
            },
        ),
        made(
            "/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities",
            {
                "metadata": {"name": "c"},
                "storageClassName": "x",
                "nodeTopology": {
                    "matchLabels": {"beta.kubernetes.io/os": "x"},
                    "matchExpressions": [{"key": "beta.kubernetes.io/os", "operator": "Exists"}],
                },
            },
        ),
        made(
            "/apis/storage.k8s.io/v1/csidrivers",
            {"metadata": {"name": "{ns}"}, "spec": {"tokenRequests": [{"audience": "x"}]}},
        ),
        patched("/apis/storage.k8s.io/v1/csidrivers/{ns}", {"spec": {"requiresRepublish": True}}),
    ],
    "conditions that cannot be written at once": [
        Step("PUT", "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/none", {"metadata": {"name": "none"}}),
        made(
            "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
            {"metadata": {"name": "b"}, "spec": {"minAvailable": 1}},
        ),
        Step(
            "PUT",
            "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/b",
            {"metadata": {"name": "b"}, "spec": {"minAvailable": 2}},
        ),
        Step(
            "PUT", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/new", {"metadata": {"name": "new"}, "spec": {}}
        ),
        Step(
            "PUT", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/new", {"metadata": {"name": "new"}, "spec": {}}
        ),
        Step("PUT", f"{CORE}/configmaps/new", {"metadata": {"name": "new"}}),
        Step("PUT", f"{CORE}/events/new", {"metadata": {"name": "new"}, "involvedObject": {"namespace": "{ns}"}}),
        Step("PUT", "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/new", {"metadata": {"name": "new"}}),
    ],
}
