"""Objects of every kind come through as they were, whatever their fields hold."""

from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.protobuf import decoded
from plumbline.apiserver.protobuf.table import BODIES

from .written import body_of

KINDS = sorted(BODIES.kinds)
DEPTH = 4
TEXT = st.sampled_from(["", "a", "b-c", "ünï", "x" * 200])
NUMBERS = {
    "int32": st.sampled_from([0, 1, -1, 127, 128, 2**31 - 1, -(2**31)]),
    "int64": st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)]),
    "bool": st.booleans(),
    "bytes": st.binary(max_size=9).map(lambda raw: b64encode(raw).decode()),
    "string": TEXT,
}
JSON = st.sampled_from([{"a": [1, None]}, {}, 3, "x", [True]])
FOLDED = {
    "api/resource.Quantity": st.sampled_from(["0", "1500m", "2Gi"]),
    "apiextensions/v1.JSON": JSON,
    "meta/v1.FieldsV1": JSON,
    "meta/v1.MicroTime": st.sampled_from(["1970-01-01T00:00:00.000000Z", "2024-02-29T01:02:03.000456Z"]),
    "meta/v1.Time": st.sampled_from(["1970-01-01T00:00:00Z", "2024-02-29T01:02:03Z", "0001-01-01T00:00:01Z"]),
    "pkg/runtime.RawExtension": JSON,
    "util/intstr.IntOrString": st.sampled_from([0, 8080, -1, "", "http", "50%"]),
}


def one(draw, kind, depth):
    if kind in NUMBERS:
        return draw(NUMBERS[kind])
    if kind in FOLDED:
        return draw(FOLDED[kind])
    if kind.endswith(".ExtraValue"):
        return draw(st.lists(TEXT, max_size=2))
    if kind.endswith("PropsOrBool"):
        return draw(st.booleans())
    if kind.endswith(("PropsOrStringArray", "PropsOrArray")):
        return {"type": "string"}
    return filled(draw, kind, depth + 1)


def filled(draw, name, depth=0):
    """Fields of *name* at random, and those that JSON always has."""
    obj = {}
    for field in BODIES.fields(name):
        needed = not field.omitted
        if field.name == "-":
            obj |= filled(draw, field.type, depth)
        elif needed and field.shape:
            obj[field.name] = None
        elif needed or (depth < DEPTH and field.type != "double" and draw(st.integers(0, 4)) == 0):
            value = with_shape(draw, field, depth)
            if needed or field.shape == "*" or value not in ("", 0, [], {}) or value is True:
                obj[field.name] = value
    return obj


def with_shape(draw, field, depth):
    if field.shape == "[]":
        return [one(draw, field.type, depth) for _ in range(draw(st.integers(0, 2)))]
    if field.shape == "{}":
        return {key: one(draw, field.type, depth) for key in draw(st.lists(TEXT, max_size=2, unique=True))}
    if field.type == "bytes" and not field.omitted:
        return None
    return one(draw, field.type, depth)


@given(st.data())
def test_what_a_client_sends_is_what_is_read(data):
    api_version, kind = data.draw(st.sampled_from(KINDS))
    obj = filled(data.draw, BODIES.kinds[api_version, kind]) | {"apiVersion": api_version, "kind": kind}
    assert decoded(body_of(obj)) == obj
