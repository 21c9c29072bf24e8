"""No sensitive value leaves, wherever in a plan it stands and whatever marks it."""

import base64
import json
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import dangers, headline, human, readable, summarised, tabled
from plumbline.terraform.plans.masks import Masks
from plumbline.terraform.plans.report import ModulePlan, report

from .samples import change, made, real

CANARY = "canary-7f3<&>Q"
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def everything(plan):
    """All that anybody gets to see of a plan."""
    found = summarised(plan)
    losses = dangers(found)
    module = ModulePlan(path="x", summary=found, dangers=losses, waiting=losses)
    made_report = report([module])
    return "\n".join(
        [
            msgspec.json.encode(found).decode(),
            msgspec.json.encode(losses).decode(),
            readable(found, losses),
            headline(found, losses),
            repr(tabled(found, losses)),
            made_report.markdown,
            made_report.json.decode(),
        ]
    )


def _forms(secret):
    yield secret
    yield json.dumps(secret)[1:-1]
    yield secret.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    yield quote(secret, safe="")
    for pad in range(3):
        whole = base64.b64encode(b"x" * pad + secret.encode() + b"yyy").decode()
        yield whole[4:12]


def clean(text, secret=CANARY):
    return not any(form in text for form in _forms(secret))


@pytest.mark.parametrize("name", ["create", "mixed", "nothing", "tofu"])
def test_real_plans_lose_their_secrets(name):
    assert b"canary-" in real(name).reveal()
    assert "canary-" not in everything(real(name))


PLACES = [
    ({"after_sensitive": {"s": True}}, "marked after"),
    ({"before_sensitive": {"s": True}}, "marked before"),
    ({"after_sensitive": True}, "marked as a whole"),
    ({"after_sensitive": [True]}, "a mask that does not fit the value marks all of it"),
]


@pytest.mark.parametrize(("masks", "why"), PLACES)
def test_values_are_masked_on_both_sides_by_either_mask(masks, why):
    plan = made(change("a.b", "update", before={"s": CANARY, "n": 1}, after={"s": CANARY + "2", "n": 2}, **masks))
    assert clean(everything(plan)), why


def _plan_with(spot):
    """The canary is sensitive in one place, and plain in *spot*."""
    sources = {
        "variables": {"v": {"value": {"deep": [CANARY]}}},
        "configuration": {"root_module": {"variables": {"v": {"sensitive": True}}}},
    }
    leaks = {
        "value": change("a.b", "create", after={"x": f"pre{CANARY}post"}),
        "key": change("a.b", "create", after={"x": {CANARY: 1}}),
        "json": change("a.b", "create", after={"x": json.dumps({"p": CANARY}).replace("<", "\\u003c")}),
        "base64": change("a.b", "create", after={"x": base64.b64encode(f"u:{CANARY}".encode()).decode()}),
        "url": change("a.b", "create", after={"x": f"https://h/?q={quote(CANARY, safe='')}"}),
        "instance": change(f'a.b["{CANARY}"]', "delete", before={}),
        "import": change("a.b", "no-op", importing={"id": CANARY}),
        "replace path": change(
            "a.b", "delete", "create", before={"x": 1}, after={"x": 2}, replace_paths=[["m", CANARY]]
        ),
        "long text": change("a.b", "update", before={"x": "y" * 500 + CANARY}, after={"x": "y" * 500 + "z"}),
        "moved": change("a.b", "no-op", previous_address=f'a.c["{CANARY}"]'),
    }
    extra = {
        "output": {"output_changes": {"o": {"actions": ["create"], "after": [CANARY]}}},
        "output removed": {"output_changes": {"o": {"actions": ["delete"], "before": {"x": {"y": CANARY}}}}},
        "check": {"checks": [{"status": "fail", "instances": [{"problems": [{"message": f"it is {CANARY}"}]}]}]},
        "drift": {"resource_drift": [change("a.b", "update", before={"x": CANARY}, after={"x": 1})]},
        "deferred": {"deferred_changes": [{"reason": "r", "resource_change": change(f'a.b["{CANARY}"]', "create")}]},
    }
    return made(*([leaks[spot]] if spot in leaks else []), **sources, **extra.get(spot, {}))


SPOTS = [
    "value", "key", "json", "base64", "url", "instance", "import", "replace path", "long text", "moved",
    "output", "output removed", "check", "drift", "deferred",
]  # fmt: skip


@pytest.mark.parametrize("spot", SPOTS)
def test_a_value_that_is_sensitive_anywhere_is_masked_everywhere(spot):
    assert clean(everything(_plan_with(spot)))


