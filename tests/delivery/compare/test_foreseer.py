"""Asking a destination about many objects: some at once, each of them once, and what goes wrong stays with its object."""

import asyncio

import pytest

from plumbline.base.errors import EvaluationFailed, Forbidden, Unreachable
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock
from plumbline.delivery.compare import Comparer, Rules
from plumbline.delivery.compare.foreseer import FAILED_S, Foreseer, Judge, asking, judge
from plumbline.kube.names import GroupVersionKind, Ref

from .objects import applied, config_map, deployment, ignore, secret, shape_of, updated
from .test_comparer import DEPLOYMENT, SUBJECT, Silent, desired, pairs, versioned

C = Ref("", "ConfigMap", "shop", "c")
SHAPES = {GroupVersionKind.of(each): shape_of(each) for each in (config_map(), secret(), deployment())}


class Server:
    """Applies for real what it is asked about, to objects that it has."""

    def __init__(self, *live):
        self.live = {Ref.of(each): each for each in live}
        self.asked = []
        self.under_way, self.most = 0, 0
        self.errors = {}

    async def ask(self, target, body):
        self.asked.append(target.ref.name)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if target.ref.name in self.errors:
            error = self.errors[target.ref.name]
            if isinstance(error, bytes):
                return error
            raise error
        return encode(applied(decode(body), live=self.live[target.ref]))


class Stopped(LoopClock):
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now_s = 0.0

    def monotonic(self):
        return self.now_s


class Stage:
    def __init__(self, *live, jq=None):
        self.server, self.clock = Server(*live), Stopped()
        self.live = live
        self.foreseer = Foreseer(Comparer(jq or Silent()), self.clock)

    async def compare(self, wanted, *live, rules=None, judge=Judge.SERVER):
        found = pairs(wanted, *(live or self.live))
        return await self.foreseer.compare(
            SUBJECT.ref, found, SHAPES, rules or Rules(), judge=judge, ask=self.server.ask
        )


def stored(obj, version="1"):
    return versioned({**obj, "metadata": {**obj["metadata"], "uid": f"uid of {obj['metadata']['name']}"}}, version)


def there(wanted):
    return [stored(applied(decode(each.body))) for each in wanted]


JUDGES = [
    ("", False, Judge.OURSELVES, "nobody asks for it"),
    ("", True, Judge.SERVER, "the installation does"),
    ("ServerSideDiff=true", False, Judge.SERVER, "the application does"),
    ("ServerSideDiff=false", True, Judge.OURSELVES, "the application declines"),
    ("ServerSideDiff=true,ServerSideDiff=false", True, Judge.OURSELVES, "declining outweighs"),
    (" ServerSideDiff=true , IncludeMutationWebhook=true ", False, Judge.SERVER_AND_WEBHOOKS, "spaces do not matter"),
    ("IncludeMutationWebhook=true", False, Judge.OURSELVES, "it is no reason to ask"),
    ("IncludeMutationWebhook=true", True, Judge.SERVER_AND_WEBHOOKS, "but says what counts"),
    ("serversidediff=true", False, Judge.OURSELVES, "case does"),
]


@pytest.mark.parametrize(("said", "default", "found", "why"), JUDGES)
def test_who_judges(said, default, found, why):
    annotations = {"argocd.argoproj.io/compare-options": said}
    assert judge(annotations, asked_by_default=default) is found, why


def test_who_judges_may_be_said_for_one_look():
    app = {"metadata": {"name": "web", "annotations": {"argocd.argoproj.io/compare-options": "IncludeMutationWebhook=true, ServerSideDiff=false"}}}  # fmt: skip
    changed = asking(app, server_side=True)["metadata"]
    assert judge(changed["annotations"], asked_by_default=False) is Judge.SERVER_AND_WEBHOOKS
    assert changed["name"] == "web"
    bare = asking({"metadata": {"name": "web"}}, server_side=False)["metadata"]["annotations"]
    assert judge(bare, asked_by_default=True) is Judge.OURSELVES


async def test_all_are_asked_about_at_once_and_none_twice():
    wanted = desired(*(config_map(name=f"c{number}", a="1") for number in range(100)))
    stage = Stage(*there(wanted))
    for _ in range(2):
        found = await stage.compare(wanted)
        assert len(found) == 100
        assert not any(each.differences for each in found.values())
        assert all(each.foretold and each.after is None for each in found.values())
    assert len(stage.server.asked) == 100
    assert stage.server.most == 100, "how many at once is for who answers to say"
    stage.foreseer.forget(SUBJECT.ref)
    await stage.compare(wanted)
    assert len(stage.server.asked) == 200


async def test_an_answer_holds_until_what_it_is_about_changes():
    (wanted,) = desired(config_map(a="1"))
    (live,) = there([wanted])
    stage = Stage(live)
    await stage.compare([wanted])
    for changed in ({"rules": Rules([ignore("ConfigMap", "")])}, {"judge": Judge.SERVER_AND_WEBHOOKS}, {}):
        await stage.compare([wanted], **changed)
    assert len(stage.server.asked) == 4
    other = versioned(live, "2")
    again = {**live, "metadata": {**live["metadata"], "uid": "another"}}
    for each in (other, again, again):
        await stage.compare([wanted], each)
    assert len(stage.server.asked) == 6
    (newer,) = desired(config_map(a="2"))
    found = await stage.compare([newer], again)
    assert [each.path for each in found[C].differences] == [".data.a"]
    assert len(stage.server.asked) == 7
    await stage.compare([wanted], again)
    assert len(stage.server.asked) == 7, "a look at another revision in between forgets nothing"


