import pytest

from plumbline.apiserver.protobuf import decoded
from plumbline.apiserver.protobuf.table import BODIES
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.errors import BadDocument
from plumbline.kube.names import GroupVersionKind

from .written import body, body_of, chunk, number

CONFIG_MAP = GroupVersionKind("", "v1", "ConfigMap")
DELETE_OPTIONS = GroupVersionKind("meta.k8s.io", "v1", "DeleteOptions")
NAMED = chunk(1, chunk(1, "x1"))
UNFIT = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
UNKNOWN = "the object provided is unrecognized (must be of type ConfigMap): "


def test_a_body_is_the_object_that_was_sent():
    sent = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "web", "namespace": "default", "labels": {"a": "b"}},
        "data": {"key": "value"},
        "binaryData": {"raw": "AAECAw=="},
        "immutable": False,
    }
    assert decoded(body_of(sent)) == sent


@pytest.mark.parametrize(
    ("sent", "said", "why"),
    [
        (b"", UNKNOWN + "empty data (<empty>)", "no body"),
        (b"k8s\0", UNKNOWN + "empty body (6b387300)", "nothing after the prefix"),
        (
            b"{}",
            UNKNOWN + "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})",
            "JSON that was announced as protobuf",
        ),
        (
            b"{" + b"x" * 40,
            UNKNOWN
            + "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"
            + "x" * 29
            + " ...)",
            "only the beginning is shown",
        ),
        (body("v1", "ConfigMap")[:9], UNKNOWN + "unexpected EOF (6b3873000a0f0a0276)", "a cut envelope"),
        (
            b"k8s\0" + number(1, 3),
            UNKNOWN + "proto: wrong wireType = 0 for field TypeMeta (6b3873000803)",
            "an envelope of another make",
        ),
        (
            body("v1", "Foo"),
            'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1"',
            "a kind that nobody knows",
        ),
        (
            body("v2", "ConfigMap"),
            UNFIT.replace("v1", "v2") + 'no kind "ConfigMap" is registered for version "v2"',
            "a version that nobody knows",
        ),
        (body("v1", "ConfigMap", NAMED[:-1]), UNFIT + "unexpected EOF", "a field that is longer than its message"),
        (body("v1", "ConfigMap", b"\x0a"), UNFIT + "unexpected EOF", "a field without a length"),
        (body("v1", "ConfigMap", chunk(1, b"\x0a") + b"\0"), UNFIT + "unexpected EOF", "the same within another"),
        (body("v1", "ConfigMap", chunk(1, b"\x38\x80") + b"\0"), UNFIT + "unexpected EOF", "a number that leaves it"),
        (body("v1", "ConfigMap", chunk(1, b"\x38")), UNFIT + "unexpected EOF", "a tag without a number"),
        (body("v1", "ConfigMap", number(1, 3)), UNFIT + "proto: wrong wireType = 0 for field ObjectMeta", "wire type"),
        (
            body("v1", "ConfigMap", chunk(1, number(5, 3))),
            UNFIT + "proto: wrong wireType = 0 for field UID",
            "Go's name of the field",
        ),
        (
            body("v1", "ConfigMap", b"\x02\0"),
            UNFIT + "proto: ConfigMap: illegal tag 0 (wire type 2)",
            "there is no field 0",
        ),
        (
            body("v1", "ConfigMap", chunk(1, chunk(8, b"\x02\0"))),
            UNFIT + "proto: Timestamp: illegal tag 0 (wire type 2)",
            "times are timestamps to Go",
        ),
        (
            body("v1", "ConfigMap", b"\x0c"),
            UNFIT + "proto: ConfigMap: wiretype end group for non-group",
            "the end of a group that nobody began",
        ),
        (body("v1", "ConfigMap", b"\x9b\x06\x20\x04"), UNFIT + "unexpected EOF", "a group without end"),
        (body("v1", "ConfigMap", b"\x9e\x06"), UNFIT + "proto: illegal wireType 6", "a wire type that does not exist"),
        (body("v1", "ConfigMap", b"\xff" * 11), UNFIT + "proto: integer overflow", "a number that does not end"),
        (
            body("v1", "ConfigMap", b"\x0a" + b"\xff" * 9 + b"\x01"),
            UNFIT + "proto: negative length found during unmarshaling",
            "lengths are signed",
        ),
        (
            body("v1", "ConfigMap", b"\x0a" + b"\xff" * 8 + b"\x7f"),
            UNFIT + "proto: negative length found during unmarshaling",
            "places are signed",
        ),
        (body("v1", "ConfigMap", b"\x0a" + b"\xff" * 5 + b"\x01"), UNFIT + "unexpected EOF", "a huge length"),
        (
            body("v1", "ConfigMap", chunk(99, "")[:2] + b"\x7f"),
            UNFIT + "unexpected EOF",
            "the same in an unknown field",
        ),
        (
            body("v1", "ConfigMap", chunk(2, b"\x0a\x05a")),
            UNFIT + "unexpected EOF",
            "a key that is longer than its entry",
        ),
        (body("v1", "ConfigMap", chunk(2, b"\x18\x80") + b"\0"), UNFIT + "unexpected EOF", "an entry that goes on"),
        (
            body("v1", "ConfigMap", chunk(2, b"\x1c")),
            UNFIT + "proto: unexpected end of group",
            "a group's end in an entry",
        ),
    ],
)
def test_what_is_no_body_is_refused_in_the_servers_words(sent, said, why):
    with pytest.raises(BadDocument) as refusal:
        decoded(sent, CONFIG_MAP)
    assert str(refusal.value) == said, why


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (body("", "ConfigMap", NAMED), "no version"),
        (body("v1", "", NAMED), "no kind"),
        (body("", "", NAMED), "neither"),
        (body("a/b/c", "ConfigMap", NAMED), "a version that is none"),
        (b"k8s\0" + chunk(2, NAMED), "no type at all"),
    ],
)
def test_what_a_body_does_not_say_is_what_the_request_is_for(sent, why):
    assert decoded(sent, CONFIG_MAP) == {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x1"}}, why


def test_without_anything_to_go_by_a_body_has_to_say_what_it_is():
    with pytest.raises(BadDocument, match="unrecognized: Object 'Kind' is missing"):
        decoded(b"k8s\0" + chunk(2, NAMED))
    with pytest.raises(BadDocument, match='ConfigMap in version "" cannot be handled as a ConfigMap'):
        decoded(body("", "ConfigMap", NAMED))


def test_another_kind_than_expected_is_for_the_caller_to_refuse():
    found = decoded(body("v1", "Secret", NAMED), CONFIG_MAP)
    assert found == {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "x1"}}


