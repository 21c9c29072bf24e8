"""What users say about kinds, in both forms."""

import pytest
from tests.delivery.settings.building import settings

from plumbline.delivery.settings.customizations import ActionDefinition, Actions, KnownTypeField
from plumbline.kube.health import override_for
from plumbline.kube.names import GroupKind

KEY = "resource.customizations"
NO_STATUS = {"resource.compareoptions": "ignoreResourceStatusField: none"}


def rules(found):
    return {f"{rule.group}/{rule.kind}": rule for rule in found}


def test_both_forms_are_read_and_the_key_beats_the_document():
    older = """
apps/Deployment:
  health.lua: return {status='Old'}
  health.lua.useOpenLibs: true
  ignoreDifferences: |
    jsonPointers: [/spec/replicas]
  knownTypeFields: [{field: spec.template, type: core/v1/PodTemplateSpec}]
Service:
  health.lua: return {}
  unknown: 5
"""
    found = settings(
        {
            KEY: older,
            f"{KEY}.health.apps_Deployment": "return {status='New'}",
            f"{KEY}.ignoreDifferences.Service": "jqPathExpressions: [.spec.clusterIP]",
            **NO_STATUS,
        }
    )
    assert found.problems == ()
    custom = found.customizations
    script = override_for(GroupKind("apps", "Deployment"), custom.health)
    assert (script.source, script.open_libs) == ("return {status='New'}", True)
    assert override_for(GroupKind("", "Service"), custom.health)
    ignored = rules(custom.ignored_differences)
    assert ignored["apps/Deployment"].json_pointers == ("/spec/replicas",)
    assert ignored["/Service"].jq_path_expressions == (".spec.clusterIP",)
    assert custom.known_type_fields == {
        "apps/Deployment": (KnownTypeField("spec.template", "core/v1/PodTemplateSpec"),)
    }


def test_what_go_writes_of_a_field_without_a_value_is_no_fault():
    ignored = "jqPathExpressions: null\njsonPointers: [/spec/replicas]\nmanagedFieldsManagers: null\n"
    older = f"apps/Deployment:\n  ignoreDifferences: |\n    {ignored.strip().replace(chr(10), chr(10) + '    ')}\n  knownTypeFields: null\n"
    found = settings({KEY: older, f"{KEY}.ignoreDifferences.Service": ignored, **NO_STATUS})
    assert found.problems == ()
    told = rules(found.customizations.ignored_differences)
    assert {each.json_pointers for each in told.values()} == {("/spec/replicas",)}
    assert set(told) == {"apps/Deployment", "/Service"}


def test_actions_are_read():
    text = "discovery.lua: |\n  return {}\ndefinitions:\n- name: restart\n  action.lua: return obj\nmergeBuiltinActions: true"
    found = settings({f"{KEY}.actions.apps_Deployment": text}).customizations.actions
    assert found == {"apps/Deployment": Actions("return {}\n", (ActionDefinition("restart", "return obj"),), True)}


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("", "*/*"),
        ("ignoreResourceStatusField: all", "*/*"),
        ("ignoreResourceStatusField: crd", "apiextensions.k8s.io/CustomResourceDefinition"),
        ("ignoreResourceStatusField: none", None),
        ("ignoreResourceStatusField: off", None),
        ("ignoreResourceStatusField: 'off'", None),
    ],
)
def test_the_status_counts_only_where_somebody_wants_it_to(options, kind):
    found = settings({"resource.compareoptions": options})
    assert found.problems == ()
    pointers = {name: rule.json_pointers for name, rule in rules(found.customizations.ignored_differences).items()}
    assert pointers == ({kind: ("/status",)} if kind else {})


def test_what_is_no_difference_is_no_news_either():
    entries = {
        f"{KEY}.ignoreResourceUpdates.all": "jsonPointers: [/metadata/labels]",
        f"{KEY}.ignoreDifferences.apps_Deployment": "managedFieldsManagers: [hpa]",
        **NO_STATUS,
    }
    always = ("/metadata/resourceVersion", "/metadata/generation", "/metadata/managedFields")
    found = rules(settings(entries).customizations.ignored_updates)
    assert found["*/*"].json_pointers == ("/metadata/labels", *always)
    assert found["apps/Deployment"].managed_fields_managers == ("hpa",)
    entries["resource.compareoptions"] += "\nignoreDifferencesOnResourceUpdates: false"
    assert set(rules(settings(entries).customizations.ignored_updates)) == {"*/*"}


def test_one_script_that_cannot_be_read_takes_no_other_with_it():
    found = settings(
        {
            KEY: "apps/Deployment: {health.lua: ok, health.lua.useOpenLibs: false}\nA: 5",
            f"{KEY}.health.{'{a,b}' * 9}_X": "many",
            f"{KEY}.health.all": "return {}",
        }
    )
    assert {problem.key for problem in found.problems} == {KEY, f"{KEY}.health.{'{a,b}' * 9}_X"}
    health = found.customizations.health
    assert override_for(GroupKind("apps", "Deployment"), health).source == "ok"
    assert override_for(GroupKind("any", "Thing"), health).source == "return {}"
