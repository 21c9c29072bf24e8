"""What is read is what Go would have written as JSON: which fields are there, and how they look."""

import struct

import pytest

from plumbline.apiserver.protobuf import decoded
from plumbline.base.errors import BadDocument

from .written import body, chunk, number

ZEROES_OF_A_CONTAINER = chunk(1, "") + chunk(2, "") + number(16, 0) + chunk(20, "")
YEAR_ONE_S = -62_135_596_800


def spec(api_version, kind, raw):
    """The spec of an object of which nothing else is said."""
    return decoded(body(api_version, kind, chunk(2, raw)))["spec"]


def metadata(raw):
    return decoded(body("v1", "ConfigMap", chunk(1, raw)))["metadata"]


def revision(raw):
    return decoded(body("apps/v1", "ControllerRevision", raw))


def schema(raw):
    """The schema of the only version of a CRD."""
    crd = decoded(
        body("apiextensions.k8s.io/v1", "CustomResourceDefinition", chunk(2, chunk(7, chunk(4, chunk(1, raw)))))
    )
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def ports(raw):
    return spec("v1", "Service", chunk(1, number(3, 80) + raw))["ports"][0]


@pytest.mark.parametrize(
    ("raw", "expected", "why"),
    [
        (number(1, 0), 0, "scaled to nothing"),
        (number(1, 3), 3, "a number"),
        (number(1, -1), -1, "negative ones take ten bytes"),
        (number(1, 2**32 + 7), 7, "what does not fit 32 bits is cut off"),
        (b"\x08\x83\x80\x80\x00", 3, "more bytes than needed"),
        (b"\x88\x80\x00\x03", 3, "a tag with more bytes than needed"),
        (b"\x88\x80\x80\x80\x80\x80\x80\x01\x03", 3, "a field number beyond 32 bits"),
    ],
)
def test_a_pointer_that_is_set_stays_whatever_it_holds(raw, expected, why):
    assert spec("apps/v1", "Deployment", raw)["replicas"] == expected, why


def test_what_is_always_in_json_is_there_though_nobody_sent_it():
    assert decoded(body("apps/v1", "Deployment")) == {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {},
        "spec": {
            "selector": None,
            "strategy": {},
            "template": {"metadata": {}, "spec": {"containers": None}},
        },
        "status": {},
    }


def test_what_is_empty_and_no_pointer_is_left_out_or_kept_as_its_tag_says():
    (container,) = spec("v1", "Pod", chunk(2, ZEROES_OF_A_CONTAINER))["containers"]
    assert container == {"name": "", "resources": {}}


def test_the_last_of_two_wins_also_where_it_is_empty():
    twice = chunk(1, "a") + chunk(1, "") + number(7, 3) + number(7, 0) + number(10, 5) + number(10, 0)
    assert metadata(twice) == {"deletionGracePeriodSeconds": 0}
    assert schema(chunk(24, chunk(1, chunk(5, "string"))) + chunk(24, b"")) == {"items": None}


def test_objects_that_come_in_pieces_are_put_together():
    pieces = chunk(1, chunk(1, "x")) + chunk(1, chunk(3, "y") + chunk(11, chunk(1, "a") + chunk(2, "b")))
    pieces += chunk(1, chunk(11, chunk(1, "c")))
    assert decoded(body("v1", "ConfigMap", pieces))["metadata"] == {
        "name": "x",
        "namespace": "y",
        "labels": {"a": "b", "c": ""},
    }


def test_a_list_that_is_always_there_grows_over_pieces():
    piece = chunk(2, chunk(3, chunk(2, chunk(2, chunk(1, "c")))))
    pod = decoded(body("apps/v1", "Deployment", chunk(2, b"") + piece + piece))["spec"]["template"]["spec"]
    assert [each["name"] for each in pod["containers"]] == ["c", "c"]


@pytest.mark.parametrize(
    ("raw", "expected", "why"),
    [
        (chunk(8, b""), {}, "no time, and left out where it is zero"),
        (chunk(8, number(1, YEAR_ONE_S)), {}, "Go's word for no time"),
        (chunk(9, b""), {"deletionTimestamp": None}, "a pointer to no time"),
        (chunk(8, number(1, 0) + number(2, 0)), {"creationTimestamp": "1970-01-01T00:00:00Z"}, "zero is a time"),
        (chunk(8, number(1, -1)), {"creationTimestamp": "1969-12-31T23:59:59Z"}, "before the epoch"),
        (
            chunk(8, number(1, 1_700_000_000) + number(2, 5)),
            {"creationTimestamp": "2023-11-14T22:13:20Z"},
            "no fractions",
        ),
        (chunk(8, number(1, YEAR_ONE_S + 1)), {"creationTimestamp": "0001-01-01T00:00:01Z"}, "four digits"),
        (chunk(8, number(1, 253_402_300_799)), {"creationTimestamp": "9999-12-31T23:59:59Z"}, "the last one"),
    ],
)
def test_times_are_to_the_second(raw, expected, why):
    assert metadata(raw) == expected, why


