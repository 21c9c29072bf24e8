"""What admission on the destination says of an object is the outcome of its task, however the answer is coded."""

import pytest
from tests.delivery.faults.scenarios import POLICY
from tests.delivery.faults.stage import Delivering, People, day
from tests.delivery.town import config_map, story

from plumbline.apiserver.webhooks.answers import Reply
from plumbline.base.errors import Conflict, InUse, ServerFault, Throttled, Unreachable
from plumbline.base.json import decode, encode
from plumbline.delivery.admission import denied, unasked
from plumbline.kernel.faults.simulation import Plan
from plumbline.kernel.faults.weather import Weather
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

HOOKS = "admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
NAME = "guard.example.org"
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}
FAILS = f'Internal error occurred: failed calling webhook "{NAME}": '


class Guard:
    """A webhook that is asked about the ConfigMap `a`, and says what it is told to."""

    def __init__(self, plane):
        self.asked, self.down, self.code = 0, 0, 0
        """How often it was asked, how often it still fails, and the code that it denies with."""
        plane._hooks._poster = self

    async def post(self, where, tls, body):
        request = decode(body)["request"]
        if request["name"] != "a":
            return self._reply(request, allowed=True)
        self.asked += 1
        if self.down:
            self.down -= 1
            return Reply(500, "text/plain", b"out of order", None)
        return self._reply(request, allowed=not self.code)

    def _reply(self, request, *, allowed):
        response = {"uid": request["uid"], "allowed": allowed}
        if not allowed:
            response["status"] = {"code": self.code, "reason": "Busy", "message": "not today"}
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
        return Reply(200, "application/json", encode(review), None)

    async def close(self): ...


def configuration(operations=("CREATE", "UPDATE", "DELETE")):
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": list(operations)}
    hook = {
        "name": NAME,
        "rules": [rule],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}},
        "clientConfig": {"url": "https://guard.example.org/ask"},
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "guard"},
        "webhooks": [hook],
    }


async def guarded(town):
    await town.create(HOOKS, configuration())
    return Guard(town.plane)


async def over(town, name="web"):
    async def ended():
        state = (await town.app(name)).get("status", {}).get("operationState", {})
        return state if state.get("phase") in {"Failed", "Error", "Succeeded"} else None

    return await town.until(ended, within_s=900)


def outcome(state, name):
    (found,) = [each for each in state["syncResult"]["resources"] if each["name"] == name]
    return found["status"], found["message"]


@story(files=FILES)
async def test_a_webhook_that_fails_for_ever_fails_the_sync_that_a_person_asked_for(town):
    guard = await guarded(town)
    guard.down = 10**6
    await town.deploy(automated=False)
    await town.sync()
    state = await over(town)
    assert state["phase"] == "Failed"
    assert FAILS in state["message"]
    status, message = outcome(state, "a")
    assert status == "SyncFailed"
    assert message.startswith(FAILS)
    assert outcome(state, "b") == ("Synced", "configmap/b created"), "what nobody objects to is applied"
    assert guard.asked == 3, "tried a few times, because most outages are short"
    assert "operation" not in await town.app()


@story(files=FILES)
async def test_the_retries_of_the_operation_count_its_failures(town):
    guard = await guarded(town)
    guard.down = 10**6
    await town.deploy(syncPolicy={"automated": {}, "retry": {"limit": 2, "backoff": {"duration": "5s"}}})
    state = await over(town)
    assert state["phase"] == "Failed"
    assert state["retryCount"] == 2
    assert state["message"].endswith("(retried 2 times).")
    asked = guard.asked
    assert asked == 9, "three attempts of three tries"
    await town.settle(600)
    assert guard.asked == asked, "failed for good is not tried again until there is something new"
    (condition,) = (await town.app())["status"]["conditions"]
    assert condition["type"] == "SyncError"
    guard.down = 0
    revision = town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.synced(revision=revision)


@story(files=FILES)
async def test_a_webhook_that_is_back_at_once_fails_nothing(town):
    guard = await guarded(town)
    guard.down = 2
    await town.deploy(automated=False)
    await town.sync()
    state = await over(town)
    assert state["phase"] == "Succeeded"
    assert outcome(state, "a") == ("Synced", "configmap/a created")
    assert guard.asked == 3


