"""An API server that is away for a while ends nobody."""

from types import SimpleNamespace

from plumbline.base.errors import NotFound, ServerFault, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.wiring.leading import Leading, Led
from plumbline.wiring.starting import _Mandated

AWAY = Unreachable("GET mandates failed", why="connection refused")
ADOPTING = encode({"apiVersion": "plumbline.dev/v1alpha1", "kind": "Mandate", "metadata": {"name": "default"}, "spec": {"mode": "Enforce"}})  # fmt: skip


class Client:
    """Answers one after the other; the last one again and again."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.discovery = self

    async def get(self, target):
        return self._next()

    async def resource(self, gvk):
        return self._next()

    def _next(self):
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def world():
    return World(LoopClock(), Ids(1), Metrics())


def test_what_we_may_touch_stays_what_it_was_until_the_server_can_be_asked_again():
    async def main():
        made = world()
        client = Client(ADOPTING, AWAY)
        mandated = _Mandated(client, made, enforce=False)
        async with task_group() as group:
            asking = group.create_task(mandated.run())
            await made.clock.sleep(60)
            assert mandated.now().mode == "Enforce"
            client.answers = [NotFound("no mandate")]
            await made.clock.sleep(10)
            assert mandated.now() == MandateSpec()
            asking.cancel()

    run_virtually(main)


def test_whoever_leads_asks_again_for_kinds_that_nobody_could_tell_of():
    async def main():
        made = world()
        client = Client(AWAY, ServerFault("Nobody knows whether it is served"), "served")
        rooms = SimpleNamespace(client=client, world=made, journal=None, mandate=MandateSpec)
        leading = Leading(rooms, lambda: None, Led("argocd", None, None, None, None))
        assert await leading._knows(SEALED_SECRET.gvk)

    run_virtually(main)