@pytest.mark.parametrize(
    ("nanos", "expected"),
    [
        (0, "2023-11-14T22:13:20.000000Z"),
        (123_456_999, "2023-11-14T22:13:20.123456Z"),
        (-1, "2023-11-14T22:13:20.000000Z"),
        (-1_500, "2023-11-14T22:13:19.999999Z"),
        (2_000_000_000, "2023-11-14T22:13:22.000000Z"),
    ],
)
def test_the_times_of_leases_are_to_the_microsecond(nanos, expected):
    renewed = chunk(4, number(1, 1_700_000_000) + number(2, nanos))
    assert spec("coordination.k8s.io/v1", "Lease", renewed) == {"renewTime": expected}


def test_no_time_is_none_in_a_lease_too():
    nothing = chunk(4, b"") + chunk(3, number(1, YEAR_ONE_S))
    assert spec("coordination.k8s.io/v1", "Lease", nothing) == {"acquireTime": None, "renewTime": None}


@pytest.mark.parametrize("seconds", [253_402_300_800, YEAR_ONE_S - 1, 2**63 - 1, -(2**63)])
def test_a_time_that_no_calendar_has_is_refused(seconds):
    with pytest.raises(BadDocument, match="a time is outside of the years 1 to 9999"):
        metadata(chunk(8, number(1, seconds)))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (chunk(1, "1500m"), "1500m"),
        (chunk(1, "1.50"), "1500m"),
        (chunk(1, "0.5Gi"), "512Mi"),
        (b"", "0"),
    ],
)
def test_quantities_are_spelled_as_the_server_spells_them(raw, expected):
    assert spec("v1", "ResourceQuota", chunk(1, chunk(1, "cpu") + chunk(2, raw)))["hard"] == {"cpu": expected}


@pytest.mark.parametrize("text", ["", "x", "1Zi"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(BadDocument, match=r"(quantities must match|unable to parse) .*"):
        spec("v1", "ResourceQuota", chunk(1, chunk(1, "cpu") + chunk(2, chunk(1, text))))


@pytest.mark.parametrize(
    ("raw", "expected", "why"),
    [
        (b"", 0, "the field is no pointer"),
        (chunk(4, b""), 0, "an empty one is a number"),
        (chunk(4, number(1, 0) + number(2, 8080) + chunk(3, "")), 8080, "a number"),
        (chunk(4, number(1, 1) + number(2, 0) + chunk(3, "http")), "http", "a string"),
        (chunk(4, number(1, 1)), "", "an empty string"),
    ],
)
def test_numbers_or_strings_are_one_of_the_two(raw, expected, why):
    assert ports(raw)["targetPort"] == expected, why


def test_neither_number_nor_string_is_refused():
    with pytest.raises(BadDocument, match=r"impossible IntOrString\.Type"):
        ports(chunk(4, number(1, 2)))


@pytest.mark.parametrize(
    ("raw", "expected", "why"),
    [
        (b"", None, "nothing"),
        (chunk(1, ""), None, "an empty text"),
        (chunk(1, '{"a": [1, 1.0, null]}'), {"a": [1, 1, None]}, "any JSON"),
        (chunk(1, '{"a": 1, "a": 2}'), {"a": 2}, "the last of two keys"),
    ],
)
def test_json_within_protobuf_is_json_again(raw, expected, why):
    assert revision(chunk(2, raw))["data"] == expected, why
    assert schema(chunk(8, raw)) == {"default": expected}, why


@pytest.mark.parametrize("text", [b"{", b"x", b"\xd9\xd9\xf7\xa0", b'"\xff"'])
def test_what_should_be_json_and_is_not_is_refused(text):
    with pytest.raises(BadDocument, match="a field that holds JSON does not: it is not"):
        revision(chunk(2, chunk(1, text)))


def test_managed_fields_are_json_too():
    entry = chunk(1, "kubectl") + chunk(6, "FieldsV1") + chunk(7, chunk(1, '{"f:data":{}}'))
    (found,) = metadata(chunk(17, entry))["managedFields"]
    assert found == {"manager": "kubectl", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}


@pytest.mark.parametrize(
    ("raw", "expected", "why"),
    [
        (chunk(30, number(1, 0)), {"additionalProperties": False}, "none"),
        (chunk(30, number(1, 1)), {"additionalProperties": True}, "any"),
        (chunk(30, number(1, 1) + chunk(2, chunk(5, "string"))), {"additionalProperties": {"type": "string"}}, "some"),
        (chunk(24, chunk(1, chunk(5, "string"))), {"items": {"type": "string"}}, "one schema"),
        (chunk(24, chunk(2, chunk(5, "string"))), {"items": [{"type": "string"}]}, "a list of them"),
        (chunk(24, b""), {"items": None}, "neither"),
        (chunk(32, chunk(1, "a") + chunk(2, chunk(2, "b"))), {"dependencies": {"a": ["b"]}}, "names"),
        (chunk(32, chunk(1, "a") + chunk(2, chunk(1, b""))), {"dependencies": {"a": {}}}, "a schema"),
        (chunk(32, chunk(1, "a")), {"dependencies": {"a": None}}, "neither"),
    ],
)
def test_schemas_hold_one_of_several_things(raw, expected, why):
    assert schema(raw) == expected, why


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, 0), (-0.0, 0), (1.0, 1), (1.5, 1.5), (1e15, 10**15), (1e30, 1e30)],
)
def test_whole_numbers_lose_their_point_in_json(value, expected):
    found = schema(b"\x49" + struct.pack("<d", value))["maximum"]
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize("raw", [b"\x49" + struct.pack("<d", float("nan")), b"\x49" + struct.pack("<d", float("inf"))])
def test_what_is_no_number_is_no_json(raw):
    with pytest.raises(BadDocument, match="unsupported value"):
        schema(raw)


