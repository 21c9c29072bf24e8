"""A template can cost no more than it was given."""

from contextlib import suppress

import pytest
from tests.gotemplate.asking import FUNCTIONS, printed

from plumbline.base.errors import EvaluationFailed, LimitExceeded, PlumblineError
from plumbline.gotemplate import Bounds, Template

HOSTILE = [
    ("{{range 100000000}}x{{end}}", "a loop over a number"),
    ('{{repeat 1000000000 "x"}}', "a long string"),
    ("{{until 1000000000}}", "a long list"),
    ("{{seq 1 1000000000}}", "a long sequence"),
    ('{{indent 1000000000 "x"}}', "a wide margin"),
    ("{{randAlphaNum 1000000000}}", "much chance"),
    ('{{$x := "xxxxxxxx"}}{{range 64}}{{$x = print $x $x}}{{end}}', "a string that doubles"),
    ("{{$x := list 1 1}}{{range 64}}{{$x = concat $x $x}}{{end}}", "a list that doubles"),
    ("{{$x := list 1}}{{range 64}}{{$x = list $x $x}}{{end}}{{$x}}", "a list that doubles in depth"),
    ("{{$x := list 1}}{{range 64}}{{$x = list $x $x}}{{end}}{{toJson $x}}", "the same as JSON"),
    ("{{$x := list 1}}{{range 64}}{{$x = list $x $x}}{{end}}{{deepCopy $x}}", "the same as a copy"),
    ('{{$x := dict}}{{$_ := set $x "x" $x}}{{$x}}', "a map that holds itself"),
    ('{{$x := dict}}{{$_ := set $x "x" $x}}{{toJson $x}}', "the same as JSON"),
    ('{{printf "%1000000000d" 1}}', "a wide number"),
    ('{{printf "%.1000000000f" 1.0}}', "a precise number"),
    ("{{range 1000}}{{range 1000}}{{range 1000}}{{end}}{{end}}{{end}}", "loops in loops"),
    ('{{replace "" (repeat 1000 "x") (repeat 10000 "y")}}', "a replacement of nothing"),
    ('{{regexReplaceAll "" (repeat 10000 "y") (repeat 1000 "x")}}', "the same with a pattern"),
]


@pytest.mark.parametrize(("text", "why"), HOSTILE, ids=[why for _, why in HOSTILE])
def test_refuses_what_costs_too_much(text, why):
    with pytest.raises(LimitExceeded):
        printed(text)


def test_templates_that_call_each_other_end():
    with pytest.raises(EvaluationFailed, match="exceeded maximum template depth"):
        printed('{{define "T"}}{{template "T" .}}{{end}}{{template "T" .}}')


def test_prints_no_more_than_it_may():
    template = Template("t", "{{range 20}}{{.}}0123456789{{end}}", FUNCTIONS)
    assert len(template.execute({}, Bounds(output_bytes=300))) < 300
    with pytest.raises(LimitExceeded):
        template.execute({}, Bounds(output_bytes=100))


def test_a_long_template_is_not_read():
    with pytest.raises(LimitExceeded):
        Template("t", "x" * (1 << 21))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200 + ".x" + ")" * 200,
    ],
)
def test_a_deep_template_is_not_read(text):
    with pytest.raises(PlumblineError, match="max expression depth exceeded"):
        printed(f"{{{{{text}}}}}")


def test_deep_actions_are_not_read():
    with pytest.raises(PlumblineError, match="max expression depth exceeded"):
        printed("{{if .x}}" * 200 + "{{end}}" * 200)


@pytest.mark.parametrize(
    "text",
    ['{{ceil "inf"}}', '{{floor "nan"}}', '{{round "inf" 2}}', '{{int "1e400"}}', "{{divf 1 0}}", '{{mulf "inf" 2}}'],
)
def test_odd_numbers_are_no_crash(text):
    with suppress(EvaluationFailed):
        assert isinstance(printed(text), str)
