"""From a definition to kinds that are served, looked after, and in the hands of the right people."""

import asyncio

import pytest

from plumbline.kinds.mandate import MandateSpec

from .samples import TEXT, sample_schema, sample_version, xrd
from .stage import CRDS, ROLES, XRDS, XRS, conditions, story

NAME = "xdatabases.example.org"


def fresh(**spec):
    made = xrd(**spec)
    del made["metadata"]["uid"]
    return made


@story()
async def test_a_definition_with_claims_is_established_and_offered(place):
    await place.create(XRDS, fresh())
    done = await place.condition(XRDS, NAME, "Established", "True", "WatchingCompositeResource")
    found = conditions(done)
    assert (found["Offered"]["status"], found["Offered"]["reason"]) == ("True", "WatchingCompositeResourceClaim")
    assert (found["Synced"]["status"], found["Synced"]["reason"]) == ("True", "ReconcileSuccess")
    assert found["Established"]["observedGeneration"] == done["metadata"]["generation"]
    assert done["status"]["controllers"] == {
        "compositeResourceType": {"apiVersion": "example.org/v1", "kind": "XDatabase"},
        "compositeResourceClaimType": {"apiVersion": "example.org/v1", "kind": "Database"},
    }
    assert sorted(done["metadata"]["finalizers"]) == [
        "defined.apiextensions.crossplane.io",
        "offered.apiextensions.crossplane.io",
    ]
    assert {crd["metadata"]["name"] for crd in await place.list(CRDS)} >= {NAME, "databases.example.org"}
    await place.create(
        XRS, {"apiVersion": "example.org/v1", "kind": "XDatabase", "metadata": {"name": "a"}, "spec": {}}
    )
    assert place.told.kinds == [("offered", "XDatabase")]


@story()
async def test_one_without_claims_is_only_established(place):
    await place.create(XRDS, fresh(claim=None))
    done = await place.condition(XRDS, NAME, "Established", "True")
    assert set(conditions(done)) == {"Established", "Synced"}
    assert done["metadata"]["finalizers"] == ["defined.apiextensions.crossplane.io"]
    assert "compositeResourceClaimType" not in done["status"]["controllers"]


@story()
async def test_people_get_at_the_kinds_through_aggregated_roles(place):
    await place.create(XRDS, fresh())
    await place.condition(XRDS, NAME, "Established", "True")
    roles = {each["metadata"]["name"]: each for each in await place.list(ROLES)}
    edit = roles[f"crossplane:composite:{NAME}:aggregate-to-edit"]
    assert edit["metadata"]["labels"]["rbac.crossplane.io/aggregate-to-admin"] == "true"
    assert [rule["resources"][0] for rule in edit["rules"]] == ["xdatabases", "databases"]
    assert {f"crossplane:composite:{NAME}:aggregate-to-{to}" for to in ("crossplane", "view", "browse")} <= roles.keys()
    assert edit["metadata"]["ownerReferences"][0]["kind"] == "CompositeResourceDefinition"


@story()
async def test_what_is_as_it_should_be_is_not_written_again(place):
    await place.create(XRDS, fresh())
    await place.condition(XRDS, NAME, "Established", "True")
    await asyncio.sleep(5)
    before = await place.effects()
    touched = await place.patch(XRDS, NAME, {"metadata": {"annotations": {"look": "again"}}})
    await asyncio.sleep(10)
    assert await place.effects() == before
    assert (await place.get(XRDS, NAME))["metadata"]["resourceVersion"] == touched["metadata"]["resourceVersion"]
    assert place.told.kinds == [("offered", "XDatabase")]


@story()
async def test_a_new_definition_costs_few_writes(place):
    await place.create(XRDS, fresh())
    await place.condition(XRDS, NAME, "Established", "True")
    await asyncio.sleep(5)
    verbs = [verb for verb, _ in await place.effects()]
    assert sorted(verbs) == ["create"] * 6 + ["patch"], "two kinds, four roles, one finalizer"


@story()
async def test_labels_that_others_put_on_a_kind_stay(place):
    await place.create(XRDS, fresh())
    await place.condition(XRDS, NAME, "Established", "True")
    await place.patch(CRDS, NAME, {"metadata": {"labels": {"theirs": "1"}}})
    await place.patch(XRDS, NAME, {"metadata": {"labels": {"ours": "2"}}})

    async def labelled():
        return (await place.get(CRDS, NAME))["metadata"].get("labels") == {"theirs": "1", "ours": "2"}

    await place.until(labelled)


