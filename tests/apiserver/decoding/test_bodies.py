"""Bodies of built-in kinds, in all three formats: what they are, and what is said of those that are something else."""

import pytest
from tests.apiserver.protobuf.written import body as protobuf
from tests.apiserver.scripts.samples import cm

from plumbline.apiserver.decoding.bodies import JSON, PROTOBUF, YAML, Wanted, decoded, refused
from plumbline.apiserver.decoding.deleting import delete_options
from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.registered import go_type, internal_type
from plumbline.apiserver.decoding.types import body_type
from plumbline.base.json import encode
from plumbline.kube.names import GroupVersionKind

CONFIG_MAP = GroupVersionKind("", "v1", "ConfigMap")
WANTED = Wanted(CONFIG_MAP, body_type(CONFIG_MAP))
UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): "
UNREADABLE = f"{UNRECOGNIZED}couldn't get version/kind; json parse error: "
HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
SCHEME = 'in scheme "pkg/runtime/scheme.go:111"'


def said(body: bytes, media: str = JSON, wanted: Wanted = WANTED) -> str:
    with pytest.raises(Refusal) as bad:
        decoded(body, media, wanted)
    return refused(bad.value, wanted.kind, body)


@pytest.mark.parametrize("media", [JSON, YAML])
@pytest.mark.parametrize(
    "sent", [cm(), {"data": {"a": "b"}}, {"kind": "ConfigMap"}, {"apiVersion": "v1", "kind": None}]
)
def test_a_body_need_not_say_what_it_is(media, sent):
    read = decoded(encode(sent), media, WANTED)
    assert read.value == {**sent, "kind": "ConfigMap", "apiVersion": "v1"}
    assert read.kind == CONFIG_MAP


def test_protobuf_is_read_too():
    assert decoded(protobuf("v1", "ConfigMap"), PROTOBUF, WANTED).value == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {},
    }


def test_nothing_is_an_object_without_fields():
    for body, media in ((b"null", JSON), (b"", YAML), (b"---\n", YAML)):
        assert decoded(body, media, WANTED).value == {"kind": "ConfigMap", "apiVersion": "v1"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", f"{UNREADABLE}unexpected end of JSON input (<empty>)"),
        (b"{", f"{UNREADABLE}unexpected end of JSON input ({{)"),
        (b"[]", f"{UNREADABLE}json: cannot unmarshal array into Go value of type {HEAD} (5b5d)"),
        (
            b'{"kind":7}',
            f'{UNREADABLE}json: cannot unmarshal number into Go struct field .kind of type string ({{"kind":7}})',
        ),
        (b'{"a":"' + b"x" * 40, f'{UNREADABLE}unexpected end of JSON input ({{"a":"{"x" * 24} ...)'),
        (b'{"apiVersion":"a/b/c"}', f'{UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({{"apiVersion":"a/b/c"}})'),
    ],
)
def test_what_is_not_recognized_is_shown_by_its_beginning(body, words):
    assert said(body) == words


@pytest.mark.parametrize(
    ("sent", "found", "why"),
    [
        ({"kind": "X"}, 'X in version "v1"', f'no kind "X" is registered for version "v1" {SCHEME}'),
        ({"Kind": "X"}, 'X in version "v1"', f'no kind "X" is registered for version "v1" {SCHEME}'),
        ({"\u212aind": "X"}, 'X in version "v1"', f'no kind "X" is registered for version "v1" {SCHEME}'),
        ({"apiVersion": "v2"}, 'ConfigMap in version "v2"', f'no kind "ConfigMap" is registered for version "v2" {SCHEME}'),
        ({"apiVersion": "apps/"}, 'ConfigMap in version ""', "Object 'apiVersion' is missing in '{\"apiVersion\":\"apps/\"}'"),
        ({"kind": "Secret"}, 'Secret in version "v1"', "converting (v1.Secret) to (core.ConfigMap): unknown conversion"),
        ({"kind": "Status"}, 'Status in version "v1"', "converting (v1.Status) to (core.ConfigMap): unknown conversion"),
        ({"kind": "Pod", "spec": 7}, 'Pod in version "v1"', "json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec"),
        ({"data": 7}, 'ConfigMap in version "v1"', "json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string"),
        ({"kind": "X", "apiVersion": "__internal"}, 'X in version "__internal"', f'no kind "X" is registered for the internal version of group "" {SCHEME}'),
    ],
)  # fmt: skip
def test_what_is_something_else_is_named(sent, found, why):
    assert said(encode(sent)) == f"{found} cannot be handled as a ConfigMap: {why}"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (("v1", "Foo"), f'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" {SCHEME}'),
        (("v1", "Secret"), 'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion'),
    ],
)  # fmt: skip
def test_protobuf_is_refused_in_the_same_words(kind, words):
    assert said(protobuf(*kind), PROTOBUF) == words


