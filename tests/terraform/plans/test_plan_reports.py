"""One comment for a pull request: what matters first, within the limit, and nothing that others wrote does anything."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.terraform.plans import dangers, summarised
from plumbline.terraform.plans.report import FORGE_LIMITS, ModulePlan, marker, report
from plumbline.terraform.plans.report.escaping import code, fenced, html_code, size

from .samples import change, real, summary

EVIL = "`|</details><img src=x onerror=y>@all #1 [l](http://e) ![i](http://e)\n\n# h\n```\n-->\u202e"


def _module(name, path=None, **fields):
    found = summarised(real(name))
    losses = dangers(found)
    return ModulePlan(path=path or name, summary=found, dangers=losses, waiting=losses, digest="ab" * 32, **fields)


def _outside_code(markdown):
    """What is left for a forge to interpret: fences, code in lines and code in HTML taken out."""
    text = re.sub(r"^```diff\n.*?^```$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<code>[^<>]*</code>", "", text)
    return re.sub(r"`[^`\n]*`", "", text)


def test_reads_from_what_is_lost_to_what_is_harmless():
    modules = [
        _module("nothing"),
        _module("create"),
        _module("mixed", "live/prod"),
        ModulePlan(path="broken", error="Error: x"),
    ]
    text = report(modules, key="42").markdown
    assert text.startswith(
        "<!-- plumbline-terraform-plans:42 -->\n\n### Terraform: 4 root modules, 1 failed, 1 with something"
    )
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows[0] == "| `broken` | | | | | | | | failed |  |"
    assert rows[1] == "| `live/prod` |  | 2 | 1 | 1 |  |  |  | 5 changes | `abababababab` |"
    assert rows[2].startswith("| `create` | 4 |")
    assert text.index("What would be lost") < text.index("<details>")
    assert (
        text.index("<code>broken</code>: failed")
        < text.index("<code>live/prod</code>")
        < text.index("<code>create</code>")
    )
    assert "! Error: x" in text
    assert "input.password: (sensitive value) → (sensitive value)" in text
    assert 'triggers_replace[0]: "a" → "b"  # the reason for the replacement' in text
    assert "Left out" not in text


def test_modules_that_do_not_change_are_only_counted():
    quiet = ModulePlan(path="quiet", summary=summary())
    assert "2 modules do not change." in report([quiet, ModulePlan(path="calm", summary=summary())]).markdown
    assert "quiet" not in report([quiet]).markdown
    assert "quiet" in report([quiet]).json.decode()


def test_the_same_plans_give_the_same_report_in_any_order():
    modules = [_module("mixed"), _module("create"), _module("forget"), ModulePlan(path="e", error="x")]
    assert report(modules) == report(modules[::-1])


def test_the_twin_holds_everything():
    twin = json.loads(report([_module("mixed", workspace="prod"), _module("forget")], 2_000).json)
    assert twin["schema"] == "plumbline.dev/terraform-report/v1"
    assert [each["path"] for each in twin["modules"]] == ["forget", "mixed"]
    mixed = twin["modules"][1]
    assert mixed["plan"]["counts"]["replace"] == 1
    assert len(mixed["plan"]["changes"]) == 4
    assert {each["kind"] for each in mixed["dangers"]} == {"unprotect", "destroy", "replace", "output-removed"}
    assert mixed["workspace"] == "prod"
    assert len(mixed["waits"]) == 5


def test_what_does_not_fit_is_left_out_from_the_end_and_told():
    planned = summary(*(change(f"a.b{at}", "create", after={"x": "y" * 300}) for at in range(50)))
    modules = [_module("mixed"), *(ModulePlan(path=f"m{at:03}", summary=planned) for at in range(60))]
    text = report(modules, 40_000, elsewhere="the artifact plan.json").markdown
    assert size(text) <= 40_000
    assert "`mixed`" in text
    assert "input.password" in text, "what is dangerous keeps its attributes"
    assert re.search(r"Left out, since .*: the attributes of \d+ modules, the details of \d+ modules\.", text)
    assert text.rstrip().endswith("All of it is in `the artifact plan.json`.")


def test_even_the_table_gives_way():
    planned = summary(*(change(f"aws_db_instance.b{at}", "delete") for at in range(30)))
    modules = [ModulePlan(path=f"m{at:03}", summary=planned, dangers=dangers(planned)) for at in range(300)]
    text = report(modules, 5_000).markdown
    assert re.search(r"Left out, since .*: \d+ rows of the table, 9,\d+ lines about what would be lost", text)


def test_long_errors_many_attributes_and_imports_are_cut_and_told():
    planned = summary(
        change("a.b", "create", after={f"k{at}": at for at in range(60)}),
        change("a.c", "no-op", importing={"id": "i-1"}),
        change("a.d", "delete", deposed="0bad"),
        resource_drift=[change("a.e", "update", before={"x": 1}, after={"x": 2})],
    )
    text = report([ModulePlan(path="m", summary=planned), ModulePlan(path="e", error="x\n" * 50)]).markdown
    assert "… and 20 more attributes" in text
    assert "! … and 10 more lines" in text
    assert "a.c (import, import of i-1)" in text
    assert "- a.d (delete, deposed 0bad)" in text
    assert "# changed outside: a.e\n      x: 1 → 2" in text


def test_a_limit_that_nothing_fits_into_is_refused():
    with pytest.raises(InvalidInput):
        report([], 1_999)


@pytest.mark.parametrize("folds", [True, False])
def test_text_of_others_does_nothing(folds):
    planned = summary(
        change(
            f'a.b["{EVIL}"]', "delete", "create", before={EVIL: EVIL}, after={EVIL: EVIL + "2"}, replace_paths=[[EVIL]]
        ),
        change("a.c", "no-op", importing={"id": EVIL}),
        output_changes={EVIL: {"actions": ["delete"], "before": EVIL}},
        checks=[{"status": "fail", "address": {"to_display": EVIL}, "instances": [{"problems": [{"message": EVIL}]}]}],
    )
    losses = dangers(planned)
    modules = [
        ModulePlan(
            path=EVIL, workspace=EVIL, summary=planned, dangers=losses, waiting=losses, digest=EVIL, plan_id=EVIL
        ),
        ModulePlan(path="x", error=EVIL),
    ]
    text = report(modules, key=EVIL, folds=folds, elsewhere=EVIL).markdown
    left = _outside_code(text).removeprefix(marker(EVIL))
    for mark in ("@", "img", "](", "# h", "onerror", "\u202e", "`"):
        assert mark not in left, mark
    assert left.count("</details>") == left.count("<details>") == (2 if folds else 0)
    assert "-->" not in left
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert {row.count("|") for row in rows} == {11}, "no cell more than there are columns"


@given(st.text())
def test_code_stays_code(text):
    assert re.fullmatch(r"`[^`\n|]+`", code(text))
    assert not re.search(r"[<>]", html_code(text)[6:-7])
    assert len(fenced([text]).splitlines()) == 3
    assert fenced([text]).count("```") == 2


@given(st.text())
def test_a_marker_stays_a_comment(key):
    text = marker(key)
    assert text.count("-->") == 1
    assert "--" not in text[4:-3]
    assert "\n" not in text


_TEXT = st.text(max_size=40) | st.sampled_from([EVIL, "x" * 3_000, "😀" * 500])


@settings(max_examples=25)
@given(
    st.lists(st.tuples(_TEXT, st.integers(0, 20), _TEXT, st.booleans()), max_size=8),
    st.sampled_from([2_000, 3_000, 10_000, *FORGE_LIMITS.values()]),
    st.booleans(),
)
def test_a_report_is_never_longer_than_it_may_be(described, limit, folds):
    modules = []
    for path, count, text, fails in described:
        planned = summary(
            *(change(f'aws_db_instance.b["{at}{text}"]', "delete", before={text: text}) for at in range(count))
        )
        modules.append(
            ModulePlan(path=path, error=text)
            if fails
            else ModulePlan(path=path, summary=planned, dangers=dangers(planned))
        )
    made = report(modules, limit, folds=folds)
    assert size(made.markdown) <= limit
    assert made.markdown.startswith(marker())
    assert len(json.loads(made.json)["modules"]) == len(modules)