def test_half_a_number_is_none():
    with pytest.raises(BadDocument, match="unexpected EOF"):
        schema(b"\x49\0\0")


def test_bytes_are_base64():
    secret = decoded(body("v1", "Secret", chunk(2, chunk(1, "a") + chunk(2, b"\0\1")) + chunk(2, chunk(1, "b"))))
    assert secret["data"] == {"a": "AAE=", "b": ""}
    webhook = chunk(2, chunk(1, "w") + chunk(2, chunk(2, b"\xff")))
    found = decoded(body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhook))
    assert found["webhooks"][0]["clientConfig"] == {"caBundle": "/w=="}
    assert spec("certificates.k8s.io/v1", "CertificateSigningRequest", b"")["request"] is None
    assert spec("certificates.k8s.io/v1", "CertificateSigningRequest", chunk(1, b""))["request"] == ""


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (number(4, 1) + number(4, 2), "one by one"),
        (chunk(4, b"\1\2"), "packed"),
        (chunk(4, b"\1") + chunk(4, b"") + number(4, 2), "both"),
    ],
)
def test_lists_of_numbers_come_packed_or_not(raw, why):
    assert spec("v1", "Pod", chunk(14, raw))["securityContext"] == {"supplementalGroups": [1, 2]}, why


def test_packed_numbers_may_not_leave_their_field():
    with pytest.raises(BadDocument, match="unexpected EOF"):
        spec("v1", "Pod", chunk(14, chunk(4, b"\x80") + b"\x01"))


def test_inlined_messages_stand_in_their_owner():
    volume = chunk(1, chunk(1, "v") + chunk(2, chunk(19, chunk(1, chunk(1, "web")) + number(4, 0))))
    assert spec("v1", "Pod", volume)["volumes"] == [{"name": "v", "configMap": {"name": "web", "optional": False}}]
    nothing = spec("v1", "Pod", chunk(1, chunk(1, "v")))
    assert nothing["volumes"] == [{"name": "v"}]
    rule = chunk(2, chunk(3, chunk(1, "CREATE") + chunk(2, chunk(3, "pods"))))
    found = decoded(body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", chunk(1, b"") + rule))
    assert found["webhooks"][0]["rules"] == [{"operations": ["CREATE"], "resources": ["pods"]}]


def test_lists_that_are_values_of_maps_are_there_though_empty():
    extra = chunk(5, chunk(1, "scopes") + chunk(2, chunk(1, "a"))) + chunk(5, chunk(1, "none"))
    assert spec("authorization.k8s.io/v1", "SubjectAccessReview", extra)["extra"] == {"scopes": ["a"], "none": []}


@pytest.mark.parametrize(
    ("raw", "expected", "why"),
    [
        ("ünïcødé 🎉".encode(), "ünïcødé 🎉", "UTF-8"),
        (b"a\xff\xfeb", "a\ufffd\ufffdb", "each wrong byte is replaced"),
        (b"\xe2\x82y", "\ufffd\ufffdy", "also those of half a character"),
        (b"\xed\xa0\x80", "\ufffd" * 3, "and those of a surrogate"),
        (b"\0", "\0", "a null is a character"),
    ],
)
def test_text_is_as_go_writes_it(raw, expected, why):
    assert metadata(chunk(1, raw)) == {"name": expected}, why


@pytest.mark.parametrize(
    ("unknown", "why"),
    [
        (number(99, 2**64 - 1), "a number"),
        (chunk(99, "text"), "a text"),
        (b"\x99\x06" + b"\0" * 8, "eight bytes"),
        (b"\x9d\x06" + b"\0" * 4, "four bytes"),
        (b"\x9b\x06" + chunk(1, "x") + b"\x9b\x06" + number(2, 2) + b"\x9c\x06\x9c\x06", "groups within groups"),
    ],
)
def test_fields_that_nobody_knows_are_passed_over(unknown, why):
    raw = unknown + chunk(1, unknown + chunk(1, "x") + unknown) + chunk(2, unknown + chunk(1, "k") + unknown) + unknown
    assert decoded(body("v1", "ConfigMap", raw)) == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "x"},
        "data": {"k": ""},
    }, why
