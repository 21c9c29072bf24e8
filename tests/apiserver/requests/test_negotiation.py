"""Which form an answer has."""

import pytest

from plumbline.apiserver.calls import Call
from plumbline.apiserver.crds.definition import Definition
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.models.custom import CustomModel
from plumbline.apiserver.requests.negotiation import (
    Representation,
    clauses_of,
    negotiated,
    prefers_yaml,
    refuse_form,
    wants_indentation,
)
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.errors import RequestRefused

BUILTIN = next(BuiltinModel(each) for each in builtin_resources() if each.plural == "configmaps")
NAMES = {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"}
CRD = {
    "metadata": {"name": "things.example.org"},
    "spec": {"group": "example.org", "scope": "Namespaced", "names": NAMES, "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}]},
    "status": {"acceptedNames": NAMES, "conditions": [{"type": "Established", "status": "True"}]},
}  # fmt: skip


async def _never(definition, version, objects):
    raise AssertionError


def custom() -> CustomModel:
    definition = Definition(CRD)
    return CustomModel(definition.resources[0], definition, 1, _never)


CUSTOM = custom()
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PROTOBUF = "application/vnd.kubernetes.protobuf"
YAML = Representation(yaml=True)
JSON = Representation()


def call(accept: str = "", query: str = "", agent: str = "") -> Call:
    return Call("GET", "/", query, {"accept": accept, "user-agent": agent})


@pytest.mark.parametrize(
    ("accept", "wanted", "why"),
    [
        ("", JSON, "whoever does not say gets JSON"),
        ("*/*", JSON, "or does not care"),
        ("application/yaml", YAML, "YAML is offered"),
        ("application/json;q=0.1,application/yaml;q=0.9", YAML, "the one that is wanted more"),
        ("application/yaml;q=0.1, application/json;q=0.1", YAML, "the first of two that are wanted alike"),
        ("*/*;q=0.9, application/yaml;q=0.1", YAML, "a star comes last whatever its quality"),
        ("application/yaml;q=x, application/json", JSON, "a quality that is none is zero"),
        ("application/yaml;q= 0.5, application/json;q=0.2", JSON, "so is one with a space"),
        (f"{PROTOBUF}, application/json", JSON, "the next best of what is not written here"),
        (f"{PROTOBUF},*/*", JSON, "even if it is anything"),
        (TABLE, Representation(form="Table"), "a table"),
        ("application/yaml;as=Table;v=v1beta1;g=meta.k8s.io", Representation(yaml=True, form="Table", version="v1beta1"), "a table as YAML"),
        (f"{TABLE},application/json", Representation(form="Table"), "kubectl"),
        ("application/json;as=Odd;v=v1;g=meta.k8s.io, application/json", JSON, "what is not offered is passed over"),
        ("application/json;as=Table;v=v2;g=meta.k8s.io,application/yaml", YAML, "in a version that is not, too"),
        (PARTIAL, Representation(form="PartialObjectMetadata"), "metadata only"),
        ("application/json;stream=watch;sv=v1;charset=utf-8;profile=x", JSON, "parameters that change nothing"),
        ("application/json;pretty=1", Representation(indented=True), "one that does"),
        ("application/json;;=;a=b=c;d", JSON, "parameters that are none"),
        ("application/json/", JSON, "a slash too many is only one too many"),
    ],
)  # fmt: skip
def test_the_caller_gets_what_it_likes_best(accept, wanted, why):
    if accept.endswith("json/"):
        assert negotiated(call(accept), CUSTOM) == wanted, why
    else:
        assert negotiated(call(accept), BUILTIN) == wanted, why


def refusal(accept, model=BUILTIN, extent="object"):
    with pytest.raises(RequestRefused) as refused:
        negotiated(call(accept), model, extent)
    return refused.value.status


@pytest.mark.parametrize(
    "accept", ["text/html", "application/*", "*", "APPLICATION/JSON", "nonsense", "text/html;q=1, application/xml"]
)
def test_the_router_wants_a_type_by_name(accept):
    status = refusal(accept)
    known = f"application/json, application/yaml, {PROTOBUF}"
    assert status["message"] == f"406: Not Acceptable\n\nAvailable representations: {known}"
    assert (status["code"], status["reason"], status["details"]) == (406, "NotAcceptable", {})
    streamed = f"application/json;stream=watch, {PROTOBUF};stream=watch"
    assert refusal(accept, extent="list")["message"].endswith(f"{known}, {streamed}")


@pytest.mark.parametrize("accept", ["application/*", "*", "*/*"])
def test_custom_kinds_have_no_router(accept):
    assert negotiated(call(accept), CUSTOM) == JSON


@pytest.mark.parametrize(
    ("accept", "model"),
    [
        ("application/json;as=Table", BUILTIN), ("application/json;v=v1", BUILTIN), ("application/json;as=Table;v=v1;g=other", BUILTIN), ("application/json;stream=odd", BUILTIN), ("application/json;sv=v2", BUILTIN), ("application/yaml;stream=watch", BUILTIN),
        (f"{PROTOBUF};as=Table;v=v1;g=meta.k8s.io", BUILTIN), ("text/html", CUSTOM), ("nonsense", CUSTOM), ("a/b/c", CUSTOM), (PROTOBUF, CUSTOM),
    ],
)  # fmt: skip
def test_what_nobody_offers_is_not_acceptable(accept, model):
    status = refusal(accept, model)
    assert (
        status["message"]
        == f"only the following media types are accepted: application/json, application/yaml, {PROTOBUF}"
    )
    assert status["code"] == 406


def test_who_takes_nothing_but_protobuf_is_told_what_there_is():
    said = "only the following media types are accepted: application/json, application/yaml"
    assert refusal(PROTOBUF)["message"] == said
    assert refusal(f"{PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io")["message"] == said


def test_watches_are_not_written_as_yaml():
    streamed = f"application/json;stream=watch, {PROTOBUF};stream=watch"
    assert (
        refusal("application/yaml", extent="watch")["message"]
        == f"only the following media types are accepted: {streamed}"
    )
    assert negotiated(call("application/json;stream=watch"), BUILTIN, "watch") == JSON


def test_lists_are_asked_for_as_lists_and_objects_as_objects():
    partial, partials = Representation(form="PartialObjectMetadata"), Representation(form="PartialObjectMetadataList")
    for wanted, lists in ((partial, False), (partials, True), (JSON, True), (Representation(form="Table"), True)):
        refuse_form(wanted, BUILTIN, lists=lists)
    cases = [
        (partials, BUILTIN, False, 406, "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)"),
        (partial, BUILTIN, True, 406, "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)"),
        (partial, CUSTOM, True, 406, "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)"),
        (partials, CUSTOM, False, 500, "content is not a list"),
    ]  # fmt: skip
    for wanted, model, lists, code, said in cases:
        with pytest.raises(RequestRefused) as refused:
            refuse_form(wanted, model, lists=lists)
        assert (refused.value.status["code"], refused.value.status["message"]) == (code, said)


@pytest.mark.parametrize(
    ("query", "agent", "indented"),
    [
        ("", "", False), ("", "curl/8", True), ("", "Wget/1", True), ("", "Mozilla/5.0 (X11)", True), ("", "kubectl/v1.36", False), ("pretty=true", "", True), ("pretty=1", "", True), ("pretty=T", "", True), ("pretty=yes", "", False),
        ("pretty=0", "curl/8", False), ("pretty=false", "curl/8", False), ("pretty=", "curl/8", True), ("notpretty=1", "", False),
    ],
)  # fmt: skip
def test_people_get_indentation_unless_they_say_otherwise(query, agent, indented):
    assert wants_indentation(call(query=query, agent=agent)) is indented


@pytest.mark.parametrize(
    ("accept", "yaml"),
    [
        ("", False),
        ("application/yaml", True),
        ("application/json, application/yaml", False),
        ("application/yaml;sv=9", False),
    ],
)
def test_refusals_are_yaml_where_answers_would_be(accept, yaml):
    assert prefers_yaml(call(accept)) is yaml


def test_clauses_keep_what_they_say():
    (first, second) = clauses_of(" text/* ;q=0.5; a = b , *;q=0.1")
    assert (first.type, first.subtype, first.quality, first.parameters) == ("text", "*", 0.5, {"a": "b"})
    assert (second.type, second.subtype) == ("*", "*")
