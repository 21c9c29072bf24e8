import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadPatch, InapplicablePatch
from plumbline.base.json import encode
from plumbline.kube.equality import identical
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.patch import merge_patch, strategic_patch
from plumbline.kube.schema.builtin import builtin_shape
from plumbline.kube.schema.shape import FREE, SCALAR, Form, Shape

from .strategies import filled_objects, objects

ENV = Shape(
    Form.TABLE,
    patch_keys=("name",),
    resolve_values=lambda: Shape(Form.RECORD, resolve_fields=lambda: {"name": SCALAR, "value": SCALAR, "from": FREE}),
)
CONTAINER = Shape(
    Form.RECORD,
    resolve_fields=lambda: {
        "name": SCALAR,
        "image": SCALAR,
        "args": Shape(Form.LIST, resolve_values=lambda: SCALAR),
        "env": ENV,
    },
)
ROOT = Shape(
    Form.RECORD,
    resolve_fields=lambda: {
        "containers": Shape(Form.TABLE, patch_keys=("name",), resolve_values=lambda: CONTAINER),
        "finalizers": Shape(Form.SET, patch_keys=("",), resolve_values=lambda: SCALAR),
        "strategy": Shape(Form.RECORD, retain_keys=True, resolve_fields=lambda: {"type": SCALAR, "rolling": FREE}),
        "labels": Shape(Form.MAP, resolve_values=lambda: SCALAR),
        "selector": Shape(Form.RECORD, patch_replaces=True, resolve_fields=lambda: {"matchLabels": FREE}),
        "args": Shape(Form.LIST, resolve_values=lambda: SCALAR),
        "parts": Shape(Form.LIST, resolve_values=lambda: FREE),
        "free": FREE,
        "odd": Shape(Form.TABLE, patch_keys=("",), resolve_values=lambda: FREE),
    },
)


def named(*names, **more):
    return [{"name": name, **more} for name in names]


def names_of(patched, field="containers"):
    return [item["name"] if isinstance(item, dict) else item for item in patched[field]]


