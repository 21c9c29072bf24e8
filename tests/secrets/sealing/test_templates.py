"""Templates of SealedSecrets: what they see, what they make, and what they never tell."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.sealing.scene import NOW, all_of, revealed, ring, sealed, text

from plumbline.base.errors import EvaluationFailed, LimitExceeded
from plumbline.base.ids import Ids
from plumbline.secrets.sealing import templates as templates_module
from plumbline.secrets.sealing import unsealed

CANARY = "canary-7f3a"


def rendered(templates, items=None):
    obj = sealed({name: text(value) for name, value in (items or {}).items()}, {"data": templates})
    return revealed(unsealed(obj, ring(), now=NOW, ids=Ids(1)).values)


RULES = [
    ({"url": "db://{{ .user }}:{{ .password }}"}, {"user": "u", "password": "p", "url": "db://u:p"}, "values are seen"),
    ({"user": None}, {"password": "p"}, "null takes a value out"),
    ({"x": "{{ .user }}", "user": None}, {"password": "p", "x": "u"}, "which templates see all the same"),
    ({"none": None}, {"user": "u", "password": "p"}, "null for what is not there is nothing"),
    ({"host": "h", "url": "{{ .host }}"}, {"user": "u", "password": "p", "host": "h", "url": "h"}, "so are siblings"),
    (
        {"a": "{{ .b }}", "b": "{{ .a }}"},
        {"user": "u", "password": "p", "a": "{{ .a }}", "b": "{{ .b }}"},
        "siblings are seen as they are written",
    ),
    ({"user": "mine"}, {"user": "u", "password": "p"}, "what was sealed wins"),
    (
        {"user": "mine", "x": "{{ .user }}"},
        {"user": "u", "password": "p", "x": "u"},
        "what was sealed wins for templates too",
    ),
    ({"x": "{{ .missing }}"}, {"user": "u", "password": "p", "x": "<no value>"}, "as Go prints it"),
    ({"x": ""}, {"user": "u", "password": "p", "x": ""}, "an empty text is one"),
    ({"x": '{{ now | date "2006" }}'}, {"user": "u", "password": "p", "x": "2026"}, "time comes from outside"),
    ({"x": "{{ range $k, $v := . }}{{ $k }} {{ end }}"}, {"user": "u", "password": "p", "x": "password user x "}, "all"),
]  # fmt: skip


SPRIG = [
    '{{ htpasswd "ann" .password | trunc 11 }} {{ bcrypt .password | len }}',
    '{{ derivePassword 1 "long" .password "ann" "example.com" }}',
    '{{ semverCompare "^1.2" "1.3.0" }} {{ (semver "v1.2.3").Major }}',
    '{{ $ca := genCA "ca" 1 }}{{ $ca.Cert | trunc 27 }}',
    '{{ genPrivateKey "ed25519" | trunc 27 }} {{ encryptAES "k" .password | decryptAES "k" }}',
]


@pytest.mark.parametrize("template", SPRIG)
def test_everything_of_sprig_that_upstream_allows_is_there(template):
    assert b"<no value>" not in rendered({"x": template}, {"password": "p"})["x"]


@pytest.mark.parametrize("name", ["env", "expandenv", "getHostByName"])
def test_what_tells_about_the_process_is_not(name):
    with pytest.raises(EvaluationFailed, match=f'function "{name}" not defined'):
        rendered({"x": f'{{{{ {name} "HOME" }}}}'}, {"password": "p"})


@pytest.mark.parametrize(("templates", "expected", "why"), RULES, ids=[each[2] for each in RULES])
def test_templates_follow_the_rules(templates, expected, why):
    found = rendered(templates, {"user": "u", "password": "p"})
    assert found == {name: value.encode() for name, value in expected.items()}


def test_bytes_that_are_no_text_come_through():
    raw = bytes(range(256))
    assert rendered({"x": "{{ .a }}", "y": "{{ .a | b64enc | b64dec }}"}, {"a": raw}) == {"a": raw, "x": raw, "y": raw}


@pytest.mark.parametrize("function", ["env", "expandenv", "getHostByName"])
def test_nothing_leaves_the_process(function):
    with pytest.raises(EvaluationFailed, match=f'function "{function}" not defined'):
        rendered({"x": f'{{{{ {function} "HOME" }}}}'})


LEAKS = [
    ("{{ fail .a }}", "its own words"),
    ("{{ .a.b }}", "a field of a text"),
    ("{{ index .a 99999 }}", "an index that is not there"),
    ("{{ atoi .a | mustRegexMatch .a }}", "no number"),
    ("{{ mustRegexMatch .a .a }}", "no regular expression"),
    ("{{ range .a }}{{ end }}", "nothing to walk"),
    ("{{ mustToDate `2006` .a }}", "no date"),
    ("{{ mustFromJson .a }}", "no JSON"),
    ("{{ template .a }}", "cannot be read at all"),
    ('{{ define "x" }}{{ fail .a }}{{ end }}{{ template "x" . }}', "in a template of its own"),
    ("{{ call .a }}", "no function"),
    ("{{ slice .a 5 1 }}", "no slice"),
    ("{{ dict .a | fail }}", "wrong arguments"),
    ("{{ .a | len | repeat }}", "wrong arguments"),
    ('{{ printf "%d" .a | fail }}', "printed"),
    ("{{ mustChunk 0 (list .a) }}", "no chunks"),
    ("{{ include .a . }}", "no such function"),
]  # fmt: skip


@pytest.mark.parametrize(("template", "why"), LEAKS, ids=[each[0] for each in LEAKS])
def test_no_complaint_tells_a_value(template, why):
    with pytest.raises(EvaluationFailed) as refused:
        rendered({"odd": template}, {"a": f"{CANARY}(["})
    assert CANARY not in all_of(refused.value)
    assert "odd" in str(refused.value)


def test_a_complaint_says_which_template_and_where():
    with pytest.raises(EvaluationFailed) as refused:
        rendered({"first": "ok\n  {{ fail .a }}", "second": "{{ .a.b }}", "third": "{{ if }}"}, {"a": CANARY})
    assert refused.value.why == (
        "template: first:2:5: it fails there; template: second:1:5: it fails there; "
        "template: third:1: missing value for if"
    )


def test_the_same_complaint_is_made_once_and_many_are_counted():
    with pytest.raises(EvaluationFailed) as refused:
        rendered({f"t{at:02}": "{{ fail `x` }}" for at in range(13)})
    assert refused.value.why.count("it fails there") == 10
    assert refused.value.why.endswith("; and 3 more")
    assert "\n" not in str(refused.value)


def test_complaints_are_of_bounded_length():
    with pytest.raises(EvaluationFailed) as refused:
        rendered({"x": "{{ " + "y" * 5000 + " }}"})
    assert len(str(refused.value)) < 400


BOMBS = [
    "{{ range untilStep 0 100000000 1 }}x{{ end }}",
    '{{ range until 1000000 }}{{ printf "%1000d" . }}{{ end }}',
    '{{ repeat 100000000 "x" }}',
    '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}',
    '{{ $x := "xxxxxxxxxx" }}{{ range until 30 }}{{ $x = cat $x $x }}{{ end }}{{ $x }}',
]


@pytest.mark.parametrize("template", BOMBS)
def test_what_takes_too_long_or_makes_too_much_is_ended(template):
    with pytest.raises(EvaluationFailed):
        rendered({"x": template}, {"a": "a" * 50})


def test_many_templates_share_what_one_may_take(monkeypatch):
    monkeypatch.setattr(templates_module, "_ALL_STEPS", 5000)
    costly = "{{ range until 1000 }}{{ end }}"
    assert rendered({"x": costly}) == {"x": b""}
    with pytest.raises(EvaluationFailed):
        rendered({f"t{at}": costly for at in range(10)})


def test_templates_make_no_more_than_a_secret_holds():
    quarter = '{{ repeat 300000 "x" }}'
    with pytest.raises((EvaluationFailed, LimitExceeded)):
        rendered(dict.fromkeys("abcd", quarter))
    umlauts = '{{ repeat 300000 "ü" }}'
    with pytest.raises((EvaluationFailed, LimitExceeded)):
        rendered(dict.fromkeys("ab", umlauts))


@pytest.mark.parametrize(
    "templates", [{str(at): "" for at in range(1025)}, {"x": "y" * 1_100_000}], ids=["many", "long"]
)
def test_too_much_template_is_refused(templates):
    with pytest.raises(LimitExceeded):
        rendered(templates)


def test_a_fault_of_ours_tells_no_value_either(monkeypatch):
    class Broken:
        def __init__(self, *given):
            pass

        def execute(self, values, bounds):
            raise ValueError(values["a"])

    monkeypatch.setattr(templates_module, "Template", Broken)
    with pytest.raises(EvaluationFailed) as refused:
        rendered({"x": "y"}, {"a": CANARY})
    assert CANARY not in all_of(refused.value)


@given(st.text(max_size=60))
def test_any_text_is_a_template_or_is_refused(body):
    with suppress(EvaluationFailed, LimitExceeded):
        rendered({"x": "{{ " + body + " }}"})
