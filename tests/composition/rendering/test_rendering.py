"""Rendering without a cluster, engine by engine. What it prints to the letter is held beside the real thing in tests/conformance."""

import pytest

from plumbline.base.documents import load_documents
from plumbline.base.errors import EvaluationFailed, InvalidInput, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Answer, Condition, Requirements, Resource, Result, Selector, State
from plumbline.composition.rendering import Inputs, Shown, check, render, text_of
from plumbline.composition.rendering.metadata import child_name, uid_of

XR = {"apiVersion": "example.org/v1", "kind": "XShop", "metadata": {"name": "media"}, "spec": {"size": 3}}
THING = {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"size": 2.0}}
NAMED = "crossplane.io/composition-resource-name"
ENGINES = ("new", "old", "v1")


def composition(*steps, **spec):
    kept = {"mode": "Pipeline", "pipeline": list(steps)} if steps else {}
    spec = {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XShop"}, **kept, **spec}
    return {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "shops"}, "spec": spec}  # fmt: skip


def step(name="only", **more):
    return {"step": name, "functionRef": {"name": "ours"}, **more}


class Ours:
    """A function that answers what it is told, and remembers what it was asked."""

    def __init__(self, answer=None, **fields):
        self._answer = answer
        self._fields = fields
        self.calls = []

    async def run(self, call):
        self.calls.append(call)
        if self._answer is not None:
            return self._answer(call)
        return Answer(**{"desired": call.desired, "context": call.context, **self._fields})


def inputs(function=None, steps=None, **more):
    steps = [step()] if steps is None else steps
    given = {"composite": XR, "composition": composition(*steps), "functions": lambda _: function or Ours(), **more}
    return Inputs(**given)


def desired(*names, ready="Unspecified", body=THING, **more):
    return State(resources={name: Resource(body, ready=ready) for name in names}, **more)


async def rendered(engine="new", function=None, **more):
    given = inputs(function, **more)
    check(given, engine)
    return await render(given, engine)


def seen(obj, *path):
    for key in path:
        obj = obj[key]
    return obj


