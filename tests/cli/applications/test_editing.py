"""What each flag of create, set and unset does to a spec."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.cli.applications.changing import position_of, with_source
from plumbline.cli.applications.editing.specs import edited
from plumbline.cli.applications.editing.unsetting import unset

BASE = {"source": {"repoURL": "r", "path": "p"}, "destination": {"server": "s"}, "project": "default"}


def source(**more):
    return {**BASE, "source": {**BASE["source"], **more}}


def policy(**more):
    return {**BASE, "syncPolicy": more}


SETS = [
    ({"repo": "x"}, source(repoURL="x")),
    ({"revision": ""}, BASE),
    ({"release_name": "a"}, source(helm={"releaseName": "a"})),
    ({"release_name": ""}, BASE),
    ({"values": ("a", "b")}, source(helm={"valueFiles": ["a", "b"]})),
    ({"helm_set": ("a=1,2",)}, source(helm={"parameters": [{"name": "a", "value": "1\\,2"}]})),
    (
        {"helm_set": ("a=1",), "helm_set_string": ("a=2",)},
        source(helm={"parameters": [{"name": "a", "value": "2", "forceString": True}]}),
    ),
    ({"parameter": ("a=1",)}, source(helm={"parameters": [{"name": "a", "value": "1"}]})),
    ({"helm_set_file": ("a=f",)}, source(helm={"fileParameters": [{"name": "a", "path": "f"}]})),
    ({"values_literal_file": "a: 1\n"}, source(helm={"valuesObject": {"a": 1}})),
    ({"kustomize_image": ("a=c:1", "a=b:2")}, source(kustomize={"images": ["a=b:2"]})),
    (
        {"kustomize_replica": ("a=1", "b=2", "a=3")},
        source(kustomize={"replicas": [{"name": "a", "count": 3}, {"name": "b", "count": 2}]}),
    ),
    ({"kustomize_common_label": ("a=b",)}, source(kustomize={"commonLabels": {"a": "b"}})),
    ({"directory_recurse": True}, source(directory={"recurse": True})),
    ({"directory_recurse": False}, BASE),
    (
        {"jsonnet_tla_str": ("a=b",), "jsonnet_ext_var_code": ("c=d",), "jsonnet_libs": ("l",)},
        source(
            directory={
                "jsonnet": {
                    "extVars": [{"name": "c", "value": "d", "code": True}],
                    "libs": ["l"],
                    "tlas": [{"name": "a", "value": "b"}],
                }
            }
        ),
    ),
    (
        {"config_management_plugin": "p", "plugin_env": ("A=B",)},
        source(plugin={"name": "p", "env": [{"name": "A", "value": "B"}]}),
    ),
    (
        {"dest_namespace": "n", "project": "q"},
        {**BASE, "destination": {"server": "s", "namespace": "n"}, "project": "q"},
    ),
    ({"sync_policy": "auto"}, policy(automated={})),
    ({"sync_policy": "none"}, BASE),
    ({"auto_prune": True}, policy(automated={"enabled": False, "prune": True})),
    ({"sync_policy": "automated", "self_heal": False}, policy(automated={"selfHeal": False})),
    ({"sync_option": ("A=true", "B=true", "!A=true")}, policy(syncOptions=["B=true"])),
    (
        {"sync_retry_limit": 3},
        policy(retry={"limit": 3, "backoff": {"duration": "5s", "maxDuration": "3m0s", "factor": 2}}),
    ),
    ({"sync_retry_limit": 0}, BASE),
    ({"sync_retry_refresh": True}, policy(retry={"refresh": True})),
    ({"revision_history_limit": 0}, {**BASE, "revisionHistoryLimit": 0}),
    (
        {"dry_source_repo": "d", "hydrate_to_branch": "b"},
        {**BASE, "sourceHydrator": {"drySource": {"repoURL": "d"}, "hydrateTo": {"targetBranch": "b"}}},
    ),
]


@pytest.mark.parametrize(("given", "expected"), SETS, ids=[",".join(given) for given, _ in SETS])
def test_flags_change_exactly_what_they_name(given, expected):
    before = repr(BASE)
    assert edited(BASE, given) == expected
    assert repr(BASE) == before


@pytest.mark.parametrize(
    "given",
    [
        {"sync_policy": "sometimes"},
        {"helm_set": ("a",)},
        {"kustomize_replica": ("a=many",)},
        {"sync_retry_limit": -1},
        {"values_literal_file": "- a"},
        {"kustomize_common_label": ("a",)},
    ],
)
def test_what_cannot_be_set_is_refused(given):
    with pytest.raises(InvalidInput):
        edited(BASE, given)


def test_one_of_several_sources_is_changed_and_has_to_be_named():
    spec = {"sources": [{"repoURL": "a", "name": "x"}, {"repoURL": "b"}]}
    assert edited(spec, {"path": "p"}, 2)["sources"] == [{"repoURL": "a", "name": "x"}, {"repoURL": "b", "path": "p"}]
    with pytest.raises(InvalidInput):
        edited(spec, {"path": "p"})
    app = {"spec": spec}
    assert position_of(app, 2, "") == 2
    assert position_of(app, -1, "x") == 1
    assert position_of({"spec": BASE}, -1, "") == 0
    for position, name in ((3, ""), (-1, ""), (-1, "z")):
        with pytest.raises(InvalidInput):
            position_of(app, position, name)
    assert with_source(app, 1, lambda _: {})["sources"] == [{}, {"repoURL": "b"}]


UNSETS = [
    ({"parameter": ("a",)}, {"helm": {"parameters": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}}, {"helm": {"parameters": [{"name": "b", "value": "2"}]}}),
    ({"values": ("f",)}, {"helm": {"valueFiles": ["f"]}}, {}),
    ({"values_literal": True}, {"helm": {"values": "a: 1", "valuesObject": {}}}, {}),
    ({"kustomize_image": ("a",)}, {"kustomize": {"images": ["a=b:1", "c:1"]}}, {"kustomize": {"images": ["c:1"]}}),
    ({"kustomize_replica": ("a",)}, {"kustomize": {"replicas": [{"name": "a", "count": 1}]}}, {}),
    ({"nameprefix": True, "ref": True}, {"ref": "r", "kustomize": {"namePrefix": "p", "nameSuffix": "s"}}, {"kustomize": {"nameSuffix": "s"}}),
    ({"plugin_env": ("A",)}, {"plugin": {"name": "p", "env": [{"name": "A", "value": "1"}]}}, {"plugin": {"name": "p"}}),
    ({"pass_credentials": True}, {"helm": {"passCredentials": True}}, {}),
    ({"nameprefix": True}, {"helm": {"values": "a"}}, {"helm": {"values": "a"}}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "before", "after"), UNSETS, ids=[",".join(given) for given, _, _ in UNSETS])
def test_what_was_set_can_be_taken_back(given, before, after):
    assert unset(before, given) == after
