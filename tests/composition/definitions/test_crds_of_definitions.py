"""What is made of a definition, field by field. That it is what upstream makes is proven against upstream itself."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode_sorted
from plumbline.composition.definitions.crds import crds
from plumbline.composition.definitions.live import replacement
from plumbline.composition.definitions.roles import cluster_roles
from plumbline.composition.definitions.schemas import kept_schema
from plumbline.composition.definitions.validation import problems
from plumbline.composition.definitions.values import defined
from plumbline.kube.names import GroupVersionKind, GroupVersionResource

from .samples import RICH, WRONG, XRDS, sample_version, xrd


def root(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


@pytest.mark.parametrize("name", XRDS)
def test_definitions_are_not_changed_by_what_is_made_of_them(name):
    before = encode_sorted(XRDS[name])
    crds(XRDS[name])
    cluster_roles(XRDS[name])
    assert encode_sorted(XRDS[name]) == before


@pytest.mark.parametrize("name", XRDS)
def test_good_definitions_have_no_problems(name):
    assert problems(XRDS[name]) == ()


@pytest.mark.parametrize("name", WRONG)
def test_wrong_definitions_have_problems(name):
    assert problems(WRONG[name])


def test_a_legacy_composite_has_its_machinery_in_the_spec():
    composite, claim = crds(xrd())
    spec = root(composite)["properties"]["spec"]["properties"]
    assert {"claimRef", "compositionRef", "resourceRefs", "size", "writeConnectionSecretToRef"} <= spec.keys()
    assert (composite["spec"]["scope"], claim["spec"]["scope"]) == ("Cluster", "Namespaced")
    assert composite["spec"]["names"]["categories"] == ["composite"]
    assert claim["spec"]["names"]["categories"] == ["claim"]
    assert "resourceRef" in root(claim)["properties"]["spec"]["properties"]


def test_a_claim_may_say_the_namespace_of_its_secret():
    secret = root(crds(xrd())[1])["properties"]["spec"]["properties"]["writeConnectionSecretToRef"]
    assert (secret["required"], set(secret["properties"])) == (["name"], {"name", "namespace"})


def test_a_modern_composite_has_it_below_crossplane():
    composite, claim = crds(xrd(scope="Namespaced"))
    assert claim is None
    assert composite["spec"]["scope"] == "Namespaced"
    machinery = root(composite)["properties"]["spec"]["properties"]["crossplane"]["properties"]
    assert "namespace" not in machinery["resourceRefs"]["items"]["properties"]
    assert root(composite)["properties"]["status"]["properties"].keys() == {"conditions"}


def test_what_a_definition_says_about_machinery_does_not_count():
    spec = root(crds(xrd(schema=RICH))[0])["properties"]["spec"]["properties"]
    assert spec["compositionRef"]["type"] == "object"


def test_names_never_get_longer_than_a_label():
    assert root(crds(XRDS["long names allowed"])[0])["properties"]["metadata"]["properties"]["name"]["maxLength"] == 63
    assert root(crds(XRDS["rich"])[0])["properties"]["metadata"]["properties"]["name"]["maxLength"] == 20


def test_schemas_that_never_end_are_refused():
    deep = {"type": "string"}
    for _ in range(300):
        deep = {"properties": {"a": deep}}
    with pytest.raises(InvalidInput):
        kept_schema(deep)


def test_several_problems_are_told_together():
    wrong = xrd(
        names={"kind": "XDatabase", "plural": "XDatabases", "singular": "X"},
        versions=[sample_version(), sample_version()],
    )
    told = "; ".join(problems(wrong))
    for part in (
        "Its name must be",
        "plural must be lower case",
        "singular must be lower case",
        "v1 more than once",
        "Exactly one",
    ):
        assert part in told


NOT_MODERN = {"claimNames": {"kind": "D", "plural": "ds"}, "connectionSecretKeys": ["a"]}


def test_what_only_the_older_lineage_has_is_refused_in_the_newer():
    assert len(problems(xrd(scope="Cluster", **NOT_MODERN))) == 2


def test_a_webhook_must_be_given_where_it_is_asked_for():
    assert problems(xrd(conversion={"strategy": "Webhook"}))
    assert problems(xrd(versions=[sample_version(referenceable=False)]))


def test_a_definition_as_a_value_has_what_controllers_need():
    said = xrd(
        defaultCompositionRef={"name": "small"},
        enforcedCompositionRef={"name": "large"},
        connectionSecretKeys=["username"],
        defaultCompositionUpdatePolicy="Manual",
        defaultCompositeDeletePolicy="Foreground",
        versions=[sample_version("v1alpha1", referenceable=False), sample_version("v1")],
    )
    found = defined(said)
    assert found.composite.gvk == GroupVersionKind("example.org", "v1", "XDatabase")
    assert found.composite.gvr == GroupVersionResource("example.org", "v1", "xdatabases")
    assert found.claim.gvk.kind == "Database"
    assert (found.default_composition, found.enforced_composition) == ("small", "large")
    assert (found.update_policy, found.delete_policy) == ("Manual", "Foreground")
    assert (found.lineage, found.namespaced, found.connection_keys) == ("legacy", False, ("username",))


def live_of(desired):
    names = {"singular": "xdatabase", "listKind": "XDatabaseList", **desired["spec"]["names"]}
    metadata = {**desired["metadata"], "uid": "c", "resourceVersion": "7", "managedFields": [{}]}
    spec = {"conversion": {"strategy": "None"}, **desired["spec"], "names": names}
    return {**desired, "metadata": metadata, "spec": spec, "status": {"storedVersions": ["v1"]}}


def test_a_kind_that_is_as_it_should_be_is_not_replaced():
    desired = crds(xrd())[0]
    assert replacement(desired, live_of(desired)) is None


def test_a_port_that_the_server_fills_in_is_no_difference():
    desired = crds(XRDS["conversion"])[0]
    live = live_of(desired)
    webhook = desired["spec"]["conversion"]["webhook"]
    service = {**webhook["clientConfig"]["service"], "port": 443}
    filled = {**desired["spec"]["conversion"], "webhook": {**webhook, "clientConfig": {"service": service}}}
    assert replacement(desired, {**live, "spec": {**live["spec"], "conversion": filled}}) is None


def test_a_replacement_is_of_the_version_that_was_seen_and_keeps_what_others_wrote():
    desired = crds(xrd())[0]
    live = live_of(desired)
    theirs = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "y"}
    live["metadata"] |= {"labels": {"theirs": "1"}, "ownerReferences": [theirs], "finalizers": ["f"]}
    found = replacement(desired, live)
    assert found["metadata"]["resourceVersion"] == "7"
    assert found["metadata"]["labels"] == {"theirs": "1"}
    assert found["metadata"]["finalizers"] == ["f"]
    assert found["metadata"]["ownerReferences"] == [theirs, desired["metadata"]["ownerReferences"][0]]
    assert "managedFields" not in found["metadata"]


def test_a_kind_of_the_same_definition_before_a_rebuild_is_taken_over():
    before, after = crds(xrd(uid="old"))[0], crds(xrd(uid="new"))[0]
    found = replacement(after, live_of(before))
    assert [each["uid"] for each in found["metadata"]["ownerReferences"]] == ["new"]


def test_browsing_shows_composite_resources_only():
    roles = {role["metadata"]["name"].rpartition("-")[2]: role for role in cluster_roles(xrd())}
    assert [rule["resources"] for rule in roles["browse"]["rules"]] == [["xdatabases", "xdatabases/status"]]
    assert len(roles["crossplane"]["rules"]) == 4
