import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadSelector
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.selectors import FieldSelector, custom_fields, selectable_fields
from plumbline.kube.selectors.fields import Term

POD = GroupVersionKind("", "v1", "Pod")
EVENT = GroupVersionKind("", "v1", "Event")
NEW_EVENT = GroupVersionKind("events.k8s.io", "v1", "Event")

READ = [
    ("", (), "", "nothing asked"),
    ("a=b", (Term("a", "b"),), "a=b", "equal"),
    ("a==b", (Term("a", "b"),), "a=b", "equal, twice"),
    ("a!=b", (Term("a", "b", wanted=False),), "a!=b", "other than"),
    ("a=", (Term("a", ""),), "a=", "empty"),
    ("b=1,a=2", (Term("a", "2"), Term("b", "1")), "a=2,b=1", "in order"),
    (",a=b,,", (Term("a", "b"),), "a=b", "commas too many"),
    (r"a=x\,y\=z\\", (Term("a", "x,y=z\\"),), r"a=x\,y\=z\\", "escaped"),
    ("a=b!c", (Term("a", "b!c"),), "a=b!c", "a mark is just a mark"),
    ("=", (), "", "nothing is nothing"),
]


@pytest.mark.parametrize(("text", "terms", "printed", "why"), READ, ids=[case[-1] for case in READ])
def test_text_is_read_and_printed(text, terms, printed, why):
    selector = FieldSelector.parse(text)
    assert (selector.terms, str(selector)) == (terms, printed), why


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "invalid selector: 'a'; can't understand 'a'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
        ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_bad_text_is_refused_in_known_words(text, message):
    with pytest.raises(BadSelector) as refused:
        FieldSelector.parse(text)
    assert str(refused.value) == message


def matches(text, gvk, obj):
    return FieldSelector.parse(text).bind(selectable_fields(gvk)).matches(obj)


RUNNING = {
    "metadata": {"name": "web-0", "namespace": "shop"},
    "spec": {"nodeName": "n1", "hostNetwork": True, "restartPolicy": "Always"},
    "status": {"phase": "Running", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]},
}
MATCHES = [
    (POD, "", RUNNING, True, "everything"),
    (POD, "metadata.name=web-0,metadata.namespace=shop", RUNNING, True, "names"),
    (POD, "metadata.name!=web-0", RUNNING, False, "not this one"),
    (POD, "status.phase!=Running,metadata.name=web-0", RUNNING, False, "all must hold"),
    (POD, "spec.nodeName=n1,spec.host=n1", RUNNING, True, "the old name of a field"),
    (POD, "spec.hostNetwork=true", RUNNING, True, "truth is text"),
    (POD, "spec.hostNetwork=false,spec.nodeName=", {}, True, "what is not there is its zero value"),
    (POD, "status.podIP=10.0.0.1", RUNNING, True, "the first address"),
    (POD, "status.podIP=10.0.0.9", {"status": {"podIP": "10.0.0.9"}}, True, "or the only one"),
    (POD, "status.podIP=", {"status": {"podIPs": ["x"]}}, True, "or none"),
    (POD, "status.podIP=", {"status": "x"}, True, "whatever stands there"),
    (POD, "status.podIPs=10.0.0.1", RUNNING, False, "allowed, and never found"),
    (POD, "status.phase=", {"status": {"phase": {"a": 1}}}, True, "an object is no text"),
    (GroupVersionKind("", "v1", "Node"), "spec.unschedulable=false", {"spec": {}}, True, "nodes"),
    (GroupVersionKind("", "v1", "Namespace"), "status.phase=Active", {"status": {"phase": "Active"}}, True, "namespaces"),
    (GroupVersionKind("", "v1", "Secret"), "type=Opaque", {"type": "Opaque"}, True, "secrets"),
    (GroupVersionKind("", "v1", "Service"), "spec.type=ClusterIP", {"spec": {"type": "ClusterIP"}}, True, "services"),
    (GroupVersionKind("batch", "v1", "Job"), "status.successful=2", {"status": {"succeeded": 2}}, True, "jobs"),
    (GroupVersionKind("batch", "v1", "Job"), "status.successful=0", {}, True, "jobs that did nothing"),
    (GroupVersionKind("", "v1", "ReplicationController"), "status.replicas=3", {"status": {"replicas": 3}}, True, "numbers"),
    (EVENT, "involvedObject.name=web,reason=Killing", {"involvedObject": {"name": "web"}, "reason": "Killing"}, True, "events"),
    (EVENT, "involvedObject.name=web", {"regarding": {"name": "web"}}, True, "of either kind"),
    (NEW_EVENT, "regarding.name=web", {"involvedObject": {"name": "web"}}, True, "read as either"),
    (EVENT, "source=kubelet", {"source": {"component": "kubelet"}}, True, "a source"),
    (EVENT, "source=kubelet", {"reportingComponent": "kubelet"}, True, "or a reporter"),
    (NEW_EVENT, "reportingController=kubelet", {"reportingController": "kubelet"}, True, "by its new name"),
    (GroupVersionKind("apps", "v1", "Deployment"), "metadata.name=web", {"metadata": {"name": "web"}}, True, "others by name"),
]  # fmt: skip


