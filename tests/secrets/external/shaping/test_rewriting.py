"""Keys by other names, and JSON taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.external.shaping.making import SURROUNDINGS, opened, plain

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.regex import capturing
from plumbline.kinds.externalsecrets.externalsecret import Rewrite, RewriteMerge, RewriteRegexp, RewriteTransform
from plumbline.secrets.external.shaping.rewriting import replaced, rewritten

REPLACED = [
    ("a(x*)b", "-ab-axxb-", "${1}W $2 $$ $01 $1x", "-W  $  -xxW  $  -", "groups, unknown ones, dollars, names that look alike"),
    ("a(?P<n>x*)b", "-ab-axxb-", "$n,${n}.$0", "-,.ab-xx,xx.axxb-", "groups by name"),
    ("a(x*)b", "-ab-", "$ $- ${ ${}", "-$ $- ${ ${}-", "what is no reference stays"),
    ("", "ab", "-", "-a-b-", "empty matches between all characters"),
    ("x*", "axb", "-", "-a-b-", "but not right behind another match"),
    ("b|(c)", "abc", "[$1]", "a[][c]", "a group without part in the match is empty"),
]  # fmt: skip


def _rewritten(values, **operation):
    return opened(rewritten(values, (Rewrite(**operation),), SURROUNDINGS))


@pytest.mark.parametrize(("pattern", "text", "by", "out", "why"), REPLACED, ids=[case[-1] for case in REPLACED])
def test_patterns_are_replaced_as_in_go(pattern, text, by, out, why):
    assert replaced(capturing(pattern), text, by) == out, why


@given(text=st.text("abÄ-", max_size=10), name=st.text("xy", min_size=1, max_size=3))
def test_replacing_a_character_is_what_python_calls_replacing(text, name):
    assert replaced(capturing("a"), text, name) == text.replace("a", name)


def test_keys_are_renamed_by_pattern_and_by_template():
    values = plain(**{"app/user": "u", "app/pass": "p"})
    assert _rewritten(values, regexp=RewriteRegexp(source="app/(.*)", target="db-$1")) == {
        "db-user": b"u",
        "db-pass": b"p",
    }
    transform = RewriteTransform(template='{{ .value | replace "/" "_" | upper }}')
    assert _rewritten(values, transform=transform) == {"APP_USER": b"u", "APP_PASS": b"p"}


def test_operations_follow_each_other():
    operations = (
        Rewrite(regexp=RewriteRegexp(source="^a", target="b")),
        Rewrite(regexp=RewriteRegexp(source="^b", target="c")),
        Rewrite(),
    )
    assert opened(rewritten(plain(ax="1"), operations, SURROUNDINGS)) == {"cx": b"1"}


def test_an_empty_name_drops_the_key_however_many_there_are():
    operation = RewriteRegexp(source="^drop.*", target="")
    assert _rewritten(plain(drop1="a", drop2="b", keep="c"), regexp=operation) == {"keep": b"c"}


FAILING = [
    ({"regexp": RewriteRegexp(source="(", target="")}, "regexp failed with failed to compile", "no pattern"),
    ({"regexp": RewriteRegexp(source=".", target="x")}, "collision", "two keys would be one"),
    ({"transform": RewriteTransform(template="{{ nope }}")}, "failed to parse template", "no template"),
    ({"transform": RewriteTransform(template="{{ .value.x }}")}, 'failed to execute template for key "a"', "fails"),
    ({"merge": RewriteMerge()}, 'failed to unmarshal JSON: "a" is no JSON object', "no JSON"),
    ({"merge": RewriteMerge(priority=("zz",))}, '"a" is no JSON', "the rest comes first"),
]


@pytest.mark.parametrize(("operation", "said", "why"), FAILING, ids=[case[-1] for case in FAILING])
def test_failures_say_which_operation_and_no_value(operation, said, why):
    with pytest.raises(InvalidInput) as caught:
        _rewritten(plain(a="canary1", b="canary2"), **operation)
    assert caught.value.what == "error applying rewrite to keys: failed rewrite operation[0]"
    assert said in caught.value.why, why
    assert "canary" not in str(caught.value)


DOCUMENTS = {
    "one": {"user": "ada", "port": 5432, "on": True, "tags": ["<a>", 1], "none": None, "deep": {"b": 1.5, "a": "&"}},
    "two": {"pass": "x"},
}


def _documents(**documents):
    return {key: Plaintext(encode(value)) for key, value in documents.items()}


def test_json_is_taken_apart():
    assert _rewritten(_documents(**DOCUMENTS), merge=RewriteMerge()) == {
        "user": b"ada",
        "port": b"5432",
        "on": b"true",
        "tags": b'["\\u003ca\\u003e",1]',
        "none": b"",
        "deep": b'{"a":"\\u0026","b":1.5}',
        "pass": b"x",
    }


def test_json_is_put_together_under_one_key_beside_what_was_there():
    made = _rewritten(_documents(b={"x": "<", "k": 1}, a={"y": 2}), merge=RewriteMerge(strategy="JSON", into="all"))
    assert made["all"] == b'{"k":1,"x":"<","y":2}'
    assert made.keys() == {"a", "b", "all"}


def test_null_is_an_object_without_keys():
    assert _rewritten({"a": Plaintext("null"), "b": Plaintext('{"x":"1"}')}, merge=RewriteMerge()) == {"x": b"1"}


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (RewriteMerge(), "merge failed with conflicts: k"),
        (
            RewriteMerge(priority=("gone",), conflict_policy="Ignore"),
            'merge failed with key "gone" not found in input map',
        ),
        (RewriteMerge(strategy="JSON", conflict_policy="Ignore"), "merge failed with missing 'into' field"),
    ],
)
def test_merges_that_cannot_be_done(operation, said):
    with pytest.raises(InvalidInput) as caught:
        _rewritten(_documents(a={"k": 1}, b={"k": 2}), merge=operation)
    assert caught.value.why == said


@given(
    documents=st.dictionaries(
        st.sampled_from("abcd"), st.dictionaries(st.sampled_from("xyz"), st.text("01", max_size=2))
    ),
    priority=st.lists(st.sampled_from("abcde"), unique=True),
)
def test_later_documents_count_and_those_with_priority_come_last(documents, priority):
    operation = RewriteMerge(priority=tuple(priority), priority_policy="IgnoreNotFound", conflict_policy="Ignore")
    order = [key for key in sorted(documents) if key not in priority] + [key for key in priority if key in documents]
    expected = {}
    for key in order:
        expected |= documents[key]
    made = _rewritten(_documents(**documents), merge=operation)
    assert made == {key: value.encode() for key, value in expected.items()}


@given(st.dictionaries(st.text("ab/", min_size=1, max_size=3), st.binary(max_size=4)))
def test_no_rewrite_changes_what_it_is_given(values):
    given_values = {key: Plaintext(value) for key, value in values.items()}
    rewritten(given_values, (Rewrite(transform=RewriteTransform(template="x{{ .value }}")),), SURROUNDINGS)
    assert opened(given_values) == values


def test_names_do_not_grow_without_end():
    """Each doubles the name: after forty of them it would not fit into any machine."""
    doubled = Rewrite(regexp=RewriteRegexp(source="^(.*)$", target="$1$1"))
    with pytest.raises(InvalidInput, match="longer than 4,096"):
        rewritten(plain(key="value"), (doubled,) * 16, SURROUNDINGS)
    repeated = Rewrite(regexp=RewriteRegexp(source=".", target="$0" * 2_000))
    with pytest.raises(InvalidInput, match="longer than 4,096"):
        rewritten(plain(key="value"), (repeated,), SURROUNDINGS)
