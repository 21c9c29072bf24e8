import pytest

from plumbline.apiserver.crds.conditions import (
    approval_status,
    establishing_status,
    names_accepted,
    structure_status,
    terminated_status,
    terminating_status,
)
from plumbline.apiserver.crds.resources import resources_of
from plumbline.apiserver.crds.warnings import definition_warnings, finalizer_warnings

from .corpus import O, T, crd, schema, version, webhook, with_defaults

NOW = "2026-01-01T00:00:00Z"


def named(plural, kind, **more):
    made = crd(plural, kind)
    made["spec"]["names"].update(more)
    return with_defaults(made)


def accepted(definition, *others):
    return {**definition, "status": names_accepted(definition, others, NOW)}


def conditions(definition):
    held = definition["status"]["conditions"]
    return {each["type"]: (each["status"], each["reason"], each["message"]) for each in held}


FIRST = accepted(named("firsts", "First", shortNames=["fi"], categories=["all"]))


def test_names_that_nobody_has_are_given_and_served():
    assert FIRST["status"]["acceptedNames"] == {
        "kind": "First",
        "plural": "firsts",
        "singular": "first",
        "listKind": "FirstList",
        "shortNames": ["fi"],
        "categories": ["all"],
    }
    assert conditions(FIRST) == {
        "NamesAccepted": ("True", "NoConflicts", "no conflicts found"),
        "Established": ("True", "InitialNamesAccepted", "the initial names have been accepted"),
    }
    assert names_accepted(FIRST, [], NOW) is None, "nothing is left to be said"


@pytest.mark.parametrize(
    ("names", "reason", "message"),
    [
        ({"kind": "First"}, "ListKindConflict", '"FirstList" is already in use'),
        ({"kind": "Other", "listKind": "First"}, "ListKindConflict", '"First" is already in use'),
        ({"kind": "Other", "singular": "firsts"}, "SingularConflict", '"firsts" is already in use'),
        ({"kind": "Other", "singular": "fi"}, "SingularConflict", '"fi" is already in use'),
        ({"kind": "Other", "shortNames": ["fi", "o"]}, "ShortNamesConflict", '"fi" is already in use'),
        (
            {"kind": "Other", "shortNames": ["fi", "first"]},
            "ShortNamesConflict",
            '["fi" is already in use, "first" is already in use]',
        ),
    ],
)
def test_names_that_somebody_has_are_not_given_twice(names, reason, message):
    second = accepted(named("others", **names), FIRST)
    assert conditions(second)["NamesAccepted"] == ("False", reason, message)
    assert conditions(second)["Established"] == ("False", "NotAccepted", "not all names are accepted")
    assert names_accepted(second, [FIRST], NOW) is None, "it waits until the names are free"
    freed = names_accepted(second, [], NOW)
    assert freed is not None
    assert conditions({"status": freed})["Established"][0] == "True"


def test_other_groups_have_names_of_their_own():
    other = accepted(with_defaults(crd("firsts", "First", group="other.org")), FIRST)
    assert conditions(other)["Established"][0] == "True"


def test_an_established_definition_stays_so_while_it_waits_for_another_name():
    asking = {**FIRST, "spec": {**FIRST["spec"], "names": {**FIRST["spec"]["names"], "singular": "taken"}}}
    status = names_accepted(asking, [accepted(named("takens", "Taken"))], "2026-02-02T00:00:00Z")
    assert conditions({"status": status})["Established"][0] == "True"
    assert conditions({"status": status})["NamesAccepted"] == (
        "False", "SingularConflict", '"taken" is already in use',
    )  # fmt: skip
    assert status["acceptedNames"]["singular"] == "first"
    times = {each["type"]: each["lastTransitionTime"] for each in status["conditions"]}
    assert times == {"NamesAccepted": "2026-02-02T00:00:00Z", "Established": NOW}


