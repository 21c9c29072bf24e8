"""main.tf made of main.tf.tpl."""

from datetime import UTC, datetime

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.gotemplate import Surroundings
from plumbline.terraform.inputs import rendered_main

SURROUNDINGS = Surroundings(lambda: datetime(2026, 1, 1, tzinfo=UTC), Ids())


def rendered(template, **variables):
    return rendered_main(template, Plaintext(encode(variables)), SURROUNDINGS).reveal().decode()


@pytest.mark.parametrize(
    ("template", "expected", "why"),
    [
        ("{{ .Values.name }}", "web", "values are there as Helm has them"),
        ("{{ .values.name }}", "web", "and as the variable that they are"),
        ("{{ .region | upper | quote }}", '"EU"', "other variables and Sprig too"),
        ("{{ .Values.count }}", "3", "whole numbers look whole"),
        ("{{ add .Values.count 1 }}", "4", "and can be counted with"),
        ("{{ .Values.large }}", "1e+06", "large ones look as floats do in Go"),
        ("{{ .Values.none }}", "<no value>", "what is not there"),
        ("{{- range .Values.zones }}\nz {{ . }}{{ end }}", "\nz a\nz b", "with loops"),
    ],
)
def test_it_is_a_go_template_over_all_variables(template, expected, why):
    values = {"name": "web", "count": 3, "large": 1_000_000, "zones": ["a", "b"]}
    assert rendered(template, values=values, region="eu") == expected


@pytest.mark.parametrize("template", ["{{ .a", "{{ nope }}", "{{ .a.b.c }}", '{{ env "HOME" }}', "{{ fail .a }}"])
def test_what_goes_wrong_is_said_without_secrets(template):
    known.add("canary-hunter2")
    with pytest.raises(InvalidInput) as refused:
        rendered(template, a="canary-hunter2")
    assert "main.tf.tpl" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_without_values_they_are_nothing():
    assert rendered("{{ .Values }}", a=1) == "<no value>"