def test_protobuf_that_is_none_keeps_its_own_words():
    assert said(b"x", PROTOBUF).startswith(f"{UNRECOGNIZED}provided data does not appear to be a protobuf message")


def test_another_version_of_the_kind_is_read_as_what_it_is():
    kind = GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")
    older = kind._replace(version="v1")
    sent = {"apiVersion": "autoscaling/v1", "kind": kind.kind, "spec": {"maxReplicas": 2}, "bogus": 1}
    read = decoded(encode(sent), JSON, Wanted(kind, body_type(kind)))
    assert (read.kind, read.complaints, read.value["spec"]) == (older, ('unknown field "bogus"',), {"maxReplicas": 2})


def test_types_that_stay_inside_have_other_names_for_fields():
    read = decoded(b'{"apiVersion":"__internal","metadata":{},"data":{}}', JSON, WANTED)
    assert read.complaints == ('unknown field "metadata"', 'unknown field "data"')


def test_strictness_is_a_matter_of_complaints_only():
    body = b'{"data":{"a":"1","a":"2"},"bogus":1}'
    assert decoded(body, JSON, WANTED).complaints == ('duplicate field "data.a"', 'unknown field "bogus"')
    assert decoded(body, JSON, WANTED._replace(strict=False)).complaints == ()
    assert decoded(b"data: {a: b}\ndata: {c: d}\nbogus: 1\n", YAML, WANTED._replace(strict=False)).complaints == ()


@pytest.mark.parametrize(
    ("kind", "owner", "internal"),
    [
        (("v1", "ConfigMap"), "", "core.ConfigMap"),
        (("v1", "ConfigMapList"), "", "core.ConfigMapList"),
        (("events.k8s.io/v1", "Event"), "events.k8s.io", "core.Event"),
        (("extensions/v1beta1", "Deployment"), "apps", "apps.Deployment"),
        (("rbac.authorization.k8s.io/v1", "Role"), "", "rbac.Role"),
        (("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"), "apiextensions.k8s.io", "apiextensions.CustomResourceDefinition"),
        (("v1", "Status"), "", ""),
        (("apps/v1", "DeleteOptions"), "", ""),
        (("__internal", "Pod"), "", "core.Pod"),
    ],
)  # fmt: skip
def test_kinds_are_converted_to_types_that_have_no_version(kind, owner, internal):
    assert internal_type(GroupVersionKind.parse(*kind), owner) == internal


def test_other_servers_know_their_own_kinds_only():
    with pytest.raises(Refusal, match='no kind "Pod" is registered'):
        internal_type(GroupVersionKind("", "v1", "Pod"), "apiextensions.k8s.io")
    with pytest.raises(Refusal, match='no kind "APIService" is registered'):
        internal_type(GroupVersionKind("apiregistration.k8s.io", "v1", "APIService"))


def test_options_are_of_the_same_type_in_every_version():
    assert go_type(GroupVersionKind("apps", "v1beta1", "DeleteOptions")) == "v1.DeleteOptions"
    assert go_type(GroupVersionKind("apps", "v1beta1", "Deployment")) == "v1beta1.Deployment"


@pytest.mark.parametrize(
    "sent",
    [
        b"null", b"{}", b'{"kind":"DeleteOptions"}', b'{"apiVersion":"apps/v1","kind":"DeleteOptions"}', b'{"apiVersion":"no/v9"}', b'{"bogus":1,"dryRun":null}',
    ],
)  # fmt: skip
def test_options_may_claim_any_version(sent):
    assert delete_options(sent, JSON).keys() <= {"kind", "apiVersion"}
    assert delete_options(protobuf("v1", "DeleteOptions"), PROTOBUF)["kind"] == "DeleteOptions"


@pytest.mark.parametrize(
    ("sent", "media", "words"),
    [
        (b"{", JSON, "couldn't get version/kind; json parse error: unexpected end of JSON input"),
        (b"a: [", YAML, "yaml: line 1: did not find expected node content"),
        (b'{"kind":"Pod","apiVersion":"v1"}', JSON, f'no kind "Pod" is registered for version "v1" {SCHEME}'),
        (b'{"kind":"CreateOptions","apiVersion":"v1"}', JSON, "converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion"),
        (b'{"apiVersion":"apps/"}', JSON, "Object 'apiVersion' is missing in '{\"apiVersion\":\"apps/\"}'"),
        (b'{"preconditions":{"uid":7}}', JSON, "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID"),
        (protobuf("v1", "Pod"), PROTOBUF, f'no kind "Pod" is registered for version "v1" {SCHEME}'),
    ],
)  # fmt: skip
def test_options_are_refused_without_more_words(sent, media, words):
    with pytest.raises(Refusal) as bad:
        delete_options(sent, media)
    assert str(bad.value) == words