@story()
async def test_a_changed_definition_changes_its_kinds_and_tells_those_who_look_after_them(place):
    await place.create(XRDS, fresh())
    await place.condition(XRDS, NAME, "Established", "True")
    await place.patch(
        XRDS,
        NAME,
        {
            "spec": {
                "defaultCompositionRef": {"name": "small"},
                "versions": [sample_version(schema=sample_schema(size=TEXT, region=TEXT))],
            }
        },
    )

    async def told():
        return len(place.told.heard) == 2

    await place.until(told)
    assert place.told.heard[1][1].default_composition == "small"
    crd = await place.get(CRDS, NAME)
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["spec"]["properties"]["region"] == TEXT
    await asyncio.sleep(1)
    assert ("RestartComposite", "Normal") in await place.events(NAME)


INVALID = [
    (fresh() | {"metadata": {"name": "wrong.example.org"}}, "must be xdatabases.example.org"),
    (fresh(versions=[{"name": "v1", "served": True, "referenceable": True}]), "has no schema"),
    (fresh(claimNames={"kind": "XDatabase", "plural": "databases"}), "must differ"),
    (fresh(versions=[sample_version("v1"), sample_version("v2")]), "Exactly one version must be referenceable"),
    (fresh(versions=[sample_version(schema=sample_schema(size={"type": "text"}))]), "The API server refuses"),
]


@pytest.mark.parametrize(("definition", "says"), INVALID, ids=[says for _, says in INVALID])
def test_an_invalid_definition_says_what_is_wrong_with_it(definition, says):
    name = definition["metadata"]["name"]

    @story()
    async def told(place):
        await place.create(XRDS, definition)
        stuck = await place.condition(XRDS, name, "Synced", "False", "InvalidDefinition")
        assert says in conditions(stuck)["Synced"]["message"]
        assert "Established" not in conditions(stuck)
        await asyncio.sleep(1)
        assert ("RenderCRD", "Warning") in await place.events(name)
        assert place.told.heard == []

    told()


@story()
async def test_a_kind_of_somebody_else_is_left_alone(place):
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "them", "uid": "x", "controller": True}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "ownerReferences": [owner], "finalizers": ["example.org/keep"]},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XDatabase", "plural": "xdatabases"},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    await place.create(CRDS, crd)
    await place.create(XRDS, fresh(claim=None))
    stuck = await place.condition(XRDS, NAME, "Synced", "False", "ControlledElsewhere")
    assert "ConfigMap them" in conditions(stuck)["Synced"]["message"]
    await place.delete(XRDS, NAME)
    await place.gone(XRDS, NAME)
    assert await place.get(CRDS, NAME) is not None


@story()
async def test_names_that_another_kind_has_are_reported_in_the_servers_words(place):
    await place.create(XRDS, fresh(claim=None))
    await place.condition(XRDS, NAME, "Established", "True")
    taken = {"kind": "XOther", "plural": "xothers", "shortNames": ["xdatabases"]}
    other = fresh(kind="XOther", claim=None, names=taken)
    await place.create(XRDS, other)
    told = await place.condition(XRDS, "xothers.example.org", "Synced", "False", "NamesNotAccepted")
    assert "xdatabases" in conditions(told)["Synced"]["message"]


@story(mandate=MandateSpec(mode="Observe"))
async def test_an_installation_that_observes_writes_nothing(place):
    await place.create(XRDS, fresh())
    await asyncio.sleep(30)
    live = await place.get(XRDS, NAME)
    assert "status" not in live
    assert "finalizers" not in live["metadata"]
    assert await place.get(CRDS, NAME) is None


@story()
async def test_a_modern_definition_keeps_its_machinery_below_crossplane(place):
    await place.create(XRDS, fresh(scope="Namespaced"))
    await place.condition(XRDS, NAME, "Established", "True")
    (_, definition), *_ = place.told.heard
    assert (definition.lineage, definition.namespaced, definition.claim) == ("modern", True, None)
    xr = {"apiVersion": "example.org/v1", "kind": "XDatabase", "metadata": {"name": "a"}}
    spec = {"size": "s", "crossplane": {"compositionRef": {"name": "small"}}}
    made = await place.create(XRS, {**xr, "spec": spec}, "shop")
    assert made["spec"]["crossplane"]["compositionUpdatePolicy"] == "Automatic"