def test_a_long_name_is_not_repeated_at_length():
    with pytest.raises(BadDocument) as refusal:
        decoded(body("v1", "X" * 100_000), CONFIG_MAP)
    assert len(str(refusal.value)) < 1000


@pytest.mark.parametrize("group_version", ["v1", "apps/v1", "meta.k8s.io/v1", "batch/v1beta1", "example.org/v1"])
def test_every_group_has_delete_options_of_its_own(group_version):
    sent = {
        "kind": "DeleteOptions",
        "apiVersion": group_version,
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Orphan",
    }
    assert decoded(body_of(sent), DELETE_OPTIONS) == sent


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (body("v1", "DeleteOptions", b"\x0c"), "proto: DeleteOptions: wiretype end group for non-group"),
        (body("v1", "ConfigMap"), 'no kind "ConfigMap" is registered for version "v1"'),
        (b"k8s\0", "empty body"),
    ],
)
def test_bad_delete_options_are_refused_without_a_preface(sent, said):
    with pytest.raises(BadDocument) as refusal:
        decoded(sent, DELETE_OPTIONS)
    assert str(refusal.value) == said


def test_every_kind_that_is_served_can_be_sent():
    written = {"create", "update"}
    served = {each.kind for each in builtin_resources() if written & set(each.verbs)} | {
        sub.kind
        for each in builtin_resources()
        for sub in each.subresources.values()
        if written & set(sub.verbs) and not sub.kind.kind.endswith("Options")
    }
    assert {kind for kind in served if (kind.api_version, kind.kind) not in BODIES.kinds} == set()
