"""Comparing an application: what was compared is not compared again, and jq is asked only where a rule needs it."""

import pytest

from plumbline.base.errors import EvaluationFailed, LimitExceeded, PlumblineError, TimedOut
from plumbline.base.evaluator import Evaluator
from plumbline.base.json import decode
from plumbline.delivery.compare import Comparer, Rules, Subject, comparer, paired, prepared
from plumbline.delivery.compare.preparing import Surroundings
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.ownership.learn.tracking import Tracking

from .objects import applied, config_map, deployment, ignore, observed, scaled, shape_of

SUBJECT = Subject(name="web", namespace="argocd", instance="web", destination="shop")
DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")
CONFIG_MAP = GroupVersionKind("", "v1", "ConfigMap")
SHAPES = {DEPLOYMENT: shape_of(deployment()), CONFIG_MAP: shape_of(config_map())}
WEB = Ref("apps", "Deployment", "shop", "web")


class Silent:
    """jq that must not be asked, or that answers what it is told to."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def jq_many(self, program, values, *, deadline_s):
        self.asked.append((program, [value["kind"] for value in values], deadline_s))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def scope(gvk):
    return True


def desired(*objects):
    return prepared([objects], SUBJECT, Surroundings(Tracking(), scope, lambda kind: False)).desired


def pairs(wanted, *live):
    present = {Ref.of(each): (GroupVersionKind.of(each), observed(each)) for each in live}
    return paired(wanted, present, scope, lambda ref: True, SUBJECT).pairs


def versioned(obj, version):
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}


@pytest.fixture
def counted(monkeypatch):
    made = []
    real = comparer.difference

    def counting(wanted, *rest):
        made.append(Ref.of(wanted))
        return real(wanted, *rest)

    monkeypatch.setattr(comparer, "difference", counting)
    return made


async def test_what_has_not_changed_is_not_compared_again(counted):
    (wanted,) = desired(deployment())
    live = applied(decode(wanted.body))
    comparing = Comparer(Silent())
    first = await comparing.compare(SUBJECT.ref, pairs([wanted], versioned(live, "1")), SHAPES, Rules())
    assert first[WEB].differences == ()
    # Another version with the same content, as every write of a status makes one.
    again = await comparing.compare(SUBJECT.ref, pairs([wanted], versioned(live, "2")), SHAPES, Rules())
    assert again == first
    assert counted == [WEB]
    await comparing.compare(SUBJECT.ref, pairs([wanted], scaled(live, 7)), SHAPES, Rules())
    await comparing.compare(SUBJECT.ref, pairs([wanted], scaled(live, 7)), SHAPES, Rules([ignore(json_pointers=("/a",))]))  # fmt: skip
    await comparing.compare(SUBJECT.ref, pairs([wanted], scaled(live, 7)), {}, Rules())
    assert len(counted) == 4
    comparing.forget(SUBJECT.ref)
    await comparing.compare(SUBJECT.ref, pairs([wanted], scaled(live, 7)), {}, Rules())
    assert len(counted) == 5


async def test_what_differed_is_looked_at_again_when_anything_was_written(counted):
    """Fields may change hands without the object changing, and then it may be in order."""
    (wanted,) = desired(deployment())
    live = scaled(applied(decode(wanted.body)), 7)
    comparing = Comparer(Silent())
    for version in ("1", "1", "2"):
        found = await comparing.compare(SUBJECT.ref, pairs([wanted], versioned(live, version)), SHAPES, Rules())
        assert [each.path for each in found[WEB].differences] == [".spec.replicas"]
    assert len(counted) == 2


async def test_only_pairs_are_compared():
    wanted = desired(deployment(), config_map())
    found = await Comparer(Silent()).compare(SUBJECT.ref, pairs(wanted, config_map(name="extra")), SHAPES, Rules())
    assert found == {}


async def test_many_objects_leave_room_for_others(counted):
    objects = [config_map(name=f"c{number}", a="1") for number in range(150)]
    wanted = desired(*objects)
    found = await Comparer(Silent()).compare(SUBJECT.ref, pairs(wanted, *objects), SHAPES, Rules())
    assert len(found) == len(counted) == 150


EXPRESSION = ".spec.replicas"
JQ = Rules([ignore("Deployment", "apps", jq_path_expressions=(EXPRESSION,))])


async def test_jq_is_asked_once_for_each_pair_that_a_rule_is_about():
    wanted = desired(deployment(), config_map(a="1"))
    live = scaled(applied(decode(wanted[0].body)), 7)
    jq = Silent([[[["spec", "replicas"]]], [[["spec", "replicas"]]]])
    comparing = Comparer(jq, jq_deadline_s=2)
    for version in ("1", "2"):
        found = await comparing.compare(
            SUBJECT.ref, pairs(wanted, versioned(live, version), config_map(a="1")), SHAPES, JQ
        )
        assert found[WEB].differences == ()
    assert jq.asked == [(f"[path({EXPRESSION})]", ["Deployment", "Deployment"], 2)]
    assert found[WEB].answers[EXPRESSION].live == [["spec", "replicas"]]


async def test_answers_are_remembered_by_expression_and_object():
    (wanted,) = desired(deployment())
    live = scaled(applied(decode(wanted.body)), 7)
    jq = Silent(*([[[]], [[]]] for _ in range(2)))
    comparing = Comparer(jq)
    for application in ("a", "b"):
        ref = SUBJECT.ref._replace(name=application)
        found = await comparing.compare(ref, pairs([wanted], live), SHAPES, JQ)
        assert [each.path for each in found[WEB].differences] == [EXPRESSION]
    assert len(jq.asked) == 1


async def test_answers_are_bounded(monkeypatch):
    monkeypatch.setattr(comparer, "_MOST_ANSWERS", 4)
    jq = Silent(*([[[]], [[]]] for _ in range(20)))
    comparing = Comparer(jq)
    for number in range(20):
        (wanted,) = desired(deployment(replicas=number))
        await comparing.compare(SUBJECT.ref, pairs([wanted], applied(decode(wanted.body))), SHAPES, JQ)
    assert len(comparing._answers) <= 6


@pytest.mark.parametrize(
    ("answer", "kind", "what"),
    [
        ([[], []], EvaluationFailed, "JQ patch did not return any data"),
        ([[[], []], [[]]], EvaluationFailed, "JQ patch returned multiple objects"),
        ([[3], [[]]], EvaluationFailed, "JQ patch returned error: it is not a path expression"),
        ([[["x"]], [[]]], EvaluationFailed, "JQ patch returned error: it is not a path expression"),
        ([[[[{"start": "x"}]]], [[]]], EvaluationFailed, "JQ patch returned error: it is not a path expression"),
        (TimedOut("no answer"), TimedOut, "JQ patch execution timed out (1s)"),
        ([LimitExceeded("x", why="too much"), [[]]], LimitExceeded, "JQ patch returned error: too much"),
        (
            [EvaluationFailed("x", why="syntax error, unexpected end"), [[]]],
            EvaluationFailed,
            "JQ patch returned error: syntax error, unexpected end",
        ),
    ],
    ids=lambda value: "",
)
async def test_jq_that_cannot_be_used_fails_the_application_in_upstreams_words(answer, kind, what):
    (wanted,) = desired(deployment())
    live = applied(decode(wanted.body))
    with pytest.raises(kind) as caught:
        await Comparer(Silent(answer)).compare(SUBJECT.ref, pairs([wanted], live), SHAPES, JQ)
    assert caught.value.what == what
    assert isinstance(caught.value, PlumblineError)


async def test_jq_that_only_does_not_fit_an_object_means_nothing():
    (wanted,) = desired(deployment())
    live = scaled(applied(decode(wanted.body)), 7)
    missing = EvaluationFailed("x", why="Cannot iterate over null")
    found = await Comparer(Silent([missing, missing])).compare(SUBJECT.ref, pairs([wanted], live), SHAPES, JQ)
    assert [each.path for each in found[WEB].differences] == [EXPRESSION]


@pytest.fixture
async def evaluator():
    async with Evaluator() as real:
        yield real


@pytest.mark.parametrize(
    ("expression", "expect"),
    [
        (".spec.replicas", []),
        (".spec.none, .spec.replicas", []),
        (".spec.none[]", [".spec.replicas"]),
        ('.spec.template.spec.containers[] | select(.name == "web") | .image', [".spec.replicas"]),
        (".spec | .replicas, .paused", []),
        ("1 + 1", [".spec.replicas"]),
        (".spec.template.spec.containers[0:1]", [".spec.replicas"]),
    ],
)
async def test_expressions_as_people_write_them(evaluator, expression, expect):
    (wanted,) = desired(deployment())
    live = scaled(applied(decode(wanted.body)), 7)
    rules = Rules([ignore(jq_path_expressions=(expression,))])
    found = await Comparer(evaluator).compare(SUBJECT.ref, pairs([wanted], live), SHAPES, rules)
    assert [each.path for each in found[WEB].differences] == expect


@pytest.mark.parametrize("expression", [".spec[", "nonsense", ".a)], [path(.b"])
async def test_expressions_that_cannot_be_read(evaluator, expression):
    (wanted,) = desired(deployment())
    rules = Rules([ignore(jq_path_expressions=(expression,))])
    with pytest.raises(EvaluationFailed):
        await Comparer(evaluator).compare(SUBJECT.ref, pairs([wanted], applied(decode(wanted.body))), SHAPES, rules)


async def test_an_endless_expression_ends_with_an_error_for_its_application_only(evaluator):
    """Attack 7 (CVE-2024-32476)."""
    (wanted,) = desired(deployment())
    live = applied(decode(wanted.body))
    endless = Rules([ignore(jq_path_expressions=("until(false; .)",))])
    comparing = Comparer(evaluator, jq_deadline_s=0.2)
    with pytest.raises(TimedOut):
        await comparing.compare(SUBJECT.ref, pairs([wanted], live), SHAPES, endless)
    other = await comparing.compare(SUBJECT.ref._replace(name="other"), pairs([wanted], live), SHAPES, JQ)
    assert other[WEB].differences == ()
