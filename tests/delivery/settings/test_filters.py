"""Which kinds exist for us."""

import pytest
from tests.delivery.settings.building import settings


def excludes(entries, group, kind, server="https://one"):
    return settings(entries).filter.excludes(group, kind, server)


@pytest.mark.parametrize(
    ("group", "kind"), [("", "Event"), ("events.k8s.io", "Event"), ("coordination.k8s.io", "Lease")]
)
def test_some_kinds_never_do(group, kind):
    assert excludes({"resource.exclusions": "", "resource.inclusions": "- kinds: ['*']"}, group, kind)


@pytest.mark.parametrize(
    ("exclusions", "inclusions", "group", "kind", "excluded", "why"),
    [
        ("", "", "apps", "Deployment", False, "nothing is said"),
        ("- apiGroups: ['*.example.org']", "", "x.example.org", "A", True, "groups are patterns"),
        ("- kinds: [Deploy*]", "", "apps", "Deployment", False, "kinds are names"),
        ("- kinds: ['*']\n  apiGroups: [apps]", "", "apps", "Deployment", True, "or all"),
        ("- clusters: ['https://t*']", "", "apps", "Deployment", False, "elsewhere"),
        ("- clusters: ['https://o*']", "", "apps", "Deployment", True, "here"),
        ("", "- apiGroups: [apps]", "apps", "Deployment", False, "included"),
        ("", "- apiGroups: [apps]", "", "Pod", True, "not included"),
        ("", "- apiGroups: [apps]\n  clusters: [https://two]", "", "Pod", False, "inclusions are for another cluster"),
        ("- kinds: [Pod]", "- kinds: [Pod]", "", "Pod", True, "to be excluded beats to be included"),
    ],
)
def test_exclusions_and_inclusions(exclusions, inclusions, group, kind, excluded, why):
    entries = {"resource.exclusions": exclusions, "resource.inclusions": inclusions}
    assert excludes(entries, group, kind) is excluded, why