async def test_what_is_remembered_is_bounded():
    stage = Stage()
    for number in range(300):
        (wanted,) = desired(config_map(a=str(number)))
        (stage.live) = there([wanted])
        stage.server = Server(*stage.live)
        await stage.compare([wanted])
    assert len(stage.foreseer._memos[SUBJECT.ref]) < 100


async def test_what_goes_wrong_stays_with_its_object_and_is_asked_again_in_a_while():
    wanted = desired(config_map("a", x="1"), config_map("b", x="1"))
    stage = Stage(*there(wanted))
    stage.server.errors["a"] = Forbidden("PATCH /api failed", why="denied the request: no")
    found = {ref.name: each for ref, each in (await stage.compare(wanted)).items()}
    assert found["a"].failure.endswith("for resource ConfigMap/a: denied the request: no")
    assert not found["a"].foretold
    assert found["b"] == (found["b"])._replace(failure="")
    await stage.compare(wanted)
    assert stage.server.asked == ["a", "b"]
    stage.server.errors.clear()
    stage.clock.now_s = FAILED_S
    found = await stage.compare(wanted)
    assert stage.server.asked == ["a", "b", "a"]
    assert not any(each.failure for each in found.values())


ANSWERS = [
    (Unreachable("nobody answers"), "nobody answers"),
    (b"nonsense", "it is no JSON"),
    (b"[]", "the answer to a dry run is no object"),
]


@pytest.mark.parametrize(("answer", "why"), ANSWERS)
async def test_every_bad_answer_is_a_reason(answer, why):
    (wanted,) = desired(config_map(a="1"))
    stage = Stage(*there([wanted]))
    stage.server.errors["c"] = answer
    assert (await stage.compare([wanted]))[C].failure.endswith(f": {why}")


async def test_what_is_said_about_a_secret_is_kept_to_ourselves():
    (wanted,) = desired(secret(stringData={"a": "hunter2"}))
    stage = Stage(*there([wanted]))
    stage.server.errors["s"] = Forbidden("no", why="hunter2 is no good")
    (found,) = (await stage.compare([wanted])).values()
    assert "Secret/s" in found.failure
    assert "hunter2" not in found.failure


async def test_texts_of_a_secret_are_sent_as_they_are_stored():
    (wanted,) = desired(secret(stringData={"a": "hunter2"}))
    live = stored(applied({**decode(wanted.body), "stringData": None, "data": {"a": "aHVudGVyMg=="}}))
    stage = Stage(live)
    (found,) = (await stage.compare([wanted])).values()
    assert (found.differences, found.failure) == ((), "")


async def test_what_the_object_becomes_is_kept_sealed():
    (wanted,) = desired(config_map(a="2"))
    live = stored(applied({**decode(wanted.body), "data": {"a": "1"}}))
    (found,) = (await Stage(live).compare([wanted])).values()
    assert found.becomes(live)["data"] == {"a": "2"}
    assert "data" not in repr(found.after)
    assert found._replace(after=None).becomes(live) is live


async def test_ignored_fields_of_others_are_not_sent():
    rules = Rules([ignore("ConfigMap", "", json_pointers=("/data/a",))])
    (wanted,) = desired(config_map(a="1", b="1"))
    live = updated(applied(decode(wanted.body)), {"data": {"a": "theirs", "b": "1"}}, "kubectl")
    stage = Stage(stored(live))
    sent = []
    ask = stage.server.ask

    async def listening(target, body):
        sent.append(decode(body)["data"])
        return await ask(target, body)

    stage.server.ask = listening
    (found,) = (await stage.compare([wanted], rules=rules)).values()
    assert found.differences == ()
    assert sent == [{"b": "1"}]


async def test_jq_is_asked_about_what_comes_back_as_well():
    rules = Rules([ignore("ConfigMap", "", jq_path_expressions=(".data.a",))])
    (wanted,) = desired(config_map(a="2"))
    live = stored(applied({**decode(wanted.body), "data": {"a": "1"}}))
    both = [[[["data", "a"]]], [[["data", "a"]]]]
    jq = Silent(both, both)
    (found,) = (await Stage(live, jq=jq).compare([wanted], rules=rules)).values()
    assert found.differences == ()
    assert len(jq.asked) == 2
    broken = Silent(EvaluationFailed("jq failed"))
    with pytest.raises(EvaluationFailed):
        await Stage(live, jq=broken).compare([wanted], rules=rules)


async def test_what_is_served_in_another_version_is_compared_here():
    (wanted,) = desired(deployment())
    live = stored({**applied(decode(wanted.body)), "apiVersion": "apps/v1beta1"})
    stage = Stage(live)
    found = await stage.compare([wanted])
    assert stage.server.asked == []
    assert found.keys() == {Ref("apps", "Deployment", "shop", "web")}
    assert DEPLOYMENT in SHAPES


async def test_only_pairs_are_asked_about():
    stage = Stage(stored(config_map(name="extra")))
    assert await stage.compare(desired(config_map(a="1"))) == {}
    assert stage.server.asked == []
