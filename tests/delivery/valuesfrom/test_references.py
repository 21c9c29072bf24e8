"""What the annotation says, what the project permits, and what becomes of what is there."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import Forbidden, InvalidInput, LimitExceeded
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.projects.project import Project
from plumbline.delivery.valuesfrom.contents import contents, holder_of, leaves, merged, selected, typed
from plumbline.delivery.valuesfrom.permission import Terms, check, check_holder
from plumbline.delivery.valuesfrom.references import Place, Reference, references
from plumbline.kinds.appproject import AppProjectSpec
from plumbline.kinds.values import converted

NET = Place("configmap", "shop", "net")
DB = Place("secret", "platform", "db")

READ = [
    ("configmap/net", [Reference(NET, ("outputs", "net"))], "one"),
    (
        "configmap/net, Secret/platform/db",
        [Reference(NET, ("outputs", "net")), Reference(DB, ("outputs", "db"))],
        "some",
    ),
    (
        "configmap/net\nsecret/platform/db",
        [Reference(NET, ("outputs", "net")), Reference(DB, ("outputs", "db"))],
        "lines",
    ),
    ("- configmap/net", [Reference(NET, ("outputs", "net"))], "a list of YAML"),
    ("{from: configmap/net, as: .}", [Reference(NET, ())], "one entry, at the root"),
    (
        "- {from: secret/platform/db, as: global.db, keys: [url, 'user:name'], optional: true}",
        [Reference(DB, ("global", "db"), (("url", "url"), ("user", "name")), optional=True)],
        "everything",
    ),
    ("terraform/networking", [Reference(Place("terraform", "shop", "networking"), ("outputs", "networking"))], "tf"),
]


@pytest.mark.parametrize(("text", "expected", "why"), READ, ids=[each[-1] for each in READ])
def test_the_annotation_is_read(text, expected, why):
    assert references(text, "shop") == tuple(expected), why


BROKEN = [
    ("", "it names nothing"),
    ("[]", "it names nothing"),
    ("net", "names no object"),
    ("pod/net", "names no object"),
    ("secret/a/b/c", "names no object"),
    ("secret/a,metadata.name=b", "names no object"),
    ("secret/A", "no object can be called"),
    ("secret/../b", "no object can be called"),
    ("[1]", "says no `from`"),
    ("{as: a}", "says no `from`"),
    ("{from: secret/a, into: b}", "'into' means nothing"),
    ("{from: secret/a, as: a..b}", "`as` is no path"),
    ("{from: secret/a, as: 1}", "`as` is no path"),
    ("{from: secret/a, keys: a}", "`keys` is no list"),
    ("{from: secret/a, keys: ['a b']}", "names no key"),
    ("{from: secret/a, keys: [a, 'b:a']}", "two keys are called a"),
    ("{from: secret/a, optional: 1}", "`optional` is neither"),
    ("{from: secret/a, from: secret/b}", ""),
    (", ".join(["secret/a"] * 33), "more than 32"),
]


@pytest.mark.parametrize(("text", "why"), BROKEN)
def test_what_cannot_be_meant_is_refused(text, why):
    with pytest.raises(InvalidInput) as raised:
        references(text, "shop")
    assert why in str(raised.value)


def test_without_a_namespace_one_has_to_be_named():
    with pytest.raises(InvalidInput, match="is in no namespace"):
        references("secret/a", "")


@given(st.text(max_size=200))
def test_whatever_somebody_writes_is_read_or_refused(text):
    try:
        found = references(text, "shop")
    except InvalidInput:
        return
    assert all(each.place.name and each.place.namespace for each in found)


def project(said="", **spec):
    return Project("team", converted(spec, AppProjectSpec), {}, {"plumbline.dev/values-from": said} if said else {})


def terms(said="", *, namespace="shop", local=True, **spec):
    return Terms(project(said, **spec), "argocd", namespace, local)


NO_SECRETS = {"namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}]}
OWN = Place("secret", "shop", "db")
PERMITTED = [
    (OWN, terms(), True, "the destination's own namespace"),
    (OWN, terms(local=False), False, "the same name on another cluster is another namespace"),
    (DB, terms(), False, "somebody else's namespace"),
    (
        Place("secret", "argocd", "x"),
        terms(namespace="argocd"),
        False,
        "the installation's, though it is delivered there",
    ),
    (DB, terms("secret/platform/db"), True, "a project names it"),
    (DB, terms("secret/platform/*, configmap/*/*"), True, "with a pattern"),
    (DB, terms("configmap/platform/db"), False, "another kind"),
    (DB, terms("secret/*"), False, "a star stops at a slash"),
    (DB, terms("*/platform/[d-"), False, "what cannot be read permits nothing"),
    (DB, terms("secret/platform/db", local=False), True, "for other clusters too"),
    (OWN, terms(**NO_SECRETS), False, "the project denies such objects"),
    (Place("configmap", "shop", "db"), terms(**NO_SECRETS), True, "and only these"),
    (OWN, terms("secret/shop/db", **NO_SECRETS), True, "unless it names it"),
]


@pytest.mark.parametrize(("place", "on", "permitted", "why"), PERMITTED, ids=[each[-1] for each in PERMITTED])
def test_a_project_says_where_values_may_come_from(place, on, permitted, why):
    if permitted:
        check(place, on)
        return
    with pytest.raises(Forbidden) as raised:
        check(place, on)
    assert place.path in raised.value.hint, why


def test_a_terraform_object_is_no_way_around_what_is_denied():
    place = Place("terraform", "shop", "net")
    check(place, terms(**NO_SECRETS))
    with pytest.raises(Forbidden):
        check_holder(place, OWN, terms(**NO_SECRETS))
    check_holder(place, OWN, terms("terraform/shop/net", **NO_SECRETS))
    check_holder(place, OWN, terms())


def encoded(value):
    return base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()


def taken(obj, reference=None, place=DB):
    chosen = reference or Reference(place, ("outputs",))
    found, missing = selected(chosen, contents(obj, place))
    return typed(chosen, found, place), missing


def test_values_have_the_types_that_stand_beside_them():
    stored = {"vpc": "vpc-1", "n": "3", "n__type": '"number"', "zones": '["a","b"]', "zones__type": '["list","string"]'}
    obj = {"data": {key: encoded(value) for key, value in stored.items()}}
    assert taken(obj) == ({"vpc": "vpc-1", "n": 3, "zones": ["a", "b"]}, ())
    keys = Reference(DB, (), (("zones", "where"), ("none", "none")))
    assert taken(obj, keys) == ({"where": ["a", "b"]}, ("none",))


def test_config_maps_hold_texts_and_bytes():
    obj = {"data": {"a": "1"}, "binaryData": {"b": encoded("2")}}
    assert taken(obj, place=NET) == ({"a": "1", "b": "2"}, ())
    assert taken({"data": "odd"}, place=NET) == ({}, ())


UNUSABLE = [
    ({"a": encoded(b"\xff\xfe")}, "its key a is no text"),
    ({"a": "%%%"}, "its key a is not base64"),
    ({"a": encoded("{canary"), "a__type": encoded('"map"')}, "its key a is no JSON"),
    ({"a": encoded("[" * 60 + "]" * 60), "a__type": encoded('"list"')}, "more than 50 levels"),
    ({"a": encoded("x" * (1 << 20))}, "more than 1 MiB"),
]


@pytest.mark.parametrize(("stored", "why"), UNUSABLE, ids=[each[-1] for each in UNUSABLE])
def test_what_cannot_be_used_is_named_and_not_quoted(stored, why):
    with pytest.raises((InvalidInput, LimitExceeded)) as raised:
        taken({"data": stored})
    assert why in str(raised.value)
    assert "canary" not in str(raised.value)


def test_a_terraform_object_says_where_its_outputs_are():
    place = Place("terraform", "shop", "net")
    annotated = {"annotations": {"plumbline.dev/write-outputs-to-config-map": "public"}}
    assert holder_of({"metadata": annotated}, place) == Place("configmap", "shop", "public")
    both = {"metadata": annotated, "spec": {"writeOutputsToSecret": {"name": "all"}}}
    assert holder_of(both, place) == Place("secret", "shop", "all")
    with pytest.raises(InvalidInput, match="writes its outputs nowhere"):
        holder_of({"metadata": {}}, place)


def test_later_values_beat_earlier_ones():
    tree = merged({}, ("outputs", "net"), {"a": "1", "b": {"c": "2"}})
    tree = merged(tree, (), {"outputs": {"net": {"a": "3", "b": {"d": "4"}}}})
    assert tree == {"outputs": {"net": {"a": "3", "b": {"c": "2", "d": "4"}}}}
    assert merged(tree, ("outputs",), {"net": "text"}) == {"outputs": {"net": "text"}}


def test_every_text_and_number_can_be_recognised():
    found = leaves(decode(b'{"a": "x", "b": [1, true, null, {"c": 2.5}]}'))
    assert [each.reveal() for each in found] == [b"x", b"1", b"2.5"]
    assert repr(next(leaves("x"))) == repr(Plaintext("x")) == "***"