def test_a_conversion_that_cannot_be_trusted_is_not_served():
    broken = with_defaults(crd(conversion=webhook(url="https://x.example.org", caBundle="AAAA")))
    status = names_accepted(broken, [], NOW)
    told = ("False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
    assert conditions({"status": status})["Established"] == told
    assert establishing_status({**broken, "status": status}, NOW) is None


@pytest.mark.parametrize(
    ("definition", "truth", "reason", "message"),
    [
        (
            crd(root=schema(a={})),
            "True",
            "Violations",
            "spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
        ),
        (
            crd(preserveUnknownFields=True),
            "True",
            "Violations",
            "spec.preserveUnknownFields: Invalid value: true: must be false",
        ),
        (
            crd(root=schema(a={"type": "array", "items": [T]})),
            "Unknown",
            "StructuralError",
            "failed to check validation schema for version v1: ",
        ),
    ],
    ids=["no type", "preserving", "unreadable"],
)
def test_schemas_without_structure_are_marked(definition, truth, reason, message):
    status = structure_status(definition, NOW)
    assert conditions({"status": status})["NonStructuralSchema"][:2] == (truth, reason)
    assert conditions({"status": status})["NonStructuralSchema"][2].startswith(message)
    marked = {**definition, "status": status}
    assert structure_status(marked, NOW) is None
    cured = structure_status({**crd(versions=[version(), {"name": "v2"}]), "status": status}, NOW)
    assert cured == {"conditions": []}


@pytest.mark.parametrize(
    ("annotation", "truth", "reason"),
    [
        ("https://example.org/approved", "True", "ApprovedAnnotation"),
        ("unapproved", "False", "UnapprovedAnnotation"),
        ("yes", "False", "InvalidAnnotation"),
        (None, "False", "MissingAnnotation"),
    ],
)
def test_groups_of_the_community_tell_whether_it_approved(annotation, truth, reason):
    definition = crd(group="x.k8s.io")
    definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": annotation}
    status = approval_status(definition, NOW)
    assert conditions({"status": status})["KubernetesAPIApprovalPolicyConformant"][:2] == (truth, reason)
    assert approval_status({**definition, "status": status}, NOW) is None


def test_a_definition_ends_after_its_objects():
    leaving = {**FIRST, "status": terminating_status(FIRST, NOW)}
    told = ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
    assert conditions(leaving)["Terminating"] == told
    assert [each.verbs for each in resources_of(leaving)] == [("delete", "deletecollection", "get", "list", "watch")]
    gone = {"status": terminated_status(leaving, NOW)}
    assert conditions(gone)["Terminating"] == ("False", "InstanceDeletionCompleted", "removed all instances")
    never = {"status": terminated_status(crd(), NOW)}
    assert conditions(never)["Terminating"] == ("False", "NeverEstablished", "resource was never established")


def test_resources_have_the_names_that_were_given():
    made = crd(
        "firsts",
        "First",
        versions=[
            version(subresources={"status": {}, "scale": {}}),
            version("v2"),
            {**version("v3"), "served": False},
        ],
    )
    made["spec"]["names"].update(shortNames=["fi"], categories=["all"])
    one, two = resources_of(accepted(with_defaults(made)))
    assert (str(one.kind), one.plural, one.singular) == ("example.org/v1, Kind=First", "firsts", "first")
    assert (one.short_names, one.categories, one.list_kind) == (("fi",), ("all",), "FirstList")
    assert one.namespaced
    assert one.custom
    assert (one.storage_version, two.storage_version) == ("v1", "v1")
    assert one.collection == two.collection
    assert set(one.subresources) == {"status", "scale"}
    assert str(one.subresources["scale"].kind) == "autoscaling/v1, Kind=Scale"
    assert two.subresources == {}
    assert one.verbs == ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def test_nothing_is_served_before_it_is_established():
    assert resources_of(with_defaults(crd())) == []


def test_formats_that_mean_nothing_are_remarked_once():
    odd = crd(root=schema(a={**T, "format": "odd"}, l={"type": "array", "items": {**T, "format": "strange"}}, n=O))
    known = crd(root=schema(a={**T, "format": "odd"}))
    assert definition_warnings(odd) == ['unrecognized format "odd"', 'unrecognized format "strange"']
    assert definition_warnings(odd, known) == ['unrecognized format "strange"']


@pytest.mark.parametrize(
    ("finalizers", "before", "said"),
    [
        (["example.org/done"], [], []),
        (["foregroundDeletion"], [], []),
        (["odd"], ["odd"], []),
        (
            ["odd"],
            [],
            [
                'metadata.finalizers: "odd": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers'
            ],
        ),
        (
            ["odd.org"],
            [],
            [
                'metadata.finalizers: "odd.org": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers'
            ],
        ),
    ],
)
def test_finalizers_that_may_clash_are_remarked(finalizers, before, said):
    obj, old = ({"metadata": {"finalizers": each}} for each in (finalizers, before))
    assert finalizer_warnings(obj, old) == said


def test_finalizers_that_are_no_names_are_remarked():
    assert len(finalizer_warnings({"metadata": {"finalizers": ["a b"]}})) == 2
