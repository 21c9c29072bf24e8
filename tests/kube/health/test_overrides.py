"""Users' own scripts: which one applies, and what its result means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kube.health import Health, Script, Status, assess, health_from_lua, override_for, parse_overrides
from plumbline.kube.names import GroupKind

CERTIFICATE = GroupKind("cert-manager.io", "Certificate")
POD = GroupKind("", "Pod")
HEALTH = "resource.customizations.health."
LIBRARIES = "resource.customizations.useOpenLibs."


def source_for(kind, **settings):
    found = override_for(kind, parse_overrides(settings))
    return found and found.source


def test_a_kind_is_named_by_group_and_kind():
    overrides = parse_overrides({HEALTH + "cert-manager.io_Certificate": "return {}", "admin.enabled": "true"})
    assert override_for(CERTIFICATE, overrides) == Script("return {}")
    assert override_for(GroupKind("cert-manager.io", "Issuer"), overrides) is None


def test_a_core_kind_is_named_without_group():
    assert source_for(POD, **{HEALTH + "Pod": "a"}) == "a"
    assert source_for(GroupKind("metrics.k8s.io", "Pod"), **{HEALTH + "Pod": "a"}) is None


@pytest.mark.parametrize(
    ("pattern", "matches", "why"),
    [
        ("all", True, "every kind with a group"),
        ("*.io_*", True, "a star takes dots"),
        ("cert-manager.io_*", True, "every kind of a group"),
        ("*_Certificate", True, "a kind of every group"),
        ("cert-manager.??_Certificate", True, "one sign each"),
        ("cert-manager.io_[CI]*", True, "one of these signs"),
        ("cert-manager.io_[!C]*", False, "none of these signs"),
        ("{acme,cert-manager}.{io,com}_{Issuer,Certificate}", True, "one of these words"),
        ("cert-manager_*", False, "the whole name has to fit"),
        ("*.com_*", False, "another group"),
    ],
)
def test_groups_and_kinds_may_be_globs(pattern, matches, why):
    assert (source_for(CERTIFICATE, **{HEALTH + pattern: "a"}) == "a") is matches, why


def test_all_leaves_core_kinds_alone():
    assert source_for(POD, **{HEALTH + "all": "a"}) is None
    assert source_for(POD, **{HEALTH + "*": "a"}) == "a"


def test_the_exact_name_comes_first_then_the_longest_glob():
    settings = {HEALTH + "all": "all", HEALTH + "cert-manager.io_*": "group", HEALTH + "*_Certificate": "kind"}
    assert source_for(CERTIFICATE, **settings) == "group"
    assert source_for(CERTIFICATE, **settings, **{HEALTH + "cert-manager.io_Certificate": "own"}) == "own"


def test_an_empty_script_is_none():
    assert source_for(CERTIFICATE, **{HEALTH + "cert-manager.io_Certificate": "", HEALTH + "all": "all"}) == "all"


def test_the_whole_library_is_open_only_to_those_who_ask():
    settings = {HEALTH + "Pod": "a", HEALTH + "Node": "b", LIBRARIES + "Pod": "true", LIBRARIES + "Node": "F"}
    overrides = parse_overrides(settings)
    assert override_for(POD, overrides).open_libs
    assert not override_for(GroupKind("", "Node"), overrides).open_libs


TOGETHER = """
cert-manager.io/Certificate:
  health.lua: |
    return {}
  health.lua.useOpenLibs: true
"*.aws.crossplane.io/*":
  health.lua: wild
apps/Deployment:
  ignoreDifferences: |
    jsonPointers: [/spec/replicas]
"""


def test_the_older_form_holds_all_kinds_in_one_document():
    overrides = parse_overrides({"resource.customizations": TOGETHER})
    assert override_for(CERTIFICATE, overrides) == Script("return {}\n", open_libs=True)
    assert override_for(GroupKind("s3.aws.crossplane.io", "Bucket"), overrides) == Script("wild")
    assert override_for(GroupKind("apps", "Deployment"), overrides) is None


def test_a_key_of_its_own_beats_the_older_form():
    settings = {"resource.customizations": TOGETHER, HEALTH + "cert-manager.io_Certificate": "new"}
    found = override_for(CERTIFICATE, parse_overrides(settings))
    assert found == Script("new", open_libs=True)


@pytest.mark.parametrize(
    "settings",
    [
        {HEALTH: "a"},
        {HEALTH + "a_b_C": "a"},
        {LIBRARIES + "Pod": "maybe"},
        {"resource.customizations": "- a list"},
        {"resource.customizations": "apps/Deployment: text"},
        {"resource.customizations": "apps/Deployment: {health.lua: [1]}"},
        {"resource.customizations": "{ not yaml"},
        {HEALTH + "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}_X": "too many"},
    ],
)
def test_settings_that_cannot_be_read_are_refused(settings):
    with pytest.raises(InvalidInput):
        parse_overrides(settings)


@pytest.mark.parametrize("key", ["resource.customizations.actions.apps_Deployment", "resource.customizations.health"])
def test_settings_about_other_things_are_passed_over(key):
    assert not parse_overrides({key: "discovery.lua: ..."})


INVALID = Health(Status.UNKNOWN, "Lua returned an invalid health status", "override")


@pytest.mark.parametrize(
    ("result", "health", "why"),
    [
        ({"status": "Healthy", "message": "up"}, Health(Status.HEALTHY, "up", "override"), "a table"),
        ({"status": "Missing"}, Health(Status.MISSING, "", "override"), "no message"),
        ({"Status": "Degraded", "MESSAGE": None}, Health(Status.DEGRADED, "", "override"), "names in any case"),
        (None, None, "nil is no opinion"),
        ({}, None, "an empty table is no opinion"),
        ([], None, "which may arrive as a list"),
        ({"status": 5}, None, "a status that is no text"),
        ({"status": "Healthy", "message": 5}, None, "a message that is no text"),
        ({"status": "Fine"}, INVALID, "a status nobody knows"),
        ({"status": "healthy"}, INVALID, "statuses are written as they are"),
        ({"message": "up"}, INVALID, "no status"),
        ("Healthy", Health(Status.UNKNOWN, "expect table output from Lua script, not string", "override"), "text"),
        (True, Health(Status.UNKNOWN, "expect table output from Lua script, not boolean", "override"), "truth"),
        (1.5, Health(Status.UNKNOWN, "expect table output from Lua script, not number", "override"), "a number"),
    ],
)
def test_what_a_script_returns_is_checked(result, health, why):
    assert health_from_lua(result) == health, why


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_result_of_a_script_is_read(result):
    health = health_from_lua(result)
    assert health is None or health.basis == "override"


def test_an_override_is_handed_back_before_any_rule_but_after_deletion():
    overrides = parse_overrides({HEALTH + "apps_Deployment": "return {}"})
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {}}
    assert assess(deployment, overrides) == Script("return {}")
    deleted = {**deployment, "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert assess(deleted, overrides) == Health(Status.PROGRESSING, "Pending deletion")
    assert assess({"apiVersion": "v1", "kind": "Service"}, overrides) == Health(Status.HEALTHY)