@pytest.mark.parametrize("engine", ENGINES)
async def test_composed_resources_carry_their_marks_in_the_order_of_their_names(engine):
    made = await rendered(engine, Ours(desired=desired("b", "a")))
    assert [seen(each, "metadata", "annotations", NAMED) for each in made.composed] == ["a", "b"]
    first = made.composed[0]["metadata"]
    assert first["labels"] == {"crossplane.io/composite": "media"}
    assert first["generateName"] == "media-"
    assert first["ownerReferences"][0] | {"uid": ""} == {
        "apiVersion": "example.org/v1",
        "kind": "XShop",
        "name": "media",
        "uid": "",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    assert made.composed[0]["spec"] == {"size": 2}, "numbers are as the protocol passes them"


async def test_only_the_new_engine_makes_names_and_they_come_of_the_uid():
    uid = uid_of(XR)
    new, old = await rendered("new", Ours(desired=desired("a"))), await rendered("old", Ours(desired=desired("a")))
    assert new.composed[0]["metadata"]["name"] == child_name("media-", uid, "a")
    assert new.composed[0]["metadata"]["ownerReferences"][0]["uid"] == uid
    assert new.composite["spec"]["crossplane"]["resourceRefs"] == [
        {"apiVersion": "example.org/v1", "kind": "Thing", "name": child_name("media-", uid, "a")}
    ]
    assert "name" not in old.composed[0]["metadata"]
    assert old.composed[0]["metadata"]["ownerReferences"][0]["uid"] == ""
    assert "spec" not in old.composite


@pytest.mark.parametrize(
    ("prefix", "name", "why"),
    [
        ("media-", "media-", "as it is"),
        ("media", "media-", "a hyphen is put between"),
        ("x" * 60 + "-", "x" * 50 + "-", "cut, with a hyphen"),
        ("x" * 50 + "-yyyyyyyyyyy-", "x" * 50 + "-", "cut at a hyphen"),
    ],
)
def test_names_fit_into_labels(prefix, name, why):
    made = child_name(prefix, "uid", "a")
    assert made[:-12] == name, why
    assert len(made) <= 63


async def test_every_engine_has_the_conditions_that_its_cli_prints():
    function = Ours(desired=desired("b", "a", "c", "d"))
    types = {engine: [each["type"] for each in (await rendered(engine, function)).composite["status"]["conditions"]] for engine in ENGINES}  # fmt: skip
    assert types == {"new": ["Responsive", "Synced", "Ready"], "old": ["Ready"], "v1": ["Ready"]}
    ready = (await rendered("old", function)).composite["status"]["conditions"][-1]
    assert ready["message"] == "Unready resources: a, b, c, and 1 more"
    three = (await rendered("old", Ours(desired=desired("c", "a", "b")))).composite["status"]["conditions"][0]
    assert three["message"] == "Unready resources: a, b, and c"


@pytest.mark.parametrize(
    ("engine", "said", "status"),
    [
        ("new", "True", "True"),
        ("old", "True", "True"),
        ("v1", "True", "False"),
        ("new", "False", "False"),
        ("old", "False", "False"),
    ],
)
async def test_what_a_function_says_of_the_composite_counts_since_v2(engine, said, status):
    state = desired("a", composite=Resource({"status": {"count": 1}}, ready=said))
    made = await rendered(engine, Ours(desired=state))
    ready = next(each for each in made.composite["status"]["conditions"] if each["type"] == "Ready")
    assert ready["status"] == status
    assert made.composite["status"]["count"] == 1


async def test_conditions_of_functions_are_shown_but_for_those_that_are_crossplanes_own():
    conditions = (
        Condition("Tested", "True", "Fine", recipient="CompositeAndClaim"),
        Condition("Ready", "False", "No"),
    )
    function = Ours(desired=desired("a", ready="True"), conditions=conditions)
    made = await rendered("new", function, legacy=True)
    assert {each["type"]: each["status"] for each in made.composite["status"]["conditions"]} == {
        "Responsive": "True",
        "Tested": "True",
        "Synced": "True",
        "Ready": "True",
    }
    assert made.composite["status"]["claimConditionTypes"] == ["Tested"]
    assert made.composite["spec"]["resourceRefs"], "an older composite keeps them right under its spec"


async def test_results_are_told_in_the_words_of_each_engine():
    function = Ours(desired=desired("a"), results=(Result("Warning", "careful"), Result("Normal", "well", "Why")))
    new, old = await rendered("new", function), await rendered("old", function)
    assert [(each["severity"], each["reason"], each["message"]) for each in new.results] == [
        ("Normal", "SelectComposition", "Successfully selected composition: shops"),
        ("Warning", "ComposeResources", 'Pipeline step "only": careful'),
        ("Normal", "Why", 'Pipeline step "only": well'),
        ("Normal", "ComposeResources", 'Composed resource "a" is not yet ready'),
    ]
    assert [(each["severity"], each["step"], each["message"]) for each in old.results] == [
        ("SEVERITY_WARNING", "only", "careful"),
        ("SEVERITY_NORMAL", "only", "well"),
    ]


async def test_a_composition_that_was_chosen_before_is_not_told_again():
    chosen = {**XR, "spec": {"crossplane": {"compositionRef": {"name": "shops"}}}}
    made = await rendered("new", Ours(desired=desired("a", ready="True")), composite=chosen)
    assert made.results == ()


async def test_functions_see_the_composite_as_the_reconciler_shows_it():
    function = Ours()
    await rendered("new", function, composite={**XR, "metadata": {"name": "media", "generation": 7}})
    composite = function.calls[0].observed.composite.resource
    assert composite["metadata"]["labels"] == {"crossplane.io/composite": "media"}
    assert composite["metadata"]["resourceVersion"] == "999"
    assert composite["spec"]["crossplane"] == {"compositionRef": {"name": "shops"}}
    assert composite["status"]["conditions"][0]["observedGeneration"] == 7
    await rendered("v1", function)
    assert function.calls[1].observed.composite.resource == XR


def live(name="a", **metadata):
    noted = {"annotations": {NAMED: name}} if name else {}
    return {**THING, "metadata": {"name": "there", "generateName": "pre-", **noted, **metadata}}


@pytest.mark.parametrize(("engine", "prefix"), [("new", "pre-"), ("old", "pre-"), ("v1", "media-")])
async def test_what_is_observed_keeps_its_name(engine, prefix):
    function = Ours(desired=desired("a"))
    made = await rendered(engine, function, observed=(live(),))
    assert made.composed[0]["metadata"]["name"] == "there"
    assert made.composed[0]["metadata"]["generateName"] == prefix
    assert set(function.calls[0].observed.resources) == {"a"}


@pytest.mark.parametrize(
    ("observed", "text"),
    [
        (live(ownerReferences=[{"uid": "other", "controller": True}]), "not controlled by the XR"),
        (live(namespace="elsewhere"), "not in the same namespace"),
    ],
)
async def test_what_is_observed_has_to_belong_to_the_composite(observed, text):
    composite = {**XR, "metadata": {"name": "media", "namespace": "shop"}}
    observed = {**observed, "metadata": {"namespace": "shop", **observed["metadata"]}}
    with pytest.raises(InvalidInput, match=text):
        await rendered("new", composite=composite, observed=(observed,))


async def test_what_is_observed_has_to_say_which_one_it_is():
    with pytest.raises(InvalidInput, match="no name in the composition"):
        await rendered("old", observed=(live(""),))


async def test_a_namespaced_composite_keeps_everything_in_its_namespace():
    composite = {**XR, "metadata": {"name": "media", "namespace": "shop"}}
    far = {**THING, "metadata": {"namespace": "elsewhere"}}
    made = await rendered("new", Ours(desired=desired("a", body=far)), composite=composite)
    assert made.composed[0]["metadata"]["namespace"] == "shop"
    assert "namespace" not in made.composite["spec"]["crossplane"]["resourceRefs"][0]
    assert "NamespaceOverridden" in [each["reason"] for each in made.results]
    old = await rendered("old", Ours(desired=desired("a", body=far)), composite=composite)
    assert old.composite["metadata"] == {"name": "media", "namespace": "shop"}


CLAIMED = {**XR, "spec": {"claimRef": {"name": "c", "namespace": "n"}}}
LABELLED = {**XR, "metadata": {"name": "media", "labels": {"crossplane.io/claim-name": "c", "crossplane.io/claim-namespace": "n"}}}  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "composite", "labelled"),
    [
        ("v1", CLAIMED, True),
        ("old", CLAIMED, True),
        ("new", CLAIMED, False),
        ("v1", LABELLED, False),
        ("new", LABELLED, True),
    ],
)
async def test_the_claim_is_marked_where_its_engine_does_so(engine, composite, labelled):
    made = await rendered(engine, Ours(desired=desired("a")), composite=composite)
    assert ("crossplane.io/claim-name" in made.composed[0]["metadata"]["labels"]) is labelled


