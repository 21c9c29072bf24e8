"""What templates make of what was fetched."""

import pytest
from tests.secrets.external.shaping.making import SURROUNDINGS, opened, plain, printed
from tests.secrets.external.shaping.vectors import YAML_STRINGS

from plumbline.base.errors import InvalidInput, LimitExceeded, Unresolved
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretTemplate,
    TemplateFrom,
    TemplateItem,
    TemplateMetadata,
    TemplateRef,
)
from plumbline.secrets.external.shaping.templating import Sources, rendered


def _rendered(template, values=None, **sources):
    return rendered(template, plain(**(values or {})), Sources(**sources), SURROUNDINGS)


def _ref(name, key, template_as="Values"):
    return TemplateRef(name=name, items=(TemplateItem(key=key, template_as=template_as),))


def test_templates_see_values_as_text():
    values = {"user": "ada", "raw": b"\xff\x00"}
    template = ExternalSecretTemplate(
        data={"url": "db://{{ .user | upper }}@h", "raw": "{{ .raw }}", "n": "{{ len .raw }}"}
    )
    assert opened(_rendered(template, values).values) == {"url": b"db://ADA@h", "raw": b"\xff\x00", "n": b"2"}


def test_what_was_fetched_stays_only_by_policy_or_without_templates():
    values = {"a": "1", "b": "2"}
    assert opened(_rendered(ExternalSecretTemplate(), values).values) == {"a": b"1", "b": b"2"}
    assert opened(_rendered(ExternalSecretTemplate(data={"a": "x"}), values).values) == {"a": b"x"}
    merging = ExternalSecretTemplate(data={"a": "x"}, merge_policy="Merge")
    assert opened(_rendered(merging, values).values) == {"a": b"x", "b": b"2"}


def test_templates_from_elsewhere_come_first_and_those_of_the_spec_count():
    template = ExternalSecretTemplate(
        template_from=(
            TemplateFrom(config_map=_ref("cm", "conf")),
            TemplateFrom(secret=_ref("s", "keys", "KeysAndValues")),
            TemplateFrom(literal="{{ .user }}: yes\nconf: from literal\nport: 5432\n"),
        ),
        data={"port": "1{{ .user }}"},
    )
    made = _rendered(
        template,
        {"user": "ada"},
        config_maps={"cm": {"conf": "user={{ .user }}"}},
        secrets={"s": {"keys": Plaintext("one: {{ .user }}\ntwo: '2'")}},
    )
    assert opened(made.values) == {
        "conf": b"from literal",
        "one": b"ada",
        "two": b"2",
        "ada": b"true",
        "port": b"1ada",
    }


def test_labels_and_annotations_are_templates_and_targets():
    template = ExternalSecretTemplate(
        metadata=TemplateMetadata(labels={"app": "{{ .x }}"}, annotations={"note": "n-{{ .x }}"}),
        template_from=(
            TemplateFrom(literal="l: '{{ .x }}'", target="labels"),
            TemplateFrom(literal="note: lost\na: b", target="Annotations"),
            TemplateFrom(config_map=_ref("cm", "k"), target=""),
        ),
    )
    made = _rendered(template, {"x": "v"}, config_maps={"cm": {"k": "{{ .x }}"}})
    assert made.labels == {"app": "v", "l": "v"}
    assert made.annotations == {"note": "n-v", "a": "b"}
    assert opened(made.values) == {"k": b"v"}


def test_values_of_templates_from_elsewhere_can_be_decoded():
    template = ExternalSecretTemplate(
        template_from=(
            TemplateFrom(literal="a: {{ .x | b64enc }}", values_decoding_strategy="Base64"),
            TemplateFrom(config_map=_ref("cm", "b"), values_decoding_strategy="Auto"),
        ),
        data={"c": "{{ .x | b64enc }}"},
    )
    made = _rendered(template, {"x": b"\xfe\x00"}, config_maps={"cm": {"b": "{{ .x | b64enc }}"}})
    assert opened(made.values) == {"a": b"\xfe\x00", "b": b"\xfe\x00", "c": b"/gA="}


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({}, "templateFrom[0].configMap cm: it is not there"),
        ({"config_maps": {"cm": {"other": ""}}}, "templateFrom[0].configMap cm: missing key k"),
    ],
)
def test_what_is_not_there_is_sought(sources, said):
    template = ExternalSecretTemplate(template_from=(TemplateFrom(config_map=_ref("cm", "k")),))
    with pytest.raises(Unresolved) as caught:
        _rendered(template, namespace="ns", **sources)
    assert caught.value.why == said
    assert caught.value.sought == ("", "ConfigMap", "ns", "cm")


def test_a_missing_secret_is_sought_as_a_secret():
    with pytest.raises(Unresolved) as caught:
        _rendered(ExternalSecretTemplate(template_from=(TemplateFrom(secret=_ref("s", "k")),)))
    assert caught.value.sought[1] == "Secret"