MERGES = [
    ({"labels": {"a": "1"}}, {"labels": {"b": "2"}}, {"labels": {"a": "1", "b": "2"}}, "maps merge"),
    ({"labels": {"a": "1"}}, {"labels": {"a": None, "q": None}}, {"labels": {}}, "null deletes"),
    ({"labels": {"a": "1"}}, {"labels": None}, {}, "a whole map, too"),
    ({"labels": {"a": "1"}}, {"labels": "x"}, {"labels": "x"}, "another type replaces"),
    ({}, {"labels": {"a": None, "b": [{"c": None}]}}, {"labels": {"b": [{}]}}, "what is added loses its nulls"),
    ({"args": ["a", "b"]}, {"args": ["c"]}, {"args": ["c"]}, "a list without a key is replaced"),
    ({"parts": [{"a": 1}]}, {"parts": [{"a": None}]}, {"parts": [{"a": None}]}, "as it comes"),
    ({"free": {"a": {"b": 1}, "l": [1]}}, {"free": {"a": {"c": 2}, "l": [2]}}, {"free": {"a": {"b": 1, "c": 2}, "l": [2]}}, "without a schema maps merge and lists do not"),
    ({"selector": {"matchLabels": {"a": "b"}}}, {"selector": {"matchLabels": {"c": "d"}}}, {"selector": {"matchLabels": {"c": "d"}}}, "some maps are replaced"),
    ({"finalizers": ["a"]}, {"finalizers": ["b", "a"]}, {"finalizers": ["b", "a"]}, "a list of scalars is a set"),
    ({"finalizers": []}, {"finalizers": []}, {"finalizers": []}, "nothing and nothing is nothing"),
    (
        {"containers": [{"name": "a", "image": "1", "args": ["x"]}]},
        {"containers": [{"name": "a", "image": "2"}]},
        {"containers": [{"name": "a", "image": "2", "args": ["x"]}]},
        "items with one key merge",
    ),
    (
        {"containers": [{"name": "a", "env": [{"name": "X", "value": "1"}]}]},
        {"containers": [{"name": "a", "env": [{"name": "Y", "value": "2"}]}]},
        {"containers": [{"name": "a", "env": [{"name": "Y", "value": "2"}, {"name": "X", "value": "1"}]}]},
        "and so do lists within them; new items come first",
    ),
    ({"containers": named("a", "b")}, {"containers": [{"name": "a", "$patch": "delete"}]}, {"containers": named("b")}, "an item is deleted by its key"),
    ({"containers": named("a", "b", "a")}, {"containers": [{"name": "a", "$patch": "delete"}]}, {"containers": named("b")}, "all that have it"),
    ({"containers": named("a")}, {"containers": [{"name": "q", "$patch": "delete"}]}, {"containers": named("a")}, "one that is not there stays away"),
    ({"containers": named("a")}, {"containers": [{"$patch": "replace"}, {"name": "b"}]}, {"containers": named("b")}, "a list is replaced when asked"),
    ({"containers": named("a")}, {"containers": [{"$patch": "replace"}]}, {"containers": []}, "even by nothing"),
    ({"containers": named("a")}, {"containers": [{"name": "b"}, {"name": "b", "image": "2"}]}, {"containers": [{"name": "b", "image": "2"}, {"name": "a"}]}, "a patch may name an item twice"),
    ({"containers": [{"name": 1}]}, {"containers": [{"name": True, "image": "x"}]}, {"containers": [{"name": True, "image": "x"}, {"name": 1}]}, "true is another key than one"),
    ({}, {"containers": [{"name": "a"}, {"name": "b", "$patch": "delete"}]}, {"containers": named("a")}, "directives are not stored with a new list"),
    ({}, {"strategy": {"$patch": "delete"}}, {}, "nor as a new map"),
    ({"strategy": 1}, {"strategy": {"$patch": "delete"}}, {}, "nor in the place of something else"),
    ({}, {"strategy": {"rolling": {"$patch": "replace"}, "type": "x"}}, {"strategy": {"type": "x"}}, "nor within one"),
    ({"strategy": {"type": "a", "rolling": 1}}, {"strategy": {"$patch": "replace", "type": "b"}}, {"strategy": {"type": "b"}}, "a map is replaced when asked"),
    ({"strategy": {"type": "a"}}, {"strategy": {"$patch": "delete"}}, {"strategy": {}}, "or emptied"),
    ({"strategy": {"type": "a", "rolling": 1}}, {"strategy": {"$retainKeys": ["type"], "type": "b"}}, {"strategy": {"type": "b"}}, "or keeps some fields"),
    ({"strategy": {"type": "a", "rolling": 1}}, {"strategy": {"$retainKeys": ["rolling"], "type": None}}, {"strategy": {"rolling": 1}}, "of which nulls are none"),
    ({"finalizers": ["a", "b", "c"]}, {"$deleteFromPrimitiveList/finalizers": ["a", "c"]}, {"finalizers": ["b"]}, "scalars are deleted by a list beside"),
    ({"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c"]}, {"finalizers": ["c", "b"]}, "before others are added"),
    ({"args": ["a", "b"]}, {"$deleteFromPrimitiveList/args": ["a"]}, {"args": ["b"]}, "also from a list that does not merge"),
    ({"finalizers": ["a"]}, {"$deleteFromPrimitiveList/finalizers": None}, {}, "null deletes the list itself"),
    ({}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {}, "from nothing nothing is deleted"),
    ({"finalizers": "x"}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": "x"}, "nor from a scalar"),
    ({"containers": named("a")}, {"$deleteFromPrimitiveList/containers": [{"name": "a", "image": "x"}]}, {"containers": [{"name": "a", "image": "x"}]}, "objects in such a list are merged"),
    ({"undeclared": 1}, {"undeclared": 2, "another": {"a": None}}, {"undeclared": 2, "another": {}}, "undeclared scalars and new fields need no schema"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "patch", "expected", "why"), MERGES, ids=[case[-1] for case in MERGES])
def test_the_schema_says_how_things_merge(target, patch, expected, why):
    before = encode([target, patch])
    assert identical(strategic_patch(target, patch, ROOT), expected), why
    assert encode([target, patch]) == before


ORDERS = [
    ("abc", "", "cba", "cba", "the order is the whole change"),
    ("abc", "c", "ca", "bca", "items it does not name keep their place before what they stood before"),
    ("ab", "cd", "cadb", "cadb", "new items go where they are told"),
    ("ab", "c", "c", "cab", "live items come behind those they never stood before"),
    ("ab", "c", "acb", "acb", "or between"),
    ("abc", "-c +x", "ax", "abx", "what takes the room of a deleted item stands where that was"),
    ("cab", "-c +x", "ax", "abx", "wherever it was"),
    ("abc", "-b +x", "xa", "cxa", "before which live items stay"),
    ("", "ab", "ba", None, "a patch must keep to the order it sets"),
    ("abc", "b", "", "abc", "an empty order is none"),
    ("", "ab", "", "ba", "and turns new items round"),
    ("ab", "ba", "ba", "ba", "the patch's own order gives way"),
    ("ab", "-a", "b", "b", "deleted items need no place"),
    ("ab", "c", "a", None, "others do"),
    ("ab", "!c", "c", "c", "a directive needs none"),
    ("ab", "c!", "c", None, "unless it stands behind all that is ordered"),
]


