"""Compositions without functions, on a control plane; and what Crossplane composed before us."""

from tests.composition.works import BY_HAND, CLAIMS, COMPOSITES, claim, composition, condition, gvr, message, story

from plumbline.base.json import decode, encode
from plumbline.composition import marks
from plumbline.kube.client import Target, Writing

CLASSES = "scheduling.k8s.io/v1/priorityclasses"
MAPS = "v1/configmaps"
AS_CROSSPLANE = Writing(field_manager="crossplane")
HERE = {
    "type": "FromCompositeFieldPath",
    "fromFieldPath": "spec.claimRef.namespace",
    "toFieldPath": "metadata.namespace",
}


def native(*resources, name="plain"):
    return composition(name, pipeline=None, mode="Resources", resources=list(resources))


def template(name, *patches, ready=({"type": "None"},), **base):
    made = {"apiVersion": "v1", "kind": "ConfigMap", **base}
    named = {"name": name} if name else {}
    return {**named, "base": made, "patches": [HERE, *patches], "readinessChecks": list(ready)}


async def composed(works, gvr_text=MAPS):
    return [each for each in await works.list(gvr_text) if marks.COMPOSITE in (each["metadata"].get("labels") or {})]


@story
async def test_what_is_ready_as_soon_as_it_is_there_makes_the_claim_ready_at_once(works):
    check = {"type": "MatchString", "fieldPath": "data.a", "matchString": "b"}
    await works.define(native(template("one", ready=[check], data={"a": "b"}), template("two")))
    await works.apply(claim(), CLAIMS)
    began = works.world.clock.monotonic()
    await works.ready()
    assert works.world.clock.monotonic() - began < 10  # and not at the next poll


@story
async def test_what_templates_write_into_the_composite_is_shown_to_them_at_once(works):
    told = {"type": "ToCompositeFieldPath", "fromFieldPath": "data.a", "toFieldPath": "spec.size"}
    seen = {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.size", "toFieldPath": "data.size"}
    await works.define(native(template("one", told, data={"a": "large"}), template("two", seen)))
    await works.apply({**claim(), "spec": {}}, CLAIMS)

    async def shown():
        return [each for each in await composed(works) if (each.get("data") or {}).get("size") == "large"]

    await works.until(shown, within_s=20)


@story
async def test_without_names_the_order_of_references_tells_what_is_what(works):
    await works.define(native(template("", data={"a": "1"}), template("", data={"a": "2"})))
    await works.apply(claim(), CLAIMS)
    await works.ready()
    before = (await works.composite())["spec"]["resourceRefs"]
    made = [await works.get(MAPS, each["name"]) for each in before]
    assert [each["data"]["a"] for each in made] == ["1", "2"]
    assert all(marks.RESOURCE_NAME not in (each["metadata"].get("annotations") or {}) for each in made)
    # Names that come later are given to what is there, by its place.
    await works.apply(
        native(template("z", data={"a": "1"}), template("a", data={"a": "2"})),
        "apiextensions.crossplane.io/v1/compositions",
    )

    async def named():
        found = [await works.get(MAPS, each["name"]) for each in before]
        return [(each["metadata"].get("annotations") or {}).get(marks.RESOURCE_NAME) for each in found] == ["z", "a"]

    await works.until(named)
    assert (await works.composite())["spec"]["resourceRefs"] == before


@story
async def test_what_cannot_be_rendered_any_more_is_neither_lost_nor_made_again(works):
    needs = {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.size", "toFieldPath": "data.size", "policy": {"fromFieldPath": "Required"}}  # fmt: skip
    await works.define(native(template("", needs), template("")))
    await works.apply(claim(), CLAIMS)
    await works.ready()
    before = (await works.composite())["spec"]["resourceRefs"]
    await works.patch(CLAIMS, "orders", {"spec": {"size": None}})
    told = await works.told(works.composite, "Synced", "Unsynced resources: resource 1")
    assert "spec.size: no such field" in message(told, "Synced")
    assert told["spec"]["resourceRefs"] == before
    await works.patch(CLAIMS, "orders", {"spec": {"size": "large"}})
    await works.ready()
    assert len(await composed(works)) == 2


@story
async def test_a_composite_says_what_was_chosen_for_it_even_if_nothing_can_be_composed(works):
    await works.define(native(template("one", {"type": "PatchSet", "patchSetName": "absent"})))
    await works.apply(claim(), CLAIMS)
    told = await works.told(works.composite, "Synced", "cannot find PatchSet by name absent")
    assert told["spec"]["compositionRef"] == {"name": "plain"}
    assert told["spec"]["compositionRevisionRef"]["name"].startswith("plain-")
    assert told["metadata"]["finalizers"] == [marks.COMPOSITE_FINALIZER]


@story
async def test_what_has_no_namespace_and_needs_one_says_so_for_as_long_as_it_is_so(works):
    homeless = {**template("one"), "patches": []}
    await works.define(native(homeless, template("two")))
    await works.apply(claim(), CLAIMS)
    await works.told(works.composite, "Synced", "has no namespace")
    await works.settle(120)
    assert "has no namespace" in message(await works.composite(), "Synced")
    assert len(await composed(works)) == 1


@story
async def test_what_somebody_else_controls_is_named_with_the_way_out(works):
    uid = (await works.get("v1/namespaces", "shop", ""))["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Namespace", "name": "shop", "uid": uid, "controller": True}
    taken = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "taken", "ownerReferences": [owner]}}
    await works.client.create(Target(gvr(MAPS), "shop"), encode(taken), BY_HAND)
    named = {"type": "CombineFromComposite", "toFieldPath": "metadata.name", "combine": {
        "strategy": "string", "variables": [{"fromFieldPath": "spec.size"}], "string": {"fmt": "taken%.0s"}}}  # fmt: skip
    await works.define(native(template("one", named)))
    await works.apply(claim(), CLAIMS)
    told = await works.told(works.composite, "Synced", "controlled by Namespace shop")
    assert "Give it another name" in message(told, "Synced")


