"""What people see: no secret value in any form, and each difference with whoever holds the field."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.json import decode, encode
from plumbline.delivery.compare import Rules, masked
from plumbline.delivery.compare.rules import Options
from plumbline.delivery.compare.text import difference_text
from plumbline.kube.schema import FREE

from .objects import LAST_APPLIED, applied, config_map, deployment, ignore, scaled, secret, shape_of

CANARY = "hunter2-canary"
ENCODED = base64.b64encode(CANARY.encode()).decode()
EIGHT, TWELVE, SIXTEEN = "+" * 8, "+" * 12, "+" * 16


def with_last(obj, text):
    return {**obj, "metadata": {**obj["metadata"], "annotations": {LAST_APPLIED: text}}}


def test_equal_values_are_equal_runs_and_others_longer_ones():
    target, live = masked(secret(data={"a": "1", "b": "1"}), secret(data={"a": "1", "b": "2", "c": None}))
    assert target["data"] == {"a": EIGHT, "b": EIGHT}
    assert live["data"] == {"a": EIGHT, "b": TWELVE, "c": EIGHT}


def test_what_was_last_applied_is_masked_with_the_rest():
    last = encode(secret(stringData={"a": "x"}, data={"b": "3"})).decode()
    target, live = masked(secret(data={"a": "eA==", "b": "1"}), with_last(secret(data={"a": "y", "b": "2"}), last))
    assert (target["data"], live["data"]) == ({"a": EIGHT, "b": EIGHT}, {"a": TWELVE, "b": TWELVE})
    assert decode(live["metadata"]["annotations"][LAST_APPLIED])["data"] == {"b": SIXTEEN, "a": EIGHT}


@pytest.mark.parametrize("text", ["{", "[1]", CANARY])
def test_what_was_last_applied_and_cannot_be_read_is_masked_as_a_whole(text):
    _, live = masked(None, with_last(secret(data={"a": "1"}), text))
    assert live["metadata"]["annotations"] == {LAST_APPLIED: EIGHT}


def test_sensitive_annotations_of_any_kind_are_masked():
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": {"token": CANARY, "open": "x"}}}
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": {"token": "b"}}}
    target, live = masked(obj, with_last(other, encode(obj).decode()), frozenset({"token"}))
    assert target["metadata"]["annotations"] == {"token": EIGHT, "open": "x"}
    assert decode(live["metadata"]["annotations"][LAST_APPLIED])["metadata"]["annotations"]["token"] == EIGHT
    _, whole = masked(None, with_last(secret(), encode(obj).decode()), frozenset({LAST_APPLIED}))
    assert whole["metadata"]["annotations"] == {LAST_APPLIED: EIGHT}


def test_what_is_no_secret_is_not_touched():
    obj = config_map(a="1")
    assert masked(obj, None) == (obj, None)


HOSTILE = st.recursive(
    st.sampled_from([CANARY, ENCODED]) | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
SECRETS = st.fixed_dictionaries({}, optional={"data": HOSTILE, "stringData": HOSTILE})


def lasting(fields, last):
    return with_last(secret(**fields), encode(secret(**last)).decode())


@given(SECRETS, SECRETS, SECRETS, SECRETS)
def test_no_value_leaves_whatever_form_a_secret_has(one, other, last, first):
    """Attack 21: values in data, in stringData, in what was last applied, in whatever shape."""
    target, live = lasting(one, last), lasting(other, first)
    shown = encode(masked(target, live)).decode() + encode(masked(None, live)).decode()
    text = difference_text(target, live, shape_of(target), Rules())
    alone = difference_text(target, None, shape_of(target), Rules())
    for out in (shown, text, alone):
        assert CANARY not in out
        assert ENCODED not in out


def test_a_difference_is_a_unified_diff_with_the_holders_of_fields():
    live = scaled(applied(deployment()), 7)
    live["metadata"] |= {"resourceVersion": "9", "annotations": {LAST_APPLIED: "secret"}}
    assert difference_text(deployment(), live, shape_of(live), Rules()) == (
        "===== apps/Deployment shop/web ======\n"
        "# .spec.replicas is held by kube-controller-manager\n"
        "--- live\n"
        "+++ desired\n"
        "@@ -5,7 +5,7 @@\n"
        "   name: web\n"
        "   namespace: shop\n"
        " spec:\n"
        "-  replicas: 7\n"
        "+  replicas: 3\n"
        "   selector:\n"
        "     matchLabels:\n"
        "       a: b\n"
    )


def test_nothing_is_said_where_nothing_differs():
    live = scaled(applied(deployment()), 7)
    assert difference_text(deployment(), live, shape_of(live), Rules([ignore(json_pointers=("/spec/replicas",))])) == ""
    assert difference_text(None, None, FREE, Rules()) == ""


def test_what_comes_and_what_goes_is_shown_whole():
    coming = difference_text(config_map(a="1"), None, FREE, Rules())
    assert "+  a: '1'" in coming or '+  a: "1"' in coming
    going = difference_text(None, config_map(a="1"), FREE, Rules())
    assert "-kind: ConfigMap" in going


def test_items_and_fields_that_come_and_go_are_predicted():
    live = applied(deployment())
    more = deployment(image="web:2")
    more["spec"]["template"]["spec"]["containers"].append({"name": "new", "image": "n:1"})
    more["metadata"]["labels"] = {"new": "x"}
    del more["spec"]["replicas"]
    text = difference_text(more, live, shape_of(live), Rules())
    for line in (
        "-  replicas: 3",
        "+  labels:",
        "-      - image: web:1",
        "+      - image: web:2",
        "+      - image: n:1",
    ):
        assert line in text
    fewer = difference_text(deployment(), applied(more), shape_of(live), Rules())
    assert "-      - image: n:1" in fewer


def test_masked_secrets_still_show_which_key_differs():
    live = applied(secret(data={"a": "b2xk", "b": "eA=="}))
    text = difference_text(secret(stringData={"a": CANARY}, data={"b": "eA=="}), live, shape_of(live), Rules())
    assert f"-  a: {TWELVE}" in text
    assert f"+  a: {EIGHT}" in text
    assert "  b: ++++++++\n" in text


def test_what_is_too_long_is_told_field_by_field():
    large = {f"k{number}": "x" for number in range(1500)}
    live = applied(config_map(**large))
    text = difference_text(config_map(**large | {"k1": "y" * 500, "new": "z"}), live, shape_of(live), Rules())
    assert "~ .data.k1: " in text
    assert '+ .data.new: "z"' in text
    hidden = Rules(options=Options(sensitive_annotations=frozenset({"t"})))
    marked = config_map(**large)
    marked["metadata"]["annotations"] = {"t": CANARY}
    assert "secret value, not shown" in difference_text(marked, live, shape_of(live), hidden)


def test_a_terminal_gets_nothing_to_obey():
    live = applied(config_map(a="1"))
    text = difference_text(config_map(**{"a": "\x1b[31m", "b\x07": "x"}), live, shape_of(live), Rules())
    assert not [char for char in text if not char.isprintable() and char != "\n"]


def test_odd_forms_are_shown_as_far_as_they_go():
    obj = {"apiVersion": "x/v1", "kind": "X", "metadata": None, "spec": {"a": [1, {"b": 1}]}}
    other = {**obj, "spec": {"a": [2, {"b": {"c": 1}}]}}
    assert "+" in difference_text(other, obj, FREE, Rules())
    deep = value = {}
    for _ in range(300):
        value["a"] = value = {}
    value["a"] = 1
    text = difference_text({**obj, "spec": deep}, {**obj, "spec": {"x": 1}}, FREE, Rules())
    assert text.startswith("===== x/X /")