def containers(text):
    items = []
    for word in text.replace("-", " -").replace("+", " +").replace("!", " ! ").split():
        if word == "!":
            items.append({"$patch": "replace"})
        elif word[0] == "-":
            items.append({"name": word[1], "$patch": "delete"})
        else:
            items += named(*word.lstrip("+"))
    return items


@pytest.mark.parametrize(("live", "patch", "order", "expected", "why"), ORDERS, ids=[case[-1] for case in ORDERS])
def test_lists_are_ordered_as_asked(live, patch, order, expected, why):
    target = {"containers": named(*live)} if live else {}
    asked = {"$setElementOrder/containers": named(*order)} | ({"containers": containers(patch)} if patch else {})
    if expected is None:
        with pytest.raises(BadPatch):
            strategic_patch(target, asked, ROOT)
    else:
        assert "".join(names_of(strategic_patch(target, asked, ROOT))) == expected, why


SCALAR_ORDERS = [
    ("abc", "", "cba", "cba", "scalars are ordered, too"),
    ("abc", "d", "dc", "dabc", "with the others between them"),
    ("ab", "b", "ba", "ba", "those that are there already move"),
]


@pytest.mark.parametrize(("live", "patch", "order", "expected", "why"), SCALAR_ORDERS)
def test_scalars_are_ordered_as_asked(live, patch, order, expected, why):
    asked = {"$setElementOrder/finalizers": [*order]} | ({"finalizers": [*patch]} if patch else {})
    assert "".join(strategic_patch({"finalizers": [*live]}, asked, ROOT)["finalizers"]) == expected, why


def test_a_list_that_is_replaced_can_be_ordered():
    patch = {"args": ["a", "b"], "$setElementOrder/args": ["a", "b"]}
    assert strategic_patch({"args": ["q"]}, patch, ROOT) == {"args": ["a", "b"]}


def test_an_order_for_nothing_is_forgotten():
    assert strategic_patch({}, {"$setElementOrder/containers": named("a")}, ROOT) == {}


def test_a_replaced_list_is_ordered_as_asked():
    patch = {"containers": [{"$patch": "replace"}, {"name": "b"}], "$setElementOrder/containers": named("b")}
    assert names_of(strategic_patch({"containers": named("a")}, patch, ROOT)) == ["b"]


REFUSALS = [
    ({}, {"$patch": "bogus"}, "unknown patch type: bogus in map: map[$patch:bogus]"),
    ({"containers": named("a")}, {"containers": [{"$patch": "bogus"}]}, "unknown patch type: bogus in map: map[$patch:bogus]"),
    ({"containers": named("a")}, {"containers": [{"$patch": "merge"}]}, "merging lists cannot yet be specified in the patch"),
    ({"containers": named("a")}, {"containers": [{"image": "x"}]}, "map: map[image:x] does not contain declared merge key: name"),
    ({"containers": named("a")}, {"containers": [{"$patch": "delete"}]}, "map: map[$patch:delete] does not contain declared merge key: name"),
    ({"containers": [{"image": "x"}]}, {"containers": named("a")}, "map: map[image:x] does not contain declared merge key: name"),
    ({"containers": named("a")}, {"containers": ["a"]}, "list element types are not identical: [[map[name:a]] [a]]"),
    ({"containers": []}, {"containers": ["a"]}, "expected a map[string]interface {}, but received a string"),
    ({"containers": []}, {"containers": [["a"]]}, "lists of lists are not supported"),
    ({"finalizers": ["a"]}, {"finalizers": [None]}, "list element types are not identical: [[a] [<nil>]]"),
    ({"containers": named("a")}, {"containers": [{"name": {"x": 1.5}}]}, "cannot tell list items apart: map[x:1.5] is no scalar"),
    ({"odd": [{"a": 1}]}, {"odd": [{"a": 1}]}, "cannot merge lists without merge key for struct"),
    ({"undeclared": {"a": 1}}, {"undeclared": {"a": 2}}, 'unable to find api field in struct for the json field "undeclared"'),
    ({"strategy": {"type": "a"}}, {"strategy": {"$retainKeys": ["type"], "rolling": 1}}, "invalid patch format of retainKeys"),
    ({"strategy": {"type": "a"}}, {"strategy": {"$retainKeys": "type"}}, "invalid patch format of retainKeys"),
    ({}, {"$setElementOrder": []}, "invalid patch format of setElementOrder list"),
    ({}, {"$deleteFromPrimitiveList": []}, "invalid patch format of primitive list"),
    ({}, {"$setElementOrder/containers": {}}, "expected a []interface {}, but received a map[string]interface {}"),
    ({"containers": None}, {"$setElementOrder/containers": []}, "expected a []interface {}, but received a %!s(<nil>)"),
    ({}, {"$setElementOrder/containers": named("a"), "containers": 1}, "expected a []interface {}, but received a int64"),
    ({"containers": []}, {"$setElementOrder/containers": named("a")}, "no elements in any of the given slices"),
    ({}, {"$setElementOrder/containers": named("a"), "containers": ["a"]}, "expected a map[string]interface {}, but received a string"),
    ({"finalizers": ["a"]}, {"$setElementOrder/finalizers": [{"a": True}]}, "cannot tell list items apart: map[a:true] is no scalar"),
    ({}, {"$setElementOrder/finalizers": ["b", "a"], "finalizers": ["a", "b"]}, "The order in patch list:\n[a b]\n doesn't match $setElementOrder list:\n[b a]\n"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "patch", "message"), REFUSALS, ids=[str(case[1]) for case in REFUSALS])
