"""Field sets are plain tries in the form that managedFields stores; their algebra is that of sets of paths."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.kube.apply.fieldset import (
    SELF,
    difference,
    element_text,
    intersection,
    paths,
    union,
    with_declared_parents,
    without,
)
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape

ELEMENTS = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', "v:1", "i:0"])
PATHS = st.lists(ELEMENTS, min_size=1, max_size=4).map(tuple)
PATH_SETS = st.frozensets(PATHS, max_size=12)


def trie(members):
    root = {}
    for path in members:
        node = root
        for element in path:
            node = node.setdefault(element, {})
        node[SELF] = {}
    return canonical(root)


def canonical(node):
    children = {key: canonical(child) for key, child in node.items() if key != SELF}
    return {SELF: {}, **children} if SELF in node and children else children


def members(node, prefix=()):
    found = set()
    for key, child in node.items():
        if key == SELF:
            continue
        if not child or SELF in child:
            found.add((*prefix, key))
        found |= members(child, (*prefix, key))
    return frozenset(found)


@given(PATH_SETS, PATH_SETS)
def test_union_holds_what_either_holds(left, right):
    assert members(union(trie(left), trie(right))) == left | right


@given(PATH_SETS, PATH_SETS)
def test_intersection_holds_what_both_hold(left, right):
    assert members(intersection(trie(left), trie(right))) == left & right


@given(PATH_SETS, PATH_SETS)
def test_difference_judges_each_member_alone(left, right):
    assert members(difference(trie(left), trie(right))) == left - right


@given(PATH_SETS, PATH_SETS)
def test_without_takes_everything_below_a_removed_member(fields, removed):
    gone = {path for path in fields if any(path[: len(each)] == each for each in removed)}
    assert members(without(trie(fields), trie(removed))) == fields - gone


@given(PATH_SETS, PATH_SETS)
def test_results_are_in_stored_form_so_equal_sets_are_equal_dicts(left, right):
    assert union(trie(left), trie(right)) == trie(left | right)
    assert intersection(trie(left), trie(right)) == trie(left & right)
    assert difference(trie(left), trie(right)) == trie(left - right)


def test_declared_fields_on_the_way_become_members_and_map_keys_do_not():
    shape = builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))
    grown = with_declared_parents({"f:spec": {"f:template": {"f:metadata": {"f:labels": {"f:app": {}}}}}}, shape)
    labels = grown["f:spec"]["f:template"]["f:metadata"]["f:labels"]
    assert SELF in grown["f:spec"]["f:template"]
    assert labels == {SELF: {}, "f:app": {}}


def test_paths_read_as_the_server_prints_them_members_before_what_is_below():
    fields = {
        "f:spec": {"f:replicas": {}, "f:ports": {'k:{"port":80,"protocol":"TCP"}': {SELF: {}, "f:name": {}}}},
        "f:metadata": {"f:finalizers": {'v:"a/b"': {}}},
    }
    assert list(paths(fields)) == [
        '.metadata.finalizers[="a/b"]',
        ".spec.replicas",
        '.spec.ports[port=80,protocol="TCP"]',
        '.spec.ports[port=80,protocol="TCP"].name',
    ]
    assert element_text("i:3") == "[3]"
