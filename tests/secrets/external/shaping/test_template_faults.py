"""Failures of templates name the place and never a value."""

import pytest
from tests.secrets.external.shaping.making import SURROUNDINGS, plain, printed

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretTemplate,
    TemplateFrom,
    TemplateItem,
    TemplateRef,
)
from plumbline.secrets.external.shaping.templating import Sources, rendered

CANARY = "canary-5417"

SAID = [
    ("{{ .nope }}", 'line 1, column 3: <.nope>: map has no entry for key "nope"', "what is not there"),
    ("ok\n  {{ .x.y }}", "line 2, column 7: <.x.y>: can't evaluate field y in type string", "with its line"),
    ("{{ if }}", "line 1: missing value for if", "what cannot be read"),
    ("{{ nope }}", 'line 1: function "nope" not defined', "an unknown function"),
    ("{{ upper }}", "line 1, column 3: <upper>: wrong number of args for upper: want 1 got 0", "arguments"),
    ('{{ fail "set x first" }}', 'line 1, column 3: <fail "set x first">: error calling fail: set x first', "words of the author"),
    ("{{ fail .x }}", "line 1, column 3: <fail .x>: error calling fail", "but not of a value"),
    ("{{ fail (printf `no %s` .x) }}", "line 1, column 3: <fail (printf `no %s` .x)>: error calling fail", "nor with one in it"),
    ("{{ mustToDate `2006` .x }}", "line 1, column 3: <mustToDate `2006` .x>: error calling mustToDate", "functions that quote"),
    ("{{ mustFromJson .x }}", "line 1, column 3: <mustFromJson .x>: error calling mustFromJson", "same"),
    ("{{ pkcs12key .x }}", (
        "line 1, column 3: <pkcs12key .x>: error calling pkcs12key: unable to decode pkcs12 with password: it is damaged, "
        "or the password is wrong"), "ours are made to be told"),
    ("{{ range .x }}{{ end }}", (
        "line 1, column 9: <.x>: it failed, in words that might tell a value"), "Go quotes what it cannot iterate over"),
    ("{{ index .x 99 }}", "line 1, column 3: <index .x 99>: error calling index", "an index"),
    ("{{ template `t` . }}", 'line 1, column 12: <{{template "t" .}}>: it failed, in words that might tell a value', "no such template"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said", "why"), SAID, ids=[case[-1] for case in SAID])
def test_what_is_told(text, said, why):
    with pytest.raises(InvalidInput) as caught:
        printed(text, x=CANARY)
    assert caught.value.why == said, why
    assert caught.value.what.endswith("template at key out of template.data")


@pytest.mark.parametrize(
    "text",
    [
        f"{{{{ fail `{CANARY}` }}}}",
        f"{{{{ .nope }}}}{CANARY}",
        f"{{{{ index .x `{CANARY}` }}}}",
        f"{CANARY} {{{{ if }}}}",
        f"{{{{ `{CANARY}` | nope }}}}",
        f"{{{{ template `{CANARY}` }}}}",
    ],
)
def test_a_template_that_is_a_secret_is_not_quoted(text):
    ref = TemplateRef(name="s", items=(TemplateItem(key="k"),))
    template = ExternalSecretTemplate(template_from=(TemplateFrom(secret=ref),))
    with pytest.raises(InvalidInput) as caught:
        rendered(template, plain(x="v"), Sources(secrets={"s": {"k": Plaintext(text)}}), SURROUNDINGS)
    assert "key k of templateFrom[0].secret s" in caught.value.what
    assert caught.value.why.startswith("line 1")
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
