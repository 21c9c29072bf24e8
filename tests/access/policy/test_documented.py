"""The page about policies tells the truth: its policy decides what its table says."""

import re
from pathlib import Path

import pytest

from plumbline.access.policy import Policy, Subject, policy_source
from plumbline.access.policy.requests import ACTIONS
from plumbline.base.documents import load_document

PAGE = (Path(__file__).parents[3] / "docs" / "access-policies.md").read_text()
ROWS = re.findall(r"^\| `(\w+)`(?: in `(\S+)`)? \| `(\S+) (\S+) (\S+)` \| (.+) \|$", PAGE, re.MULTILINE)


def test_the_table_is_found():
    assert len(ROWS) == 6


@pytest.mark.parametrize(("who", "group", "action", "resource", "name", "said"), ROWS)
def test_everybody_is_told_what_the_page_says(who, group, action, resource, name, said):
    [text] = re.findall(r"```yaml\n(# policy\.yaml\n.*?)```", PAGE, re.DOTALL)
    policy = Policy.compiled(policy_source(load_document(text).value["data"]))
    assert policy.faults == ()
    assert policy.decide(Subject(who, (group,) if group else ()), resource, action, name).why == said


@pytest.mark.parametrize("resource", ACTIONS)
def test_every_resource_is_on_the_page(resource):
    assert re.search(rf"^\| (`[\w-]+`, )?`{resource}`", PAGE, re.MULTILINE)