def test_what_makes_no_sense_is_refused_in_known_words(target, patch, message):
    with pytest.raises(BadPatch) as refused:
        strategic_patch(target, patch, ROOT)
    assert str(refused.value) == message


def test_what_does_not_fit_the_object_is_told_from_what_is_no_patch():
    with pytest.raises(InapplicablePatch):
        strategic_patch({"undeclared": {"a": 1}}, {"undeclared": {"a": 2}}, ROOT)
    with pytest.raises(BadPatch) as refused:
        strategic_patch({}, {"$setElementOrder": []}, ROOT)
    assert not isinstance(refused.value, InapplicablePatch)


@pytest.mark.parametrize(("target", "patch"), [(None, {}), ({}, None), ([], {}), ({}, "x")])
def test_both_are_objects(target, patch):
    with pytest.raises(BadPatch):
        strategic_patch(target, patch, ROOT)


def test_built_in_kinds_bring_their_keys():
    shape = builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))
    live = {"spec": {"template": {"spec": {"containers": named("web", "sidecar", image="1")}}}}
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "sidecar", "image": "2"}]}}}}
    patched = strategic_patch(live, patch, shape)["spec"]["template"]["spec"]["containers"]
    assert patched == [{"name": "web", "image": "1"}, {"name": "sidecar", "image": "2"}]


def test_what_is_not_touched_is_shared():
    target = {"labels": {"a": "1"}, "containers": [{"name": "a", "env": named("X")}, {"name": "b", "env": named("Y")}]}
    patched = strategic_patch(target, {"containers": [{"name": "b", "image": "x"}]}, ROOT)
    assert patched["labels"] is target["labels"]
    assert patched["containers"][0] is target["containers"][0]
    assert patched["containers"][1]["env"] is target["containers"][1]["env"]


def without_lists(value):
    if isinstance(value, dict):
        return {key: without_lists(below) for key, below in value.items() if not isinstance(below, list)}
    return value


@given(filled_objects, objects)
def test_without_lists_it_is_a_merge_patch(target, patch):
    patch = without_lists(patch)
    assert identical(strategic_patch(target, patch, FREE), merge_patch(target, patch))


letters = st.lists(st.sampled_from("abcdef"), unique=True)


@given(letters, letters)
def test_merging_lists_of_scalars_is_their_union(live, coming):
    merged = strategic_patch({"finalizers": live}, {"finalizers": coming}, ROOT)["finalizers"]
    assert sorted(merged) == sorted({*live, *coming})
    assert [item for item in merged if item in coming] == coming
    assert [item for item in merged if item not in coming] == [item for item in live if item not in coming]


@given(
    letters,
    letters.flatmap(lambda order: st.tuples(st.just(order), st.lists(st.sampled_from(order or ["a"]), unique=True))),
)
def test_a_set_order_is_the_order(live, order_and_patch):
    order, patch = order_and_patch
    coming = [name for name in order if name in patch]
    target = {"containers": named(*live)}
    asked = {"containers": named(*coming), "$setElementOrder/containers": named(*order)}
    if not live and not coming:
        return
    merged = names_of(strategic_patch(target, asked, ROOT))
    assert sorted(merged) == sorted({*live, *coming})
    assert [name for name in merged if name in order] == [name for name in order if name in {*live, *coming}]


@given(letters, letters)
def test_patching_twice_is_patching_once(live, coming):
    patch = {"containers": named(*coming, image="x")}
    once = strategic_patch({"containers": named(*live)}, patch, ROOT)
    assert strategic_patch(once, patch, ROOT) == once
