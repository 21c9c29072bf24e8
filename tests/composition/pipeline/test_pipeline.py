"""What a pipeline promises, whatever its functions do."""

import asyncio

import msgspec
import pytest

from plumbline.base.errors import EvaluationFailed, NotFound, Unreachable
from plumbline.base.log import recorded
from plumbline.base.plaintext import Plaintext
from plumbline.base.virtualtime import run_virtually
from plumbline.composition.functions.values import (
    Answer,
    Condition,
    Requirements,
    Resource,
    Result,
    SchemaSelector,
    Selector,
    State,
)
from plumbline.composition.pipeline import Credential, Limits, Sources, Step, run

XR = Resource({"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "x"}})
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
SELECTOR = Selector(api_version="v1", kind="ConfigMap", name="a")


class Scripted:
    """Answers as it was told, and keeps what it was asked."""

    def __init__(self, *answers):
        self.calls = []
        self._answers = answers

    async def run(self, call):
        self.calls.append(call)
        answer = self._answers[min(len(self.calls), len(self._answers)) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer(call) if callable(answer) else answer


def adding(name, **fields):
    def answer(call):
        desired = State(call.desired.composite, {**call.desired.resources, name: Resource({**CONFIG, **fields})})
        return Answer(desired=desired, context={**call.context, name: 1})

    return answer


def saying(*results, conditions=(), **fields):
    return lambda call: Answer(
        desired=call.desired, context=call.context, results=results, conditions=conditions, **fields
    )


def steps(*names):
    return tuple(Step(name=f"step-{name}", function=name) for name in names)


def running(functions, observed=None, limits=None, **sources):
    pipeline = tuple(each for each in functions if isinstance(each, Step)) or steps(*functions)

    async def main():
        return await run(
            pipeline, observed or State(XR), Sources(lambda name: functions[name], **sources), limits or Limits()
        )

    return run_virtually(main)


def test_each_function_sees_what_those_before_it_want():
    first, second = Scripted(adding("a")), Scripted(adding("b"))
    outcome = running({"one": first, "two": second})
    assert outcome.failure is None
    assert sorted(outcome.desired.resources) == ["a", "b"]
    assert (first.calls[0].desired, first.calls[0].context) == (State(), {})
    assert list(second.calls[0].desired.resources) == ["a"]
    assert second.calls[0].context == {"a": 1}
    assert second.calls[0].observed.composite is XR


def test_tags_are_the_same_for_the_same_call_and_differ_for_any_other():
    first, second = Scripted(adding("a")), Scripted(adding("b"))
    for _ in range(2):
        running({"one": first, "two": second})
    running({"one": first, "two": second}, State(Resource({**XR.resource, "spec": {}})))
    running({"one": first, "two": second}, State(Resource(XR.resource, {"key": Plaintext("secret")})))
    tags = [call.tag for call in first.calls]
    assert tags[0] == tags[1]
    assert len({*tags, second.calls[0].tag}) == 4
    assert all(len(tag) == 64 for tag in tags)


def test_results_become_events_in_the_words_that_people_know():
    outcome = running(
        {
            "f": Scripted(
                saying(
                    Result("Normal", "n"),
                    Result("Warning", "w", "Why", "CompositeAndClaim"),
                    Result("Unspecified", "u", "", "CompositeAndClaim"),
                )
            )
        }
    )
    normal, warning, unknown = outcome.events
    assert (normal.type, normal.reason, normal.told) == ("Normal", "ComposeResources", 'Pipeline step "step-f": n')
    assert (warning.type, warning.reason, warning.message, warning.recipient) == ("Warning", "Why", "w", "CompositeAndClaim")  # fmt: skip
    assert unknown.told == 'Pipeline step "step-f" returned a result of unknown severity (assuming warning): u'
    assert (unknown.type, unknown.recipient) == ("Warning", "Composite")
    assert [step for step, _ in outcome.results] == ["step-f"] * 3


def test_a_fatal_result_stops_the_pipeline_and_keeps_what_was_said_before():
    custom = Condition("Custom", "True", "Reason")
    never = Scripted(adding("b"))
    said = saying(Result("Normal", "before"), Result("Fatal", "no"), Result("Normal", "after"), conditions=(custom,))
    outcome = running({"one": Scripted(adding("a")), "two": Scripted(said), "three": never})
    assert outcome.failure.fatal
    assert outcome.failure.message == 'pipeline step "step-two" returned a fatal result: no'
    assert (outcome.failure.step, outcome.failure.function) == ("step-two", "two")
    assert outcome.desired == State()
    assert [event.message for event in outcome.events] == ["before"]
    assert outcome.conditions == (custom,)
    assert never.calls == []


def test_conditions_of_crossplanes_own_are_refused_and_the_function_is_named():
    outcome = running(
        {"f": Scripted(saying(conditions=(Condition("Ready", "True", "R"), Condition("Mine", "False", "R"))))}
    )
    assert [each.type for each in outcome.conditions] == ["Mine"]
    assert outcome.events[0].type == "Warning"
    assert 'step "step-f"' in outcome.events[0].told
    assert "Ready" in outcome.events[0].told


@pytest.mark.parametrize(
    ("ttls", "expected", "why"),
    [
        ((60.0, 10.0, 0.0), 10.0, "the shortest that is not zero"),
        ((0.0,), 0.0, "zero means that nobody says"),
        ((0.0, 5.0), 5.0, "zero never wins"),
    ],
)
def test_the_time_to_live_is_the_shortest_of_all(ttls, expected, why):
    functions = {str(at): Scripted(saying(ttl_s=ttl)) for at, ttl in enumerate(ttls)}
    assert running(functions).ttl_s == expected, why


def test_a_function_is_shown_what_it_asks_for_until_it_asks_for_nothing_else():
    asked = []

    async def fetch(selector):
        asked.append(selector.name)
        return (Resource({**CONFIG, "metadata": {"name": selector.name}}),) if selector.name != "gone" else ()

    async def schema(selector):
        return {"type": selector.kind}

    more = Selector(api_version="v1", kind="ConfigMap", name="gone")
    function = Scripted(
        Answer(requirements=Requirements({"a": SELECTOR}), context={"seen": 1}),
        Answer(requirements=Requirements({"a": SELECTOR}, {"old": more}, {"s": SchemaSelector("v1", "Pod")})),
        Answer(
            requirements=Requirements({"a": SELECTOR}, {"old": more}, {"s": SchemaSelector("v1", "Pod")}),
            results=(Result("Normal", "done"),),
        ),
    )
    outcome = running({"f": function}, fetch=fetch, schema=schema)
    assert outcome.failure is None
    assert asked == ["a", "a", "gone"]
    first, second, third = function.calls
    assert (first.required, first.extra) == ({}, {})
    assert second.required["a"][0].resource["metadata"]["name"] == "a"
    assert second.context == {"seen": 1}
    assert third.extra == {"old": ()}
    assert third.schemas == {"s": {"type": "Pod"}}
    assert {call.tag for call in function.calls} == {first.tag}
    assert outcome.required == (SELECTOR, more)
    assert [event.message for event in outcome.events] == ["done"]


def test_a_function_that_never_stops_asking_is_ended_after_six_runs():
    function = Scripted(*(Answer(requirements=Requirements({str(at): SELECTOR})) for at in range(9)))
    outcome = running({"f": function})
    assert len(function.calls) == 6
    assert outcome.failure.message.endswith("requirements didn't stabilize after the maximum number of iterations (5)")


def test_a_fatal_result_ends_the_asking():
    function = Scripted(Answer(requirements=Requirements({"a": SELECTOR}), results=(Result("Fatal", "x"),)))
    assert running({"f": function}).failure.fatal
    assert len(function.calls) == 1


def test_what_a_step_requires_from_the_start_is_shown_every_time():
    async def fetch(selector):
        return (Resource({**CONFIG, "metadata": {"name": selector.name}}),)

    function = Scripted(Answer(requirements=Requirements({"b": msgspec.structs.replace(SELECTOR, name="b")})))
    step = Step(name="s", function="f", resources={"a": SELECTOR}, schemas={"p": SchemaSelector("v1", "Pod")})

    async def main():
        return await run((step,), State(XR), Sources(lambda _: function, fetch))

    outcome = run_virtually(main)
    assert list(function.calls[0].required) == ["a"]
    assert list(function.calls[1].required) == ["a", "b"]
    assert function.calls[1].schemas == {"p": {}}
    assert [each.name for each in outcome.required] == ["a", "b"]


def test_credentials_reach_the_function_and_nothing_else():
    async def secret(credential):
        assert (credential.secret_namespace, credential.secret_name) == ("ns", "name")
        return {"token": Plaintext("hunter22")}

    function = Scripted(saying(Result("Fatal", "rejected hunter22"), conditions=(Condition("C", "True", "R", "hunter22!"),)))  # fmt: skip
    step = Step(name="s", function="f", credentials=(Credential("cloud", "ns", "name"),))

    async def main():
        return await run((step,), State(XR), Sources(lambda _: function, secret=secret))

    outcome = run_virtually(main)
    assert function.calls[0].credentials["cloud"]["token"].reveal() == b"hunter22"
    assert "hunter22" not in repr(outcome)
    assert outcome.failure.message.endswith("rejected ***")


def test_without_access_to_secrets_a_step_with_credentials_fails():
    step = Step(name="s", function="f", credentials=(Credential("cloud", "ns", "name"),))

    async def main():
        return await run((step,), State(XR), Sources(lambda _: Scripted(adding("a"))))

    assert "ns/name" in run_virtually(main).failure.message


def test_connection_details_are_masked_in_whatever_a_function_says():
    observed = State(Resource(XR.resource, {"password": Plaintext("s3cr3t-value")}))
    function = Scripted(saying(Result("Warning", "cannot use s3cr3t-value"), Result("Normal", "x" * 10_000)))
    outcome = running({"f": function}, observed)
    assert outcome.events[0].message == "cannot use ***"
    assert len(outcome.events[1].message) == Limits().message_chars


class Hanging:
    async def run(self, call):
        await asyncio.sleep(1e6)


def test_a_function_that_hangs_is_ended_and_named():
    outcome = running({"f": Hanging()})
    assert outcome.failure.transient
    assert outcome.failure.message == (
        'cannot run Composition pipeline step "step-f": cannot run Function "f": it did not answer within 60 s'
    )


def test_a_pipeline_that_takes_too_long_is_ended_at_the_step_where_it_was():
    async def slow(_):
        await asyncio.sleep(70)
        return ()

    function = Scripted(*(Answer(requirements=Requirements({str(at): SELECTOR})) for at in range(9)))
    outcome = running({"one": Scripted(adding("a")), "two": function}, fetch=slow)
    assert "the pipeline did not end within 120 s" in outcome.failure.message
    assert outcome.failure.step == "step-two"
    assert outcome.desired == State()


def test_a_timeout_of_a_functions_own_is_a_crash():
    with recorded():
        outcome = running({"f": Scripted(TimeoutError("mine"))})
    assert outcome.failure.message.endswith("it crashed: TimeoutError, see the log")


def test_a_crash_is_told_without_its_words_which_the_log_has():
    with recorded() as lines:
        outcome = running({"f": Scripted(ValueError("about a secret"))})
    assert outcome.failure.message.endswith('cannot run Function "f": it crashed: ValueError, see the log')
    assert not outcome.failure.transient
    assert lines[0]["event"] == "function crashed"


def test_errors_of_the_tree_keep_whether_they_pass():
    assert running({"f": Scripted(Unreachable("no function answers"))}).failure.transient
    refused = running({"f": Scripted(EvaluationFailed("it failed", hint="Do this."))}).failure
    assert (refused.transient, refused.hint) == (False, "Do this.")


def test_an_unknown_function_is_a_failure_of_its_step():
    def functions(name):
        raise NotFound(f'there is no function "{name}"', hint="Install it.")

    async def main():
        return await run(steps("f"), State(XR), Sources(functions))

    failure = run_virtually(main).failure
    assert (failure.step, failure.hint) == ("step-f", "Install it.")


def test_cancelling_the_whole_is_not_taken_for_a_failure():
    async def main():
        async with asyncio.timeout(1):
            await run(steps("f"), State(XR), Sources(lambda _: Hanging()))

    with pytest.raises(TimeoutError):
        run_virtually(main)


DEEP = {}
for _ in range(5_000):
    DEEP = {"a": DEEP}

NONSENSE = [
    ("no answer", "it is a str", "something else entirely"),
    (None, "it is a NoneType", "nothing at all"),
    (Answer(desired={}), "it desires a dict", "a state that is none"),
    (Answer(desired=State(XR, {"a": {}})), 'composed resource "a" that is not an object', "a resource that is none"),
    (Answer(desired=State(XR, {"a": Resource([])})), 'composed resource "a" that is not an object', "a list for an object"),
    (Answer(desired=State(Resource("x"))), "the composite that is not an object", "a text for the composite"),
    (Answer(desired=State(Resource({"status": 1}))), "status is not an object", "a number for a status"),
    (Answer(desired=State(XR, {"": Resource(CONFIG)})), "without a usable name", "an empty name"),
    (Answer(desired=State(XR, {7: Resource(CONFIG)})), "without a usable name", "a number for a name"),
    (Answer(desired=State(XR, {"n" * 2_000: Resource(CONFIG)})), "without a usable name", "an endless name"),
    (Answer(desired=State(XR, {"a": Resource(CONFIG, ready="Maybe")})), "ready in an unknown way", "another readiness"),
    (Answer(desired=State(XR, {"a": Resource(CONFIG, {"k": "v"})})), "connection details for", "secrets as texts"),
    (Answer(desired=State(XR, {"a": Resource({**CONFIG, "x": object()})})), "a value that JSON cannot", "no JSON"),
    (Answer(desired=State(XR, {"a": Resource(DEEP)})), "nested too deeply", "an endless tree"),
    (Answer(context=[]), "a context that is not an object", "a list for the context"),
    (Answer(context={"a": object()}), "a value that JSON cannot", "a context that is no JSON"),
    (Answer(ttl_s=float("nan")), "a time to live that is not one", "no number"),
    (Answer(ttl_s=-1.0), "a time to live that is not one", "a time in the past"),
    (Answer(requirements=Requirements({"a": Selector(api_version="", kind="K")})), "without apiVersion or kind", "no kind"),
    (Answer(desired=State(XR, {"a": Resource({"kind": "C"})})), "without apiVersion or kind", "no apiVersion"),
    (Answer(desired=State(XR, {"a": Resource({**CONFIG, "metadata": 1})})), "metadata is not an object", "a number"),
    (Answer(desired=State(XR, {"a": Resource({**CONFIG, "metadata": {"labels": {"a": 1}}})})), "labels are not texts", "a label"),
    (Answer(desired=State(XR, {"a": Resource({**CONFIG, "metadata": {"name": 7}})})), "invalid name", "a number for a name"),
    (
        Answer(desired=State(XR, {"a": Resource({**CONFIG, "metadata": {"name": "Not_Valid"}})})),
        'composed resource "a" because it has an invalid name "Not_Valid". Must be a valid RFC 1123 subdomain name.',
        "a name that Kubernetes does not take",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "told", "why"), NONSENSE, ids=[each[2] for each in NONSENSE])
def test_nonsense_is_told_with_the_step_and_the_function_and_never_applied(answer, told, why):
    class Odd:
        async def run(self, call):
            return answer

    outcome = running({"f": Odd()})
    assert told in outcome.failure.message, why
    assert outcome.failure.message.startswith(
        'cannot run Composition pipeline step "step-f": cannot run Function "f": '
    )
    assert outcome.desired == State()


LIMITS = [
    (Limits(resources=1), adding("b"), "more than 1 composed resources"),
    (Limits(state_bytes=100), adding("b", data={"x": "y" * 200}), "more than 100 bytes"),
    (Limits(told=1), saying(Result("Normal", "a"), Result("Normal", "b")), "more than 1 results"),
    (Limits(requirements=0), Answer(requirements=Requirements({"a": SELECTOR})), "more than 0 kinds"),
    (Limits(required=1), Answer(requirements=Requirements({"a": SELECTOR})), "more than 1 objects"),
]


@pytest.mark.parametrize(("limits", "answer", "told"), LIMITS, ids=[each[2] for each in LIMITS])
def test_too_much_is_refused(limits, answer, told):
    async def fetch(_):
        return (Resource(CONFIG), Resource(CONFIG))

    outcome = running({"one": Scripted(adding("a")), "f": Scripted(answer)}, limits=limits, fetch=fetch)
    assert told in outcome.failure.message
    assert outcome.failure.step == "step-f"


def test_what_cannot_be_applied_is_blamed_on_the_step_that_wanted_it_first():
    outcome = running({
        "one": Scripted(adding("fine")),
        "two": Scripted(adding("bad", metadata={"name": "-"})),
        "three": Scripted(adding("also-fine")),
    })  # fmt: skip
    assert (outcome.failure.step, outcome.failure.function) == ("step-two", "two")


def test_outputs_of_operations_are_kept_by_step():
    assert running({"f": Scripted(saying(output={"a": 1}))}).outputs == {"step-f": {"a": 1}}


def test_steps_are_read_as_compositions_write_them():
    step = Step.of(
        {
            "step": "s",
            "functionRef": {"name": "f"},
            "input": {"kind": "Input"},
            "credentials": [
                {"name": "c", "source": "Secret", "secretRef": {"namespace": "ns", "name": "n"}},
                {"name": "none", "source": "None"},
            ],
            "requirements": {
                "requiredResources": [
                    {"requirementName": "r", "apiVersion": "v1", "kind": "Secret", "namespace": "ns", "name": "n"},
                    {"requirementName": "l", "apiVersion": "v1", "kind": "Secret", "matchLabels": {"a": "b"}},
                ],
                "requiredSchemas": [{"requirementName": "p", "apiVersion": "v1", "kind": "Pod"}],
            },
        }
    )
    assert step == Step(
        name="s",
        function="f",
        input={"kind": "Input"},
        credentials=(Credential("c", "ns", "n"),),
        resources={
            "r": Selector(api_version="v1", kind="Secret", namespace="ns", name="n"),
            "l": Selector(api_version="v1", kind="Secret", labels={"a": "b"}),
        },
        schemas={"p": SchemaSelector("v1", "Pod")},
    )
    assert Step.of({"step": "s", "functionRef": {"name": "f"}}) == Step(name="s", function="f")


def test_a_pipeline_without_steps_wants_nothing():
    outcome = running({})
    assert (outcome.failure, outcome.desired) == (None, State())