async def test_a_nested_composite_hands_on_the_name_of_the_outermost():
    inner = {**XR, "metadata": {"name": "inner", "labels": {"crossplane.io/composite": "outer"}}}
    made = {engine: (await rendered(engine, Ours(desired=desired("a")), composite=inner)).composed[0] for engine in ENGINES}  # fmt: skip
    assert {engine: each["metadata"]["generateName"] for engine, each in made.items()} == {
        "new": "outer-",
        "old": "outer-",
        "v1": "inner-",
    }


async def test_nobody_else_may_control_what_is_composed():
    body = {**THING, "metadata": {"ownerReferences": [{"uid": "x", "controller": True, "kind": "Other", "name": "o"}]}}
    with pytest.raises(EvaluationFailed, match="already controlled by Other o"):
        await rendered("new", Ours(desired=desired("a", body=body)))


async def test_a_name_that_no_object_can_have_is_refused():
    body = {**THING, "metadata": {"generateName": "Not_A_Name-"}}
    with pytest.raises(EvaluationFailed, match="invalid name"):
        await rendered("new", Ours(desired=desired("a", body=body)))


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_fatal_result_ends_it_in_upstreams_words(engine):
    with pytest.raises(EvaluationFailed, match='pipeline step "only" returned a fatal result: no way'):
        await rendered(engine, Ours(results=(Result("Fatal", "no way"),)))


