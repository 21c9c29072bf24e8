"""Any bytes at all give an object or a refusal, and what they cost is bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.protobuf import decoded
from plumbline.apiserver.protobuf.reading import DEEPEST, MOST
from plumbline.apiserver.protobuf.table import BODIES
from plumbline.base.errors import InvalidInput, LimitExceeded

from .written import body, body_of, chunk, number

KINDS = st.sampled_from(sorted(BODIES.kinds))
DEPLOYMENT = body_of(
    {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {
            "name": "web",
            "creationTimestamp": "2024-01-01T00:00:00Z",
            "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}],
        },
        "spec": {
            "replicas": 3,
            "template": {
                "spec": {
                    "containers": [
                        {
                            "name": "web",
                            "resources": {"limits": {"cpu": "1"}},
                            "livenessProbe": {"httpGet": {"port": "http"}},
                        }
                    ]
                }
            },
        },
    }
)


def outcome(sent):
    """The only two ways it may end."""
    try:
        return type(decoded(sent)) is dict
    except InvalidInput as refusal:
        return bool(str(refusal))


@given(st.binary())
def test_bytes_of_any_sort_do_no_harm(raw):
    assert outcome(raw)
    assert outcome(b"k8s\0" + raw)


@given(KINDS, st.binary(max_size=300))
def test_bytes_of_any_sort_do_no_harm_in_any_kind(kind, raw):
    assert outcome(body(*kind, raw))


@given(st.data())
def test_a_good_body_that_was_damaged_does_no_harm(data):
    sent = bytearray(DEPLOYMENT)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(sent) - 1))
        sent[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    assert outcome(bytes(sent))


def test_a_body_that_was_cut_off_is_refused_wherever_that_was():
    raw = DEPLOYMENT[DEPLOYMENT.index(b"Deployment") + 10 : -4]
    assert all(outcome(b"k8s\0" + raw[:end]) for end in range(len(raw)))


def nested(levels):
    """A schema whose opposite is a schema whose opposite …."""
    schema = b""
    for _ in range(levels):
        schema = chunk(28, schema)
    raw = chunk(2, chunk(7, chunk(4, chunk(1, schema))))
    return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", raw)


def test_depth_is_bounded():
    around = 5
    found = decoded(nested(DEEPEST - around))["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    depth = 0
    while "not" in found:
        found, depth = found["not"], depth + 1
    assert depth == DEEPEST - around
    for levels in (DEEPEST - around + 1, 10 * DEEPEST):
        with pytest.raises(LimitExceeded, match="deeper than"):
            decoded(nested(levels))


def test_groups_within_groups_cost_no_depth():
    raw = b"\x9b\x06" * 50_000 + b"\x9c\x06" * 50_000
    assert decoded(body("v1", "ConfigMap", raw))["metadata"] == {}


@pytest.mark.parametrize(
    ("api_version", "kind", "before", "piece", "why"),
    [
        ("v1", "Pod", 2, chunk(2, b""), "objects in a list"),
        ("v1", "Pod", 2, chunk(7, b""), "entries of a map"),
        ("v1", "Pod", 2, chunk(14, b""), "the same object again and again"),
        ("v1", "Pod", 2, number(999, 1), "numbers that nobody knows"),
        ("v1", "Pod", 2, b"\x9b\x06\x9c\x06", "groups that nobody knows"),
        ("policy/v1", "PodDisruptionBudget", 2, chunk(2, b""), "an object in pieces"),
        ("rbac.authorization.k8s.io/v1", "Role", 2, chunk(1, ""), "texts in a list"),
    ],
)
def test_what_takes_little_to_send_and_much_to_keep_is_bounded(api_version, kind, before, piece, why):
    with pytest.raises(LimitExceeded, match="more than") as refusal:
        decoded(body(api_version, kind, chunk(before, piece * (MOST + 1))))
    assert refusal.value.code == "limit-exceeded", why


def test_packed_numbers_are_bounded():
    with pytest.raises(LimitExceeded):
        decoded(body("v1", "Pod", chunk(2, chunk(14, chunk(4, b"\1" * (MOST + 1))))))


def test_what_is_always_there_counts_too():
    """An empty claim template in a body is five objects in memory."""
    with pytest.raises(LimitExceeded):
        decoded(body("apps/v1", "StatefulSet", chunk(2, chunk(4, b"") * (MOST // 2))))


def test_json_within_protobuf_is_bounded_as_a_body_is():
    with pytest.raises(LimitExceeded):
        decoded(body("apps/v1", "ControllerRevision", chunk(2, chunk(1, b"[" * 100_000 + b"]" * 100_000))))
