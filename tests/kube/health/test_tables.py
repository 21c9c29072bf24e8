"""Every kind with a rule of its own, by cases in YAML: what it is, what it says, and for which object."""

import re
from pathlib import Path

import pytest

from plumbline.base.documents import load_document
from plumbline.kube.health import assess
from plumbline.kube.health.assessing import rule_for
from plumbline.kube.health.tables import RULES
from plumbline.kube.names import GroupVersionKind

CASES = Path(__file__).parent / "cases"
CONDITION = re.compile(r"(?P<type>[^ :]+) (?P<status>[^ :]+)(?: (?P<reason>[^ :]+))?(?:: (?P<message>.*))?")


def condition_of(text):
    """`TYPE STATUS REASON: MESSAGE`, the last two optional."""
    return {name: value for name, value in CONDITION.fullmatch(text).groupdict().items() if value is not None}


def object_of(case, api_version, kind):
    obj = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "it", **case.get("metadata", {})}}
    obj.update({part: case[part] for part in ("spec", "status") if part in case})
    if "conditions" in case:
        obj["status"] = {**obj.get("status", {}), "conditions": [condition_of(text) for text in case["conditions"]]}
    return obj


def cases():
    for path in sorted(CASES.glob("*.yaml")):
        for heading, found in load_document(path.read_bytes(), source=path.name).value.items():
            api_version, _, kinds = heading.partition(" ")
            for kind in kinds.split("|"):
                for number, case in enumerate(found):
                    said = case.get("says", "").replace("{kind}", kind).replace("{kind_lower}", kind.lower())
                    obj = object_of(case, api_version, kind)
                    yield pytest.param(obj, case["is"], said, id=f"{kind}.{api_version}-{number}")


ALL = list(cases())


@pytest.mark.parametrize(("obj", "status", "message"), ALL)
def test_a_kind_is_judged_by_its_own_rule(obj, status, message):
    health = assess(obj)
    assert ("none" if health is None else health.status, "" if health is None else health.message) == (status, message)
    assert health is None or health.basis == "rule"


def test_every_rule_has_at_least_two_cases():
    judged = [GroupVersionKind.of(case.values[0]).group_kind for case in ALL]
    used = [rule_for(kind) for kind in judged]
    assert {name for name, rule in RULES.items() if sum(rule is found for found in used) < 2} == set()
    named = {f"{group}/{kind}" for group, kind in judged}
    assert {name for name in RULES if "*" not in name} - named == set()