REFUSED = [
    ({"composition": {**composition(step()), "kind": "Other"}}, "not a composition: Other/shops"),
    ({"composite": {**XR, "kind": "Other"}}, r"compositeTypeRef.kind \(XShop\) does not match XR's kind \(Other\)"),
    ({"composite": {**XR, "apiVersion": "example.org/v2"}}, "compositeTypeRef.apiVersion"),
    ({"steps": [{"step": "x"}]}, "a step that is none"),
]


@pytest.mark.parametrize(("more", "text"), REFUSED)
async def test_what_cannot_be_rendered_is_refused(more, text):
    with pytest.raises(InvalidInput, match=text):
        await rendered("new", **more)


@pytest.mark.parametrize(
    ("labels", "text"),
    [({}, 'is missing required label "tier"'), ({"tier": "b"}, 'label "tier": want "a", got "b"'), ({"tier": "a"}, "")],
)
async def test_the_labels_that_the_composite_asks_for_have_to_be_there(labels, text):
    asking = {**XR, "spec": {"crossplane": {"compositionSelector": {"matchLabels": {"tier": "a"}}}}}
    labelled = {**composition(step()), "metadata": {"name": "shops", "labels": labels}}
    if not text:
        await rendered("new", composite=asking, composition=labelled)
        return
    with pytest.raises(InvalidInput, match=text):
        await rendered("new", composite=asking, composition=labelled)


def other(name, namespace="", **labels):
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": "example.org/v1", "kind": "Other", "metadata": {"name": name, **place, "labels": labels}}


OTHERS = (other("b", zone="eu"), other("a", zone="eu"), other("far", "elsewhere", zone="eu"))


@pytest.mark.parametrize(
    ("engine", "selector", "names"),
    [
        ("new", {"name": "a"}, ["a"]),
        ("new", {"name": "far"}, []),
        ("new", {"name": "far", "namespace": "elsewhere"}, ["far"]),
        ("old", {"name": "far"}, ["far"]),
        ("new", {"labels": {"zone": "eu"}}, ["a", "b", "far"]),
        ("old", {"labels": {"zone": "eu"}}, ["a", "b", "far"]),
        ("v1", {"labels": {"zone": "eu"}}, ["b", "a", "far"]),
        ("new", {}, ["a", "b", "far"]),
        ("old", {}, []),
        ("new", {"name": "none"}, []),
    ],
)
async def test_functions_are_shown_what_was_given(engine, selector, names):
    wanted = Requirements(resources={"it": Selector(api_version="example.org/v1", kind="Other", **selector)})
    function = Ours(lambda call: Answer(desired=call.desired, context=call.context, requirements=wanted))
    await rendered(engine, function, required=OTHERS)
    assert [each.resource["metadata"]["name"] for each in function.calls[-1].required["it"]] == names


SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "login", "namespace": "shop"},
    "data": {"user": "YWRh"},
    "stringData": {"more": "plain"},
}
CREDENTIALS = {"credentials": [{"name": "cloud", "source": "Secret", "secretRef": {"namespace": "shop", "name": "login"}}]}  # fmt: skip


async def test_credentials_come_from_the_secrets_that_were_given():
    function = Ours()
    await rendered("new", function, steps=[step(**CREDENTIALS)], secrets=(SECRET,))
    assert function.calls[0].credentials == {"cloud": {"user": Plaintext("ada"), "more": Plaintext("plain")}}
    with pytest.raises(EvaluationFailed, match='cannot get credentials from secret "login"'):
        await rendered("new", function, steps=[step(**CREDENTIALS)])
    with pytest.raises(EvaluationFailed, match="not base64"):
        await rendered("new", function, steps=[step(**CREDENTIALS)], secrets=({**SECRET, "data": {"user": "?"}},))