@pytest.mark.parametrize("code", [403, 409, 429, 500, 503, 504])
def test_a_denial_is_one_whatever_its_code(code):
    @story(files=FILES)
    async def denies(town):
        guard = await guarded(town)
        guard.code = code
        await town.deploy(automated=False)
        await town.sync()
        state = await over(town)
        assert state["phase"] == "Failed"
        assert outcome(state, "a") == ("SyncFailed", f'admission webhook "{NAME}" denied the request: not today')
        assert guard.asked == 1, "it has said no"

    denies()


@story(files=FILES)
async def test_what_a_webhook_keeps_from_being_pruned_is_an_outcome_too(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    guard = await guarded(town)
    guard.down = 10**6
    town.repository.change(web__a_yaml=None)
    await town.sync(prune=True)

    async def failed():
        state = (await town.app())["status"]["operationState"]
        return state if state["phase"] == "Failed" else None

    status, message = outcome(await town.until(failed), "a")
    assert status == "SyncFailed"
    assert message.startswith(FAILS)
    assert await town.get("v1/configmaps", "a") is not None


class Obstructed(Delivering):
    """A sync with a webhook in its way that fails for ever, on a day on which the API server is ill as well."""

    files = FILES

    async def people(self, client, world):
        guard = Guard(self.cluster.plane)
        guard.down = 10**6
        hooks = GroupVersionResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
        await client.create(Target(hooks), encode(configuration()))
        people = People(client, self.repository)
        await people.deploy(syncPolicy={**POLICY, "retry": {"limit": 1, "backoff": {"duration": "5s"}}})

        async def ended():
            app = await people.app() or {}
            return app.get("status", {}).get("operationState", {}).get("phase") == "Failed"

        await people.until(ended)


@pytest.mark.parametrize(
    "weather", [Weather(), Weather(server_error=0.3), Weather(throttled=0.3), Weather(lost_request=0.3, lost_reply=0.2)]
)
def test_whatever_the_api_server_suffers_from_only_the_webhook_is_blamed(weather):
    state = day(Obstructed, Plan(5, weather)).application["status"]["operationState"]
    assert state["phase"] == "Failed"
    assert FAILS in state["message"]
    assert "etcdserver" not in state["message"]
    assert state["retryCount"] == 1
    assert [(each["name"], each["status"]) for each in state["syncResult"]["resources"]] == [
        ("a", "SyncFailed"),
        ("b", "Synced"),
    ]


DENIED = 'admission webhook "a.example.org" denied the request: no'
SAID = [
    (ServerFault("x", why=DENIED), True, False, "a denial, coded as a fault"),
    (InUse("x", why=DENIED), True, False, "a denial, coded as a conflict"),
    (Conflict("x", why=DENIED), True, False, "the same with the reason of a conflict"),
    (Throttled("x", after_s=1, why=DENIED), True, False, "a denial, coded as too many requests"),
    (ServerFault("x", why=f"{FAILS}context deadline exceeded"), False, True, "a webhook that does not answer"),
    (
        ServerFault("x", why="conversion webhook for example.org/v1, Kind=Shop failed: Post: refused"),
        False,
        True,
        "one that converts",
    ),
    (ServerFault("x", why="etcdserver: leader changed"), False, False, "the server's own trouble"),
    (ServerFault("x", why="Internal error occurred: resource quota evaluation timed out"), False, False, "its own too"),
    (Unreachable("x", why="connection refused"), False, False, "nobody there"),
    (Throttled("x", after_s=1, why="too many requests"), False, False, "the server is busy"),
    (Conflict("x", why="the object has been modified"), False, False, "somebody was faster"),
]


@pytest.mark.parametrize(("error", "refuses", "fails", "why"), SAID, ids=[each[-1] for each in SAID])
def test_admission_is_told_from_the_troubles_of_the_server(error, refuses, fails, why):
    assert denied(error) is refuses, why
    assert unasked(error) is fails, why
