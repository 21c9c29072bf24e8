"""TokenRequest gives tokens as asked for, within limits, and refuses in the API server's words."""

import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import RequestRefused
from plumbline.base.json import decode

from .sample import ISSUER, START, Cluster, bound, refused

EPOCH = int(START.timestamp())


def claims_of(answer):
    return decode(base64.urlsafe_b64decode(answer["status"]["token"].split(".")[1] + "=="))


def test_an_empty_request_gives_an_hour_for_the_api():
    answer = Cluster().issuer.issue("home", "robot", {})
    claims = claims_of(answer)
    assert claims == {
        "aud": [ISSUER],
        "exp": EPOCH + 3600,
        "iat": EPOCH,
        "iss": ISSUER,
        "jti": claims["jti"],
        "kubernetes.io": {"namespace": "home", "serviceaccount": {"name": "robot", "uid": "u-robot"}},
        "nbf": EPOCH,
        "sub": "system:serviceaccount:home:robot",
    }
    assert list(claims) == sorted(claims)
    assert answer["spec"] == {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": None}
    assert answer["status"]["expirationTimestamp"] == "2026-01-01T01:00:00Z"
    assert answer["metadata"] == {
        "name": "robot", "namespace": "home", "uid": "u-robot", "creationTimestamp": "2026-01-01T00:00:00Z"}  # fmt: skip


def test_every_token_has_an_id_of_its_own():
    cluster = Cluster()
    ids = {claims_of(cluster.issuer.issue("home", "robot", {}))["jti"] for _ in range(5)}
    assert len(ids) == 5


def test_labels_are_kept_and_times_are_not():
    metadata = {"labels": {"a": "b"}, "creationTimestamp": "then", "name": "robot", "namespace": "home"}
    answer = Cluster().issuer.issue("home", "robot", {"metadata": metadata})
    assert answer["metadata"]["labels"] == {"a": "b"}
    assert answer["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("spec", "lifetime_s", "warned", "why"),
    [
        ({"expirationSeconds": 3607} | bound("Pod", "web"), 31536000, True, "what kubelets ask for is extended"),
        ({"expirationSeconds": 3608} | bound("Pod", "web"), 3608, False, "what others ask for is not"),
        ({"expirationSeconds": 3607} | bound("Node", "n1"), 3607, False, "nor for nodes"),
        ({"expirationSeconds": 3607, "audiences": ["x"]} | bound("Pod", "web"), 3607, False, "nor for others than the API"),
        ({"expirationSeconds": 600}, 600, False, "the shortest"),
        ({"expirationSeconds": 2**32}, 2**32, False, "the longest"),
        ({"expirationSeconds": None}, 3600, False, "the default"),
    ],
)  # fmt: skip
def test_a_token_lasts_as_long_as_asked_for(spec, lifetime_s, warned, why):
    answer = Cluster().issuer.issue("home", "robot", {"spec": spec})
    claims = claims_of(answer)
    assert claims["exp"] - claims["iat"] == lifetime_s, why
    assert claims["kubernetes.io"].get("warnafter") == (EPOCH + 3607 if warned else None)
    assert answer["spec"]["expirationSeconds"] == (spec["expirationSeconds"] or 3600)


INVALID = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: '
REFUSALS = [
    ({"spec": {"expirationSeconds": 599}}, 422, f"{INVALID}599: may not specify a duration less than 10 minutes"),
    (
        {"spec": {"expirationSeconds": 2**32 + 1}},
        422,
        f"{INVALID}4294967297: may not specify a duration larger than 2^32 seconds",
    ),
    ({"spec": {"expirationSeconds": "1h"}}, 400, "spec.expirationSeconds of a TokenRequest must be an integer"),
    ({"spec": {"expirationSeconds": True}}, 400, "spec.expirationSeconds of a TokenRequest must be an integer"),
    (
        {"metadata": {"name": "x"}},
        422,
        (
            'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x":'
            " must match the service account name if specified"
        ),
    ),
    (
        {"metadata": {"namespace": "x"}},
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
    ),
    (
        {"metadata": {"uid": "x"}},
        409,
        (
            'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request'
            " (x) does not match the UID of the service account (u-robot)"
        ),
    ),
    ({"spec": bound("Pod", "nope")}, 404, 'pods "nope" not found'),
    ({"spec": bound("Node", "nope")}, 404, 'nodes "nope" not found'),
    ({"spec": bound("Secret", "nope")}, 404, 'secrets "nope" not found'),
    ({"spec": bound("Pod", "")}, 400, "Name parameter required."),
    ({"spec": bound("ConfigMap", "x")}, 400, "cannot bind token to object of type /v1, Kind=ConfigMap"),
    ({"spec": bound("Pod", "x", apiVersion="a/v1")}, 400, "cannot bind token to object of type a/v1, Kind=Pod"),
    ({"spec": {"boundObjectRef": {}}}, 400, "cannot bind token to object of type /, Kind="),
    (
        {"spec": bound("Pod", "foreign")},
        400,
        'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ),
    (
        {"spec": bound("Secret", "sec", uid="x")},
        409,
        (
            'Operation cannot be fulfilled on Secret "sec": the UID in the bound object reference (x) does not match'
            " the UID in record. The object might have been deleted and then recreated"
        ),
    ),
]


@pytest.mark.parametrize(("request_", "code", "message"), REFUSALS)
def test_a_request_that_cannot_be_met_is_refused(request_, code, message):
    assert refused(lambda: Cluster().issuer.issue("home", "robot", request_)) == (code, message)


def test_nobody_gets_a_token_for_nobody():
    assert refused(lambda: Cluster().issuer.issue("home", "x", {})) == (404, 'serviceaccounts "x" not found')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["boundObjectRef", "kind", "name", "uid", "audiences"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["spec", "metadata"]), JSON))
def test_no_request_breaks_the_issuer(request_):
    with contextlib.suppress(RequestRefused):
        assert Cluster().issuer.issue("home", "robot", request_)["status"]["token"]