async def test_the_new_engine_shows_connection_details_whose_secret_was_given():
    observed = {**live(), "spec": {"writeConnectionSecretToRef": {"name": "login", "namespace": "shop"}}}
    function = Ours()
    await rendered("new", function, observed=(observed,), required=(SECRET,))
    await rendered("old", function, observed=(observed,), required=(SECRET,))
    assert [sorted(each.observed.resources["a"].connection) for each in function.calls] == [["more", "user"], []]


async def test_schemas_are_found_by_kind():
    marked = {"type": "object", "x-kubernetes-group-version-kind": [{"group": "example.org", "version": "v1", "kind": "Other"}]}  # fmt: skip
    needs = {"requirements": {"requiredSchemas": [{"requirementName": name, "apiVersion": "example.org/v1", "kind": name} for name in ("Other", "None")]}}  # fmt: skip
    function = Ours()
    await rendered("new", function, steps=[step(**needs)], schemas=({"components": {"schemas": {"x": marked}}},))
    assert function.calls[0].schemas == {"Other": marked, "None": {}}


async def test_a_context_that_was_given_comes_before_all_functions():
    function = Ours()
    made = await rendered("new", function, context={"k": {"a": 1}})
    assert function.calls[0].context == {"k": {"a": 1}}
    assert made.context == {"k": {"a": 1}}


NATIVE = composition(
    resources=[
        {"name": "a", "base": THING, "patches": [{"fromFieldPath": "spec.size", "toFieldPath": "spec.size"}]},
        {"name": "b", "base": THING, "patches": [{"fromFieldPath": "spec.none", "toFieldPath": "spec.x", "policy": {"fromFieldPath": "Required"}}]},
    ]
)  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
async def test_mode_resources_is_rendered_too(engine):
    made = await rendered(engine, composition=NATIVE)
    assert [each["spec"] for each in made.composed] == [{"size": 3}]
    ready = made.composite["status"]["conditions"][-1]
    assert ready["message"] == "Unready resources: a, b", "what could not be rendered is not ready either"
    assert any("spec.none: no such field" in each["message"] for each in made.results)


async def test_templates_without_names_take_what_is_observed_in_its_order():
    anonymous = composition(resources=[{"base": THING}, {"base": THING}])
    made = await rendered(
        "new", composition=anonymous, observed=(live(""), {**live(""), "metadata": {"name": "second"}})
    )
    assert [each["metadata"]["name"] for each in made.composed] == ["there", "second"]


async def test_a_template_that_cannot_be_read_ends_it():
    with pytest.raises(EvaluationFailed, match="cannot render composite resource: cannot parse base template"):
        await rendered("new", composition=composition(resources=[{"name": "a", "base": {}}]))


async def test_an_unknown_function_is_told():
    def missing(name):
        raise NotFound(f'there is no function "{name}"', hint="Start it.")

    with pytest.raises(EvaluationFailed, match='there is no function "ours"') as told:
        await render(Inputs(composite=XR, composition=composition(step()), functions=missing), "new")
    assert told.value.hint == "Start it."


@pytest.mark.parametrize("engine", ENGINES)
async def test_what_is_printed_is_what_was_asked_for(engine):
    given = inputs(Ours(desired=desired("a"), results=(Result("Normal", "well"),)))
    made = await render(given, engine)
    kinds = [each.value["kind"] for each in load_documents(text_of(made, Shown(), given, engine), source="it")]
    assert kinds == ["XShop", "Thing"]
    everything = Shown(results=True, full=True, context=True)
    documents = [each.value for each in load_documents(text_of(made, everything, given, engine), source="it")]
    assert documents[0]["spec"]["size"] == 3
    assert {each["kind"] for each in documents[2:]} == {"Result", "Context"}
    assert documents[-1]["fields"] == ({} if engine == "new" else None)
