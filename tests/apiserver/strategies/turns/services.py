"""Services: addresses, ports, and what changes with their type."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.lives import MERGE
from tests.apiserver.strategies.turns.samples import APPLY, CORE, changed, made_service, patched, service

SCRIPTS: Mapping[str, Script] = {
    "addresses": [
        made_service("a"),
        made_service("b", clusterIP="1.2.3.4"),
        made_service("c", clusterIP="bogus"),
        made_service("d", clusterIP="10.96.7.7"),
        made_service("e", clusterIP="10.96.7.7"),
        made_service("f", clusterIPs=["10.96.7.8"]),
        made_service("g", clusterIP="10.96.7.8", clusterIPs=["10.96.7.9"]),
        made_service("h", clusterIP="10.96.0.0"),
        made_service("i", clusterIP="10.96.255.255"),
        made_service("j", clusterIP="fd00::1"),
        Step("DELETE", f"{CORE}/services/d"),
        made_service("e", clusterIP="10.96.7.7"),
        Step("DELETE", f"{CORE}/services/e"),
    ],
    "families": [
        made_service("a", ipFamilyPolicy="RequireDualStack"),
        made_service("b", ipFamilyPolicy="PreferDualStack"),
        patched(f"{CORE}/services/b", {"spec": {"selector": {"x": "y"}}}),
        patched(f"{CORE}/services/b", {"spec": {"ipFamilyPolicy": "SingleStack"}}),
        made_service("c", ipFamilies=["IPv6"]),
        made_service("d", ipFamilies=["IPv4", "IPv6"]),
        made_service("e", ipFamilies=["bogus"]),
        made_service("f", clusterIP="None"),
        made_service("g", clusterIP="None", selector={"x": "y"}),
        made_service("h", clusterIP="None", ipFamilyPolicy="SingleStack"),
        made_service("i", clusterIP="None", selector={"x": "y"}, ipFamilyPolicy="RequireDualStack"),
        made_service("k", clusterIP="None", ipFamilies=["IPv6"]),
    ],
    "ports": [
        made_service("a", type="NodePort"),
        made_service("b", type="NodePort", ports=[{"port": 80, "nodePort": 30007}]),
        made_service("c", type="NodePort", ports=[{"port": 80, "nodePort": 30007}]),
        made_service("d", type="NodePort", ports=[{"port": 80, "nodePort": 1}]),
        made_service(
            "e",
            type="NodePort",
            ports=[{"port": 80, "name": "a"}, {"port": 80, "protocol": "UDP", "name": "b"}, {"port": 81, "name": "c"}],
        ),
        made_service(
            "f",
            type="NodePort",
            ports=[
                {"port": 80, "name": "a", "nodePort": 30008},
                {"port": 80, "protocol": "UDP", "name": "b", "nodePort": 30009},
            ],
        ),
        made_service("g", type="LoadBalancer", externalTrafficPolicy="Local"),
        made_service("h", type="LoadBalancer", externalTrafficPolicy="Local", healthCheckNodePort=30007),
        made_service("i", type="LoadBalancer", allocateLoadBalancerNodePorts=False),
        made_service(
            "j", type="LoadBalancer", allocateLoadBalancerNodePorts=False, ports=[{"port": 80, "nodePort": 30010}]
        ),
        Step("DELETE", f"{CORE}/services/b"),
        made_service("c", type="NodePort", ports=[{"port": 80, "nodePort": 30007}]),
        *(Step("DELETE", f"{CORE}/services/{name}") for name in "cfj"),
    ],
    "dry runs": [
        Step("POST", f"{CORE}/services", service("a"), {"dryRun": "All"}),
        Step("POST", f"{CORE}/services", service("a", type="NodePort"), {"dryRun": "All"}),
        Step(
            "POST",
            f"{CORE}/services",
            service("a", type="NodePort", ports=[{"port": 1, "nodePort": 7}, {"port": 2, "name": "x"}]),
            {"dryRun": "All"},
        ),
        Step("POST", f"{CORE}/services", service("a", clusterIP="1.2.3.4"), {"dryRun": "All"}),
        Step(
            "POST",
            f"{CORE}/services",
            service("a", type="LoadBalancer", externalTrafficPolicy="Local"),
            {"dryRun": "All"},
        ),
        made_service("b"),
        Step("PATCH", f"{CORE}/services/b", {"spec": {"type": "NodePort"}}, {"dryRun": "All"}, type=MERGE),
        Step("GET", f"{CORE}/services/b"),
    ],
    "what an update leaves unsaid": [
        made_service("a", type="NodePort", ports=[{"port": 80, "name": "x"}, {"port": 81, "name": "y"}]),
        Step("GET", f"{CORE}/services/a"),
        Step(
            "PUT",
            f"{CORE}/services/a",
            service("a", type="NodePort", ports=[{"port": 80, "name": "x"}, {"port": 82, "name": "z"}]),
        ),
        Step("GET", f"{CORE}/services/a"),
        Step("PUT", f"{CORE}/services/a", service("a")),
        Step("PUT", f"{CORE}/services/a", service("a", clusterIP="None")),
        Step("PUT", f"{CORE}/services/a", service("a", clusterIP="10.96.1.1")),
    ],
    "types change": [
        made_service("a", type="LoadBalancer", externalTrafficPolicy="Local", loadBalancerClass="x.io/y"),
        patched(f"{CORE}/services/a/status", {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
        patched(f"{CORE}/services/a", {"spec": {"type": "NodePort"}}),
        patched(f"{CORE}/services/a", {"spec": {"type": "ClusterIP"}}),
        patched(f"{CORE}/services/a", {"spec": {"type": "ExternalName", "externalName": "x.y"}}),
        patched(f"{CORE}/services/a", {"spec": {"type": "ClusterIP", "externalName": None}}),
        patched(f"{CORE}/services/a", {"spec": {"type": "NodePort"}}),
        patched(f"{CORE}/services/a", {"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}}),
        patched(f"{CORE}/services/a", {"spec": {"externalTrafficPolicy": "Cluster"}}),
    ],
    "created by an update": [
        Step("PUT", f"{CORE}/services/new", service("new", metadata={"namespace": "{ns}"})),
        Step(
            "PATCH",
            f"{CORE}/services/applied",
            {"apiVersion": "v1", "kind": "Service", **service("applied")},
            {"fieldManager": "m"},
            type=APPLY,
        ),
    ],
    "the same port twice": [
        made_service("a", type="NodePort"),
        changed(
            f"{CORE}/services/a",
            lambda obj: {
                **obj,
                "spec": {
                    **obj["spec"],
                    "ports": [
                        {**obj["spec"]["ports"][0], "name": "x"},
                        {**obj["spec"]["ports"][0], "port": 81, "name": "y"},
                    ],
                },
            },
        ),
    ],
    "warned of": [
        made_service("a", metadata={"annotations": {"service.kubernetes.io/topology-aware-hints": "auto"}}),
        made_service("b", clusterIP="None", sessionAffinity="ClientIP", externalIPs=["1.2.3.4"]),
        made_service("c", externalIPs=["1.2.3.4", "::ffff:1.2.3.4"], externalName="x"),
        made_service("d", type="ExternalName", externalName="x", externalIPs=["1.2.3.4"]),
        made_service("e", type="LoadBalancer", loadBalancerIP="1.2.3.4", loadBalancerSourceRanges=["10.0.0.1/8"]),
        made_service("f", trafficDistribution="PreferClose"),
        patched(f"{CORE}/services/e/status", {"status": {"loadBalancer": {"ingress": [{"ip": "fd00:0::1"}]}}}),
    ],
}