@pytest.mark.parametrize(("gvk", "text", "obj", "expected", "why"), MATCHES, ids=[case[-1] for case in MATCHES])
def test_kinds_are_selected_by_their_fields(gvk, text, obj, expected, why):
    assert matches(text, gvk, obj) is expected, why


REFUSED = [
    (GroupVersionKind("apps", "v1", "Deployment"), "spec.replicas=1", '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    (POD, "spec.x=1", "field label not supported: spec.x"),
    (GroupVersionKind("", "v1", "Node"), "metadata.namespace=x", "field label not supported: metadata.namespace"),
    (GroupVersionKind("batch", "v1", "Job"), "x=1", 'field label "x" not supported for Job'),
    (GroupVersionKind("resource.k8s.io", "v1", "ResourceSlice"), "x=1", "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x"),
]  # fmt: skip


@pytest.mark.parametrize(("gvk", "text", "message"), REFUSED)
def test_other_fields_are_refused_as_the_server_does(gvk, text, message):
    with pytest.raises(BadSelector) as refused:
        matches(text, gvk, {})
    assert str(refused.value) == message
    assert "metadata.name" in refused.value.hint


def test_custom_resources_say_themselves_what_they_are_selected_by():
    fields = custom_fields([".spec.size", ".spec.on", ".spec.count"], namespaced=True)
    selector = FieldSelector.parse("spec.size=big,spec.on=true,spec.count=3,metadata.namespace=a").bind(fields)
    assert selector.matches({"metadata": {"namespace": "a"}, "spec": {"size": "big", "on": True, "count": 3}})
    assert not selector.matches({"spec": "x"})
    with pytest.raises(BadSelector, match=r"field label not supported: metadata\.namespace"):
        FieldSelector.parse("metadata.namespace=a").bind(custom_fields([], namespaced=False))


def test_it_tells_which_value_it_requires():
    selector = FieldSelector.parse("metadata.name=a,status.phase!=b")
    assert [selector.required_value(field) for field in ("metadata.name", "status.phase")] == ["a", None]


def test_selectors_are_values():
    assert FieldSelector.parse("b=1,a==2") == FieldSelector.parse("a=2,b=1")
    assert len({FieldSelector.parse("a=1"), FieldSelector.parse("a==1")}) == 1
    assert repr(FieldSelector.parse("a=1")) == "FieldSelector('a=1')"
    assert FieldSelector.parse("").empty


@given(st.lists(st.builds(Term, st.sampled_from(["a", "b.c"]), st.text(alphabet="x,=\\!", max_size=5), st.booleans())))
def test_what_is_printed_is_read_again(terms):
    printed = str(FieldSelector(tuple(terms)))
    assert sorted(FieldSelector.parse(printed).terms) == sorted(terms)
