"""What is asked first, which rule a kind gets, and that no object whatsoever is too odd to be judged."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.json import encode_sorted
from plumbline.kube import health
from plumbline.kube.health import Health, Status, assess, builtin, tables
from plumbline.kube.health.assessing import by_rule, rule_for
from plumbline.kube.names import GroupKind

GONE = "2026-01-01T00:00:00Z"


def test_an_object_that_is_being_deleted_is_progressing_whatever_it_says():
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"deletionTimestamp": GONE}}
    assert assess(service) == Health(Status.PROGRESSING, "Pending deletion")
    nobody_knows = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"deletionTimestamp": GONE}}
    assert assess(nobody_knows) == Health(Status.PROGRESSING, "Pending deletion")


def test_a_hook_that_is_kept_until_its_phase_is_over_is_still_judged():
    metadata = {"deletionTimestamp": GONE, "finalizers": ["argocd.argoproj.io/hook-finalizer"]}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "status": {"conditions": [{"type": "Failed"}]},
    }
    assert assess(job).status is Status.DEGRADED


@pytest.mark.parametrize(
    ("group", "kind", "rule", "why"),
    [
        ("s3.aws.upbound.io", "Bucket", "*.upbound.io/*", "any depth under a wildcard"),
        ("upbound.io", "Bucket", None, "the wildcard's own group is not under it"),
        ("pkg.crossplane.io", "Provider", "pkg.crossplane.io/Provider", "a kind of its own comes first"),
        ("pkg.crossplane.io", "Function", "*.crossplane.io/*", "then the wildcard"),
        ("operator.victoriametrics.com", "VMAgent", "operator.victoriametrics.com/*", "every kind of one group"),
        ("sql.cnrm.cloud.google.com", "SQLInstance", "*.cnrm.cloud.google.com/*", "a long suffix"),
        ("example.org", "Thing", None, "nobody wrote one"),
        ("", "ConfigMap", None, "a core kind without health"),
        ("", "", None, "nothing at all"),
    ],
)
def test_the_rule_for_a_kind_is_the_closest_one(group, kind, rule, why):
    assert rule_for(GroupKind(group, kind)) is (rule and tables.RULES[rule]), why


def test_the_tables_and_the_built_in_rules_do_not_overlap():
    assert set(tables.RULES) & set(builtin.RULES) == set()


def test_no_table_overwrites_another():
    modules = [value for name, value in vars(tables).items() if hasattr(value, "RULES") and not name.startswith("_")]
    assert sum(len(module.RULES) for module in modules) == len(tables.RULES)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.integers(min_value=2**200, max_value=2**201)
    | st.floats()
    | st.sampled_from(["", "True", "False", "Unknown", "Ready", "Running", "Failed", "Always", "1", "é/x"])
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
WORDS = sorted(
    set(re.findall(r'"([a-zA-Z]+)"', "".join(path.read_text() for path in Path(health.__file__).parent.rglob("*.py"))))
)
"""Every word that any rule looks for, so that garbage gets past the first question."""

GARBAGE = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=20,
)
KINDS = st.sampled_from(sorted({**tables.RULES, **builtin.RULES})).map(
    lambda name: tuple(name.replace("*.", "any.").replace("/*", "/Any").split("/"))
)


def whole_objects():
    parts = {"spec": GARBAGE, "status": GARBAGE, "metadata": GARBAGE | st.just({"generation": 1})}
    built = st.builds(
        lambda kind, version, parts: {
            "apiVersion": f"{kind[0]}/{version}" if kind[0] else version,
            "kind": kind[1],
            **parts,
        },
        KINDS,
        st.sampled_from(["v1", "v2", "v1alpha1"]),
        st.fixed_dictionaries({}, optional=parts),
    )
    return built | st.dictionaries(st.sampled_from(["apiVersion", "kind", *parts]), GARBAGE | JSON)


@given(whole_objects())
def test_no_object_is_too_odd_to_be_judged_and_none_is_changed(obj):
    before = repr(obj)
    found = assess(obj)
    assert found is None or (found.status in Status and isinstance(found.message, str))
    assert assess(obj) == found
    assert repr(obj) == before


@settings(max_examples=4 * settings.default.max_examples)
@given(status=GARBAGE, spec=GARBAGE, metadata=GARBAGE)
def test_every_rule_takes_garbage(status, spec, metadata):
    for rule in {**tables.RULES, **builtin.RULES}.values():
        by_rule(rule, {"metadata": metadata, "spec": spec, "status": status})


def test_health_is_a_value():
    assert encode_sorted(Health(Status.DEGRADED, "no")) == b'{"basis":"rule","message":"no","status":"Degraded"}'
    with pytest.raises(AttributeError):
        Health(Status.HEALTHY).status = Status.DEGRADED