SOURCES = [
    ({"prior_state": {"values": {"outputs": {"o": {"sensitive": True, "value": CANARY}}}}}, "an output of the state"),
    (
        {"prior_state": {"values": {"root_module": {"child_modules": [
            {"resources": [{"values": {"a": [CANARY]}, "sensitive_values": {"a": [True]}}]}
        ]}}}},
        "a resource of the state, in a module",
    ),
    ({"variables": {"db_password": {"value": CANARY}}}, "a variable that is only called a secret"),
    ({"output_changes": {"o": {"actions": ["update"], "before": CANARY, "before_sensitive": True}}}, "an output"),
    ({"resource_drift": [change("a.c", "update", before={"z": CANARY}, before_sensitive={"z": True})]}, "drift"),
    (
        {"output_changes": {"o": {"actions": ["create"], "after_sensitive": True,
                                  "after": json.dumps({"password": CANARY, "engine": "postgres"})}}},
        "a part of a secret document",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "why"), SOURCES)
def test_what_is_sensitive_is_learned_from_all_of_the_plan(source, why):
    text = everything(made(change("a.b", "create", after={"x": f"-{CANARY}-"}), **source))
    assert clean(text), why


def test_numbers_can_be_secret():
    text = everything(
        made(change("a.b", "create", after={"pin": 48151623, "x": "48151623"}, after_sensitive={"pin": True}))
    )
    assert "48151623" not in text


def test_names_of_secrets_hide_values_that_nobody_marked():
    text = everything(
        made(change("a.b", "create", after={"master_password": "hunter-12", "client_secret": {"a": "b-4242"}}))
    )
    assert "hunter-12" not in text
    assert "b-4242" not in text


def test_credentials_are_hidden_by_what_they_look_like():
    text = everything(
        made(change("a.b", "create", after={"x": "ghp_0123456789abcdefghij", "y": "Bearer abcdef0123456"}))
    )
    assert "0123456789abcdefghij" not in text
    assert "abcdef0123456" not in text


def test_short_words_and_names_in_addresses_stay():
    text = everything(made(
        change("aws_instance.production", "create", after={"x": "on", "env": "production"}),
        variables={"s": {"value": "production"}, "t": {"value": "on"}},
        configuration={"root_module": {"variables": {"s": {"sensitive": True}, "t": {"sensitive": True}}}},
    ))  # fmt: skip
    assert "aws_instance.production" in text, "names come from the configuration, not from values"
    assert '"env","after":"production"' not in text.replace(" ", "")
    assert '"on' in text


def test_a_secret_that_only_looks_like_a_document_is_a_secret():
    masks = Masks()
    masks.add("{not json}")
    assert masks.mask("a {not json} b") == "a *** b"


def test_too_many_secrets_hide_everything():
    masks = Masks(most=2)
    for at in range(4):
        masks.add(f"secret-{at}")
    assert masks.is_full
    assert masks.mask("harmless") == "(hidden)"


def test_the_text_of_the_tool_is_masked_too():
    text = human(Plaintext(f"  + x = {CANARY}\n\x1b[31m" + "y" * 20_000), _plan_with("value"))
    assert clean(text)
    assert text.splitlines()[1] == "(hidden)"
    assert "\x1b" not in text


@given(
    _JSON,
    _JSON,
    st.text(min_size=6, max_size=12, alphabet=st.characters(codec="utf-8")).map(lambda t: f"CANARY{t}"),
    st.data(),
)
def test_a_canary_never_appears(before, after, secret, draw):
    """It is a sensitive variable, and put anywhere into what a resource was and will be."""
    secret = secret.strip()
    spot = draw.draw(st.sampled_from(["before", "after", "both", "key"]))
    around = f"a{secret}b"
    if spot in {"before", "both"}:
        before = {"x": before, "y": around}
    if spot in {"after", "both"}:
        after = {"x": after, "y": [around]}
    if spot == "key":
        after = {"x": after, around: 1}
    plan = made(
        change("a.b", "update", before=before, after=after),
        variables={"v": {"value": secret}},
        configuration={"root_module": {"variables": {"v": {"sensitive": True}}}},
    )
    text = everything(plan)
    assert secret not in text
    assert json.dumps(secret)[1:-1] not in text


@given(_JSON, _JSON, _JSON, _JSON, _JSON)
def test_any_shapes_of_values_and_masks_are_borne(before, after, unknown, one, other):
    fields = {"after_unknown": unknown, "before_sensitive": one, "after_sensitive": other}
    everything(made(change("a.b", "update", before=before, after=after, **fields)))