def test_one_template_cannot_change_what_another_sees():
    """In Go, `set` does not take a map of strings at all."""
    template = ExternalSecretTemplate(data={"a": '{{ $_ := set . "x" "changed" }}', "b": "{{ .x }}"})
    with pytest.raises(InvalidInput, match="wrong type for value; expected map"):
        _rendered(template, {"x": "v"})


FIRST = {"a": b"text", "b": b"1", "c": b"1.1", "d": b"true", "e": b"", "f": b"83"}


def test_yaml_scalars_are_text():
    template = ExternalSecretTemplate(template_from=(TemplateFrom(literal=YAML_STRINGS[0]),))
    assert opened(_rendered(template).values) == FIRST


UNREADABLE = [
    ("a: {b: canary}", "the value of a is no text", "a mapping is none"),
    ("a: 12345678.5", "the value of a is a number of too many digits", "as text it would be another number"),
    ("- canary", "it prints no mapping", "a list is none"),
    ("a: [canary", "line 2 of what it prints is no YAML", "no YAML"),
    ("a: 'canary\nb: x", "of what it prints is no YAML", "no YAML either"),
]


@pytest.mark.parametrize(("literal", "said", "why"), UNREADABLE, ids=[case[-1] for case in UNREADABLE])
def test_what_is_no_map_of_text_is_refused_without_a_value(literal, said, why):
    with pytest.raises(InvalidInput) as caught:
        _rendered(ExternalSecretTemplate(template_from=(TemplateFrom(literal=literal),)))
    assert said in caught.value.why, why
    assert "templateFrom[0].literal" in caught.value.what
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_fields_beyond_values_labels_and_annotations_are_out_of_reach():
    template = ExternalSecretTemplate(template_from=(TemplateFrom(literal="a: b", target="type"),))
    with pytest.raises(InvalidInput, match="is not allowed when targeting a Secret"):
        _rendered(template)


def test_labels_have_to_be_text():
    template = ExternalSecretTemplate(metadata=TemplateMetadata(labels={"l": "{{ .x }}"}))
    with pytest.raises(InvalidInput, match="does not print text"):
        _rendered(template, {"x": b"\xff"})


@pytest.mark.parametrize(
    "text", ["{{ range $i := until 100000 }}{{ range until 1000 }}x{{ end }}{{ end }}", "{{ repeat 9999999 .x }}"]
)
def test_templates_are_bounded(text):
    with pytest.raises(LimitExceeded, match=r"key out of template\.data is too costly"):
        printed(text, x="canary")


def test_so_is_what_they_are_given():
    with pytest.raises(LimitExceeded, match="too much for a template"):
        printed("{{ .x }}", x="v" * 2**20 + "v")


@pytest.mark.parametrize("name", ["env", "expandenv", "getHostByName"])
def test_nothing_tells_about_where_the_process_runs(name):
    with pytest.raises(InvalidInput, match=f'function "{name}" not defined') as caught:
        printed(f'{{{{ {name} "HOME" }}}}')
    assert "where the process runs" in caught.value.hint


@pytest.mark.parametrize("place", ["data", "labels", "annotations"])
def test_templates_make_no_more_together_than_a_few_secrets_hold(place):
    large = '{{ repeat 300000 "xx" }}'

    def made(texts):
        return _rendered(ExternalSecretTemplate(**({"data": texts} if place == "data" else {"metadata": TemplateMetadata(**{place: texts})})))  # fmt: skip

    assert made({"a": large, "b": "x"})
    with pytest.raises(LimitExceeded, match="KiB"):
        made({f"key{number}": large for number in range(5)})


def test_one_text_that_is_a_template_many_times_is_not_read_for_ever():
    source = TemplateFrom(config_map=TemplateRef(name="cm", items=(TemplateItem(key="large"),) * 5))
    large = "{{/* " + "x" * 600_000 + " */}}"
    with pytest.raises(LimitExceeded, match="have more than 2,048 KiB"):
        _rendered(ExternalSecretTemplate(template_from=(source,)), config_maps={"cm": {"large": large}})


def test_aliases_make_no_more_together_than_a_few_secrets_hold():
    printed = "a: &a " + "x" * 30_000 + "\n" + "".join(f"k{number}: *a\n" for number in range(100))
    with pytest.raises(LimitExceeded, match="make more than 2,048 KiB"):
        _rendered(ExternalSecretTemplate(template_from=(TemplateFrom(literal=printed),)))


def test_templates_take_no_more_steps_together_than_a_few_of_them():
    slow = "{{ range $i := until 30000 }}{{ $i | int }}{{ end }}"
    assert len(_rendered(ExternalSecretTemplate(data={"a": slow})).values) == 1
    with pytest.raises(LimitExceeded, match="steps"):
        _rendered(ExternalSecretTemplate(data={f"key{number}": slow for number in range(100)}))
