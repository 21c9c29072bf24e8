"""Rules that the real server keeps too, though its allocators and strategies leave them nothing to find."""

import pytest

from plumbline.apiserver.validation import validated_create, validated_status_update, validated_update
from plumbline.apiserver.validation.checks import condition_errors, qualified_domain_errors
from plumbline.apiserver.validation.config import binding_created
from plumbline.kube.names import GroupVersionKind

_META = {"name": "some", "namespace": "ns", "resourceVersion": "1", "uid": "u"}
_CHANGED = "may not change once set"


def _service(**spec):
    whole = {
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
        **spec,
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": _META, "spec": whole}


def _fields(errors):
    return [(error.field, error.message.rsplit(": ", 1)[-1]) for error in errors]


_V4, _V6 = "10.0.0.1", "fd00::1"
_DUAL = {
    "clusterIP": _V4,
    "clusterIPs": [_V4, _V6],
    "ipFamilies": ["IPv4", "IPv6"],
    "ipFamilyPolicy": "RequireDualStack",
}
_SINGLE = {"clusterIP": _V4, "clusterIPs": [_V4], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
UPDATES = [
    (_SINGLE, _DUAL, [], "a second stack may come"),
    (_DUAL, _SINGLE, [], "a second stack may go"),
    (
        _DUAL,
        {**_SINGLE, "ipFamilyPolicy": "RequireDualStack"},
        [
            ("spec.ipFamilyPolicy", "must be set to 'SingleStack' when releasing the secondary clusterIP"),
            ("spec.ipFamilyPolicy", "must be set to 'SingleStack' when releasing the secondary ipFamily"),
        ],
        "but it must be said",
    ),
    (
        _SINGLE,
        {**_DUAL, "clusterIP": _V6, "clusterIPs": [_V6, _V4]},
        [("spec.clusterIPs[0]", _CHANGED)],
        "the first stays",
    ),
    (
        _SINGLE,
        {**_DUAL, "ipFamilies": ["IPv6", "IPv4"]},
        [("spec.ipFamilies[0]", _CHANGED)],
        "the first family stays",
    ),
    (_SINGLE, {**_SINGLE, "ipFamilies": ["IPv6"]}, [("spec.ipFamilies[0]", _CHANGED)], "a family stays"),
    (
        _SINGLE,
        {"clusterIP": "", "clusterIPs": None, "ipFamilies": None},
        [
            ("spec.clusterIPs[0]", "primary clusterIP can not be unset"),
            ("spec.ipFamilies[0]", "primary ipFamily can not be unset"),
        ],
        "an address does not go",
    ),
    (
        _SINGLE,
        {"clusterIP": "None", "clusterIPs": ["None"]},
        [("spec.clusterIPs[0]", _CHANGED)],
        "an address does not become none",
    ),
    (
        {"clusterIP": "None", "clusterIPs": ["None"]},
        {"clusterIP": "None", "clusterIPs": ["None"]},
        [],
        "none stays none",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected", "why"), UPDATES, ids=[row[-1] for row in UPDATES])
def test_addresses_of_a_service_change_only_at_their_end(old, new, expected, why):
    errors = validated_update(GroupVersionKind("", "v1", "Service"), _service(**new), _service(**old))
    assert _fields(errors)[: len(expected)] == expected, why
    assert bool(errors) == bool(expected), why


INCOMPLETE = [
    ({"type": ""}, "spec.type", "a type"),
    ({"sessionAffinity": ""}, "spec.sessionAffinity", "an affinity"),
    ({"sessionAffinity": "ClientIP"}, "spec.sessionAffinityConfig", "an affinity's settings"),
    (
        {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {}},
        "spec.sessionAffinityConfig.clientIP",
        "for clients",
    ),
    (
        {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {}}},
        "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
        "with a timeout",
    ),
    ({"internalTrafficPolicy": None}, "spec.internalTrafficPolicy", "a policy"),
    ({"ports": [{"port": 80, "targetPort": 80}]}, "spec.ports[0].protocol", "a protocol"),
    ({"clusterIP": _V4}, "spec.clusterIPs", "both spellings of an address"),
    ({"type": "NodePort"}, "spec.externalTrafficPolicy", "a policy for what comes from outside"),
    (
        {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "allocateLoadBalancerNodePorts": True},
        "spec.healthCheckNodePort",
        "a port for health checks",
    ),
    (
        {"type": "LoadBalancer", "externalTrafficPolicy": "Cluster"},
        "allocateLoadBalancerNodePorts",
        "a word on node ports",
    ),
]


@pytest.mark.parametrize(("spec", "field", "why"), INCOMPLETE, ids=[row[-1] for row in INCOMPLETE])
def test_a_service_that_defaults_did_not_complete_is_incomplete(spec, field, why):
    errors = validated_create(GroupVersionKind("", "v1", "Service"), _service(**spec))
    assert [(error.reason, error.field) for error in errors] == [("FieldValueRequired", field)], why


def test_one_node_port_serves_one_port():
    ports = [
        {"port": 80 + each, "name": f"p{each}", "protocol": "TCP", "targetPort": 1, "nodePort": 30000}
        for each in (0, 1)
    ]
    service = _service(type="NodePort", externalTrafficPolicy="Cluster", ports=ports)
    assert _fields(validated_create(GroupVersionKind("", "v1", "Service"), service)) == [
        ("spec.ports[1].nodePort", "30000")
    ]


def test_an_address_without_the_first_one_is_too_much():
    errors = validated_create(GroupVersionKind("", "v1", "Service"), _service(clusterIPs=[_V4]))
    assert _fields(errors) == [("spec.clusterIPs", "must be empty when `clusterIP` is not specified")]


def test_a_balancer_that_is_reached_by_address_says_how():
    service = {**_service(type="LoadBalancer"), "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}
    errors = validated_status_update(GroupVersionKind("", "v1", "Service"), service, service)
    assert _fields(errors) == [("status.loadBalancer.ingress[0].ipMode", "must be specified when `ip` is set")]


def _slice(**fields):
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": _META,
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"]}],
        **fields,
    }


def _many(count):
    return [f"10.0.{each // 250}.{each % 250 + 1}" for each in range(count)]


SLICES = [
    ({"ports": [{"name": "a", "port": 1}]}, [("ports[0].protocol", "Required value")], "a port has a protocol"),
    (
        {"endpoints": [{"addresses": ["10.0.0.1"]}] * 1001},
        [("endpoints", "must have at most 1000 items")],
        "endpoints are not endless",
    ),
    (
        {"ports": [{"name": "a", "port": 1, "protocol": "TCP"}] * 20001},
        [("ports", "must have at most 20000 items")],
        "nor are ports",
    ),
    (
        {"endpoints": [{"addresses": _many(101)}]},
        [("endpoints[0].addresses", "must have at most 100 items")],
        "nor are addresses",
    ),
    (
        {"endpoints": [{"addresses": ["10.0.0.1"], "deprecatedTopology": {f"k{each}": "v" for each in range(17)}}]},
        [("endpoints[0].deprecatedTopology", "must have at most 16 items")],
        "nor is topology",
    ),
    (
        {"endpoints": [{"addresses": ["10.0.0.1"], "deprecatedTopology": {"topology.kubernetes.io/zone": "a"}}]},
        [
            (
                "endpoints[0].deprecatedTopology[topology.kubernetes.io/zone]",
                "reserved key was not removed in conversion",
            )
        ],
        "zones have a field of their own",
    ),
    ({"addressType": "IPX", "endpoints": [{"addresses": ["?"]}]}, None, "addresses of unknown types are not read"),
]


@pytest.mark.parametrize(("fields", "expected", "why"), SLICES, ids=[row[-1] for row in SLICES])
def test_slices_have_bounds(fields, expected, why):
    errors = _fields(validated_create(GroupVersionKind("discovery.k8s.io", "v1", "EndpointSlice"), _slice(**fields)))
    assert errors == expected if expected is not None else [field for field, _ in errors] == ["addressType"], why


LEASES = [
    ({"strategy": "Odd"}, [("spec.strategy.strategy", '"OldestEmulationVersion"')], "an unknown strategy"),
    ({"strategy": "example.com/mine", "preferredHolder": "a"}, [], "a strategy of one's own"),
    ({"strategy": "a b/c"}, None, "a strategy that is no name"),
    (
        {"preferredHolder": "a"},
        [("spec.preferredHolder", "may only be specified if `strategy` is defined")],
        "a holder needs a strategy",
    ),
]


@pytest.mark.parametrize(("spec", "expected", "why"), LEASES, ids=[row[-1] for row in LEASES])
def test_leases_by_strategy(spec, expected, why):
    lease = {"metadata": _META, "spec": spec}
    errors = _fields(validated_create(GroupVersionKind("coordination.k8s.io", "v1", "Lease"), lease))
    assert errors == expected if expected is not None else errors, why


def test_a_review_of_access_has_no_name():
    review = {"metadata": {"name": "a", "labels": {"b": "c"}}, "spec": {"user": "jane", "nonResourceAttributes": {}}}
    errors = validated_create(GroupVersionKind("authorization.k8s.io", "v1", "SubjectAccessReview"), review)
    assert [str(error) for error in errors] == [
        'metadata: Invalid value: {"name":"a","labels":{"b":"c"}}: must be empty'
    ]


@pytest.mark.parametrize("expiration_s", [599, 2**32 + 1])
def test_a_token_lives_neither_too_short_nor_too_long(expiration_s):
    request = {"metadata": {}, "spec": {"expirationSeconds": expiration_s}}
    (error,) = validated_create(GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest"), request)
    assert error.field == "spec.expirationSeconds"


def test_a_priority_that_says_nothing_of_preemption_is_incomplete():
    priority = {"metadata": {"name": "a"}, "value": 1, "preemptionPolicy": ""}
    errors = validated_create(GroupVersionKind("scheduling.k8s.io", "v1", "PriorityClass"), priority)
    assert _fields(errors) == [("preemptionPolicy", "Required value")]


def test_a_pod_is_bound_to_a_node():
    assert _fields(binding_created({"target": {"kind": "Thing"}})) == [
        ("target.kind", '"Node", "<empty>"'),
        ("target.name", "Required value"),
    ]


def test_a_scale_counts_from_nothing():
    gvk = GroupVersionKind("autoscaling", "v1", "Scale")
    scale = {"metadata": _META, "spec": {"replicas": -1}}
    assert _fields(validated_create(gvk, scale)) == [("spec.replicas", "must be greater than or equal to 0")]
    assert _fields(validated_update(gvk, scale, scale)) == [("spec.replicas", "must be greater than or equal to 0")]


def test_a_decision_about_a_certificate_is_shown_as_it_changes():
    gvk = GroupVersionKind("certificates.k8s.io", "v1", "CertificateSigningRequest")

    def request(reason):
        return {"metadata": _META, "status": {"conditions": [{"type": "Denied", "status": "True", "reason": reason}]}}

    errors = validated_status_update(gvk, request("Bad"), request("Good"))
    changed = next(error for error in errors if error.field == "status.conditions")
    assert '-  "Reason": "Good",\n+  "Reason": "Bad",\n' in changed.message


def test_a_certificate_that_was_issued_stays():
    gvk = GroupVersionKind("certificates.k8s.io", "v1", "CertificateSigningRequest")
    old, new = ({"metadata": _META, "status": {"certificate": each}} for each in ("Zm9v", "YmFy"))
    errors = validated_status_update(gvk, new, old)
    assert ("status.certificate", "updates may not modify existing certificate content") in _fields(errors)
    errors = validated_update(gvk, new, old)
    assert ("status.certificate", "updates may not set certificate content") in _fields(errors)


def test_conditions_have_bounds():
    condition = {
        "type": "A",
        "status": "True",
        "reason": "x" * 1025,
        "message": "x" * (32 * 1024 + 1),
        "lastTransitionTime": "2030-01-01T00:00:00Z",
    }
    assert [error.field for error in condition_errors([condition], "c")] == ["c[0].reason", "c[0].message"]


def test_a_domain_may_end_with_a_dot_where_two_segments_do():
    assert not list(qualified_domain_errors("f", "a.b.", segments=2))
    (error,) = qualified_domain_errors("f", f"{'x' * 64}.b", segments=2)
    assert "must be no more than 63 characters" in error.message