async def composed_by_crossplane(works):
    """The one class that the claim has, as if Crossplane had made it on the client's side, defaults and all."""
    (made,) = await composed(works, CLASSES)
    name = made["metadata"]["name"]
    await works.delete(CLASSES, name, "")
    kept = ("name", "generateName", "labels", "annotations", "ownerReferences")
    metadata = {key: value for key, value in made["metadata"].items() if key in kept}
    body = {**made, "metadata": metadata}
    return decode(await works.client.create(Target(gvr(CLASSES)), encode(body), AS_CROSSPLANE))


def classed(**fields):
    base = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 7, **fields}
    return native({"name": "class", "base": base, "readinessChecks": [{"type": "None"}]})


@story
async def test_what_crossplane_composed_is_taken_over_without_a_write_and_gives_up_what_is_dropped(works):
    await works.define(classed(description="old"))
    await works.apply(claim(), CLAIMS)
    await works.ready()
    await works.patch(COMPOSITES, (await works.composite())["metadata"]["name"], {"metadata": {"annotations": {marks.PAUSED: "true"}}}, "")  # fmt: skip
    await works.settle()
    made = await composed_by_crossplane(works)
    assert made["preemptionPolicy"] == "PreemptLowerPriority"
    await works.patch(COMPOSITES, (await works.composite())["metadata"]["name"], {"metadata": {"annotations": {marks.PAUSED: None}}}, "")  # fmt: skip
    await works.settle(120)
    assert condition(await works.composite(), "Synced")["status"] == "True"
    assert await composed(works, CLASSES) == [made]
    await works.apply(classed(), "apiextensions.crossplane.io/v1/compositions")

    async def dropped():
        (found,) = await composed(works, CLASSES)
        return found if "description" not in found else None

    found = await works.until(dropped)
    assert found["metadata"]["uid"] == made["metadata"]["uid"]
    assert "crossplane" not in {each["manager"] for each in found["metadata"]["managedFields"]}
