"""Other delimiters than Go's usual ones, and what another template prints as a value."""

import pytest

from plumbline.base.errors import BadExpression, EvaluationFailed
from plumbline.gotemplate import INCLUDE, Template


@pytest.mark.parametrize(
    ("text", "delimiters", "expected", "why"),
    [
        ("[[ .a ]] {{ .a }}", ("[[", "]]"), "1 {{ .a }}", "the usual ones are text then"),
        ("x <%- .a -%> y", ("<%", "%>"), "x1y", "trimming"),
        ("a[[/* no */]]b", ("[[", "]]"), "ab", "comments"),
        ("a [[- /* no */ -]] b", ("[[", "]]"), "ab", "comments that trim"),
        ("$.a$", ("$", "$"), "1", "one character"),
        ("<<<.a>>>", ("<<<", ">>>"), "1", "three of them"),
    ],
)
def test_actions_stand_between_the_delimiters(text, delimiters, expected, why):
    assert Template("t", text, delimiters=delimiters).execute({"a": 1}) == expected, why


def test_faults_with_other_delimiters_are_gos():
    with pytest.raises(BadExpression, match="unclosed action"):
        Template("t", "[[ .a ", delimiters=("[[", "]]"))


def test_what_another_template_prints_is_a_value():
    text = '{{ define "t" }}<{{ .x }}{{ with .y }}{{ include "t" . }}{{ end }}>{{ end }}{{ include "t" . | len }}'
    assert Template("m", text, INCLUDE).execute({"x": 1, "y": {"x": 2}}) == "6"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{{ include "no" . }}', 'error calling include: template: no template "no" associated with template "m"'),
        (
            '{{ define "t" }}{{ include "t" . }}{{ end }}{{ include "t" . }}',
            "a nested reference name: t: unable to execute",
        ),
        (
            '{{ define "t" }}{{ .a.b }}{{ end }}{{ include "t" . }}',
            'error calling include: template: m:1:21: executing "t"',
        ),
    ],
)
def test_what_goes_wrong_in_there_is_told(text, told):
    with pytest.raises(EvaluationFailed) as failed:
        Template("m", text, INCLUDE).execute({"a": None})
    assert told in str(failed.value)
