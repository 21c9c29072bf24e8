"""Trees into types, with the values that come out and the words where none does. All words were recorded from Go."""

import pytest

from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.tree import parsed
from plumbline.apiserver.decoding.types import ANY, DOCUMENT, structure
from plumbline.apiserver.decoding.unmarshal import COMPLAINTS, LONGEST, unmarshalled
from plumbline.base.errors import LimitExceeded

TIME = 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'
QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def read(message: str, written: bytes, *, strict: bool = True):
    return unmarshalled(parsed(written), structure(message), strict=strict)


@pytest.mark.parametrize(
    ("message", "written", "said"),
    [
        ("core/v1.ConfigMap", b"[]", "array into Go value of type v1.ConfigMap"),
        ("core/v1.ConfigMap", b'{"data":7}', "number into Go struct field ConfigMap.data of type map[string]string"),
        ("core/v1.ConfigMap", b'{"data":{"a":1}}', "number into Go struct field ConfigMap.data of type string"),
        ("core/v1.ConfigMap", b'{"kind":{}}', "object into Go struct field ConfigMap.TypeMeta.kind of type string"),
        ("core/v1.ConfigMap", b'{"immutable":"x"}', "string into Go struct field ConfigMap.immutable of type bool"),
        ("core/v1.ConfigMap", b'{"binaryData":{"a":[256]}}', "number 256 into Go struct field ConfigMap.binaryData of type uint8"),
        ("core/v1.ConfigMap", b'{"binaryData":{"a":{}}}', "object into Go struct field ConfigMap.binaryData of type []uint8"),
        ("core/v1.ConfigMap", b'{"metadata":{"labels":{"a":true}}}', "bool into Go struct field ObjectMeta.metadata.labels of type string"),
        ("core/v1.ConfigMap", b'{"metadata":{"generation":1.5}}', "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64"),
        ("core/v1.ConfigMap", b'{"metadata":{"generation":9223372036854775808}}', "number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64"),
        ("core/v1.ConfigMap", b'{"metadata":{"creationTimestamp":7}}', "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"),
        ("core/v1.Pod", b'{"spec":{"containers":[{"name":"c"},{"imagePullPolicy":7}]}}', "number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy"),
        ("core/v1.Pod", b'{"spec":{"volumes":[{"emptyDir":7}]}}', "number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource"),
        ("core/v1.Pod", b'{"spec":{"containers":[{"resources":{"limits":7}}]}}', "number into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList"),
        ("core/v1.Pod", b'{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":1.5}}}]}}', "number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32"),
        ("core/v1.Pod", b'{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}', "bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32"),
        ("apps/v1.Deployment", b'{"spec":{"replicas":1e3}}', "number 1e3 into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ("apiextensions/v1.JSONSchemaProps", b'{"maximum":1e999}', "number 1e999 into Go struct field JSONSchemaProps.maximum of type float64"),
        ("apiextensions/v1.JSONSchemaProps", b'{"items":{"properties":{"a":{"type":7}}}}', "number into Go struct field JSONSchemaProps.items.properties.type of type string"),
        ("apiextensions/v1.JSONSchemaProps", b'{"items":[{"required":7}]}', "number into Go struct field JSONSchemaProps.items.required of type []string"),
    ],
)  # fmt: skip
def test_what_a_type_cannot_hold_is_named_with_its_place(message, written, said):
    with pytest.raises(Refusal) as refused:
        read(message, written)
    assert str(refused.value) == f"json: cannot unmarshal {said}"


@pytest.mark.parametrize(
    ("message", "written", "said"),
    [
        ("meta/v1.ObjectMeta", b'{"creationTimestamp":"x"}', TIME),
        ("core/v1.ConfigMap", b'{"binaryData":{"a":"%"}}', "illegal base64 data at input byte 0"),
        ("core/v1.ResourceRequirements", b'{"limits":{"cpu":"x"}}', QUANTITY),
        ("core/v1.ResourceRequirements", b'{"limits":{"cpu":{}}}', QUANTITY),
        ("core/v1.ResourceRequirements", b'{"limits":{"cpu":"1K"}}', "unable to parse quantity's suffix"),
        ("apiextensions/v1.JSONSchemaProps", b'{"additionalProperties":7}', "boolean or JSON schema expected"),
    ],
)
def test_types_that_read_themselves_have_words_of_their_own(message, written, said):
    with pytest.raises(Refusal) as refused:
        read(message, written)
    assert str(refused.value) == said


def test_the_first_fault_is_told_unless_a_type_refuses_later():
    with pytest.raises(Refusal, match=r"field ConfigMap\.data of"):
        read("core/v1.ConfigMap", b'{"data":7,"immutable":7}')
    with pytest.raises(Refusal, match="parsing time"):
        read("core/v1.ConfigMap", b'{"data":7,"metadata":{"creationTimestamp":"x"}}')


@pytest.mark.parametrize(
    ("message", "written", "value", "why"),
    [
        ("core/v1.ConfigMap", b'{"data":{"a":"1"},"data":{"b":"2"}}', {"data": {"a": "1", "b": "2"}}, "maps grow"),
        ("core/v1.ConfigMap", b'{"data":{"a":"1"},"data":null}', {"data": None}, "null takes a map away"),
        ("core/v1.ConfigMap", b'{"metadata":{"name":"a"},"metadata":null}', {"metadata": {"name": "a"}}, "but no structure"),
        ("core/v1.ConfigMap", b'{"immutable":true,"immutable":null}', {"immutable": None}, "a pointer it does"),
        ("core/v1.ConfigMap", b'{"metadata":{"name":"a"},"metadata":{"namespace":"b"}}', {"metadata": {"name": "a", "namespace": "b"}}, "structures are filled further"),
        ("core/v1.PodSpec", b'{"containers":[{"name":"a","image":"x"},{"name":"b"}],"containers":[{"name":"c"}]}', {"containers": [{"name": "c", "image": "x"}]}, "items are, too"),
        ("core/v1.ConfigMap", b'{"binaryData":{"a":[104,105],"b":null}}', {"binaryData": {"a": "aGk=", "b": None}}, "bytes may be numbers"),
        ("core/v1.ResourceRequirements", b'{"limits":{"cpu":1.50,"memory":" 1Gi "}}', {"limits": {"cpu": "1.50", "memory": "1Gi"}}, "quantities are text"),
        ("core/v1.ServicePort", b'{"targetPort":"http","port":-0}', {"targetPort": "http", "port": 0}, "a number or a text"),
        ("apps/v1.ControllerRevision", b'{"data":{"a":[1.0,{"b":null}]}}', {"data": {"a": [1, {"b": None}]}}, "anything in an extension"),
        ("apiextensions/v1.JSONSchemaProps", b'{"items":{"bogus":1,"type":"string"},"additionalProperties":false}', {"items": {"type": "string"}, "additionalProperties": False}, "what schemas within do not know is dropped"),
        ("apiextensions/v1.JSONSchemaProps", b'{"items":7,"dependencies":{"a":["b"],"c":{"type":"x"}},"default":1}', {"items": None, "dependencies": {"a": ["b"], "c": {"type": "x"}}, "default": 1}, "or something else than a schema"),
        ("apiextensions/v1.JSONSchemaProps", b'{"maximum":2,"minimum":1.5}', {"maximum": 2.0, "minimum": 1.5}, "real numbers"),
        ("coordination/v1.LeaseSpec", b'{"renewTime":"2024-01-01T00:00:00.000000Z"}', {"renewTime": "2024-01-01T00:00:00.000000Z"}, "precise times"),
        ("core/v1.ConfigMap", b"null", None, "nothing at all"),
    ],
)  # fmt: skip
def test_values_are_what_go_would_hold(message, written, value, why):
    assert read(message, written).value == value, why


def test_anything_is_read_as_go_reads_it_without_a_type():
    written = b'{"a":1,"b":1.0,"c":1e3,"d":9223372036854775808,"e":-1,"f":1.5,"g":"x","h":false,"i":[null]}'
    value = {
        "a": 1,
        "b": 1,
        "c": 1000,
        "d": 9.223372036854775808e18,
        "e": -1,
        "f": 1.5,
        "g": "x",
        "h": False,
        "i": [None],
    }
    assert unmarshalled(parsed(written), ANY).value == value


def test_complaints_come_in_the_order_of_the_text_and_once():
    written = b'{"bogus":{"deep":1},"data":{"a":"1","a":"2","a":"3"},"Data":{},"metadata":{"x":1,"name":"a","name":"b"},"bogus":2}'
    assert read("core/v1.ConfigMap", written).complaints == (
        'unknown field "bogus"',
        'duplicate field "data.a"',
        'unknown field "Data"',
        'unknown field "metadata.x"',
        'duplicate field "metadata.name"',
    )
    assert read("core/v1.ConfigMap", written, strict=False).complaints == ()


def test_complaints_name_items_and_quote_what_is_odd():
    written = b'{"spec":{"containers":[{},{"env":[{"bo\\"gus":1}]}],"nodeSelector":{"a.b":"1","a.b":"2"}}}'
    assert read("core/v1.Pod", written).complaints == (
        'unknown field "spec.containers[1].env[0].bo\\"gus"',
        'duplicate field "spec.nodeSelector.a.b"',
    )
    assert unmarshalled(parsed(b'{"a":[{"b":1,"b":2}]}'), DOCUMENT).complaints == ('duplicate field "a[0].b"',)


def test_there_are_only_so_many_complaints_and_none_is_too_long():
    many = b",".join(b'"x%d":1' % number for number in range(2 * COMPLAINTS))
    assert len(read("core/v1.ConfigMap", b"{%b}" % many).complaints) == COMPLAINTS
    (long,) = read("core/v1.ConfigMap", b'{"%b":1}' % (b"x" * 2 * LONGEST)).complaints
    assert len(long) < LONGEST + 20


@pytest.mark.parametrize(
    ("message", "opener", "closer", "why"),
    [
        ("apps/v1.ControllerRevision", b'{"data":' + b"[" * 201, b"]" * 201 + b"}", "a value that is kept"),
        ("apiextensions/v1.JSONSchemaProps", b'{"not":' * 201, b"{}" + b"}" * 201, "a type within itself"),
        (
            "apiextensions/v1.JSONSchemaProps",
            b'{"items":' * 900,
            b"{}" + b"}" * 900,
            "a type that reads itself within itself",
        ),
    ],
)
def test_what_is_kept_has_only_so_many_levels(message, opener, closer, why):
    with pytest.raises(LimitExceeded):
        read(message, opener + closer)


def test_what_is_not_kept_may_be_as_deep_as_it_likes():
    assert read("core/v1.ConfigMap", b'{"bogus":' + b"[" * 5000 + b"]" * 5000 + b"}").value == {}
