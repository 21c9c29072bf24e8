"""The health of an application, and what does not count for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.kube.health import Health, Part, Status, aggregate, worst
from plumbline.kube.names import Ref

HEALTHY, DEGRADED, UNKNOWN, MISSING = Status.HEALTHY, Status.DEGRADED, Status.UNKNOWN, Status.MISSING
ORDER = ["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"]


def live(name="a", kind="Deployment", api_version="apps/v1", **annotations):
    named = {key.replace("__", "/").replace("_", "-"): value for key, value in annotations.items()}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "n", "annotations": named},
    }


def part(status, obj=None, target=None):
    return Part(target, obj or live(), status and Health(status))


def child(status, name="child"):
    return part(status, live(name, "Application", "argoproj.io/v1alpha1"))


HOOK = {"argocd.argoproj.io__hook": "PreSync"}
SKIP = {"argocd.argoproj.io__hook": "Skip"}
IGNORED = {"argocd.argoproj.io__ignore_healthcheck": "true"}

CASES = [
    ([], HEALTHY, "nothing to be ill"),
    ([part(HEALTHY), part(Status.PROGRESSING), part(Status.SUSPENDED)], Status.PROGRESSING, "the worst"),
    ([part(DEGRADED), part(UNKNOWN)], UNKNOWN, "not to know is worst"),
    ([part(None)], HEALTHY, "an object without opinion counts as there"),
    ([Part(live(), None, None)], MISSING, "expected, and none is there"),
    ([Part(live(), None, Health(MISSING)), part(HEALTHY)], HEALTHY, "one that is missing is out of sync, not ill"),
    ([part(MISSING)], MISSING, "one that is there and calls itself missing"),
    ([part(DEGRADED, live(**IGNORED))], HEALTHY, "it asks not to be counted"),
    ([part(DEGRADED, live(**IGNORED)), Part(live(), None, None)], HEALTHY, "yet it is there"),
    ([part(DEGRADED, live(argocd_argoproj_io__ignore_healthcheck="false"))], DEGRADED, "false means counted"),
    ([part(DEGRADED, live(**HOOK))], HEALTHY, "a hook comes and goes"),
    ([part(DEGRADED, live(helm_sh__hook="x"))], DEGRADED, "not the annotation"),
    ([part(DEGRADED, live(**{"helm.sh__hook": "pre-install"}))], HEALTHY, "Helm's hooks too"),
    ([part(DEGRADED, live(**{"helm.sh__hook": "crd-install"}))], DEGRADED, "which is no hook"),
    ([part(DEGRADED, live(**{"argocd.argoproj.io__hook": "Nonsense"}))], HEALTHY, "a hook with no phase"),
    ([Part(live(**HOOK), None, None)], HEALTHY, "a hook that is not there is not missed"),
    ([part(DEGRADED, target=live(**SKIP))], HEALTHY, "never applied"),
    ([Part(live(**SKIP), None, None)], HEALTHY, "never applied, so not missed"),
    ([part(DEGRADED, live(**SKIP))], DEGRADED, "Skip makes no hook of what is there"),
    ([part(DEGRADED, live(**{"argocd.argoproj.io__hook": "Skip,Sync"}))], HEALTHY, "skipped in one phase only"),
    ([child(MISSING), child(UNKNOWN)], HEALTHY, "a child that is not known yet"),
    ([child(DEGRADED)], DEGRADED, "a child that is ill"),
]


@pytest.mark.parametrize(("parts", "status", "why"), CASES)
def test_an_application_is_as_ill_as_what_counts_for_it(parts, status, why):
    assert aggregate(parts) is status, why


def test_an_application_that_manages_itself_does_not_count_itself():
    itself = Ref("argoproj.io", "Application", "n", "root")
    assert aggregate([child(DEGRADED, "root")], itself) is HEALTHY
    assert aggregate([child(DEGRADED, "other")], itself) is DEGRADED


@given(st.lists(st.sampled_from(list(Status))))
def test_the_worst_is_found_whatever_the_order(statuses):
    assert aggregate([part(status) for status in statuses]) is worst(reversed(statuses))
    assert worst(statuses) == max(statuses, key=ORDER.index, default="Healthy")


def test_the_order_of_severity_is_argos():
    assert list(Status) == ORDER
