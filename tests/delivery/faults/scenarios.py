"""Days in the life of an application: a sync with everything, a deletion, a rollback, a better commit, drift."""

from types import MappingProxyType

from tests.delivery.test_waves_and_hooks import job, waved
from tests.delivery.town import BY_HAND, config_map

from plumbline.base.json import encode
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target

from .stage import CONFIG_MAPS, Delivering, People

TRACKED = "argocd.argoproj.io/tracking-id"
RETRY = {"retry": {"limit": 5, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "1m"}}}
POLICY = {"automated": {"prune": True, "selfHeal": True}, **RETRY}
WAVES = {f"web/{name}.yaml": waved(name, wave) for name, wave in (("first", -1), ("zero", 0), ("other", 0), ("one", 1))}
HOOKS = {"web/before.yaml": job("before", "PreSync"), "web/after.yaml": job("after", "PostSync", "HookSucceeded")}
OLD = ("old", "older")


class Syncing(Delivering):
    """One sync that has everything: waves, hooks around them, and two objects that Git no longer asks for."""

    files = MappingProxyType({**WAVES, **HOOKS})

    async def people(self, client, world):
        people = People(client, self.repository)
        for name in OLD:
            mark = {TRACKED: f"web:/ConfigMap:shop/{name}"}
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "annotations": mark}}
            await client.create(Target(CONFIG_MAPS, "shop"), encode(body), BY_HAND)
        await people.deploy(syncPolicy=POLICY)
        await people.synced()


class Departing(Delivering):
    """Deployed and deleted again, with everything that it delivered."""

    files = MappingProxyType(WAVES)

    async def people(self, client, world):
        people = People(client, self.repository)
        await people.deploy(syncPolicy=POLICY, metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
        await people.synced()
        await client.delete(Target(APPLICATION.resource, "argocd", "web"))
        await people.gone()


class RollingBack(Delivering):
    """Synced by hand to one commit, to a worse one, and back."""

    files = MappingProxyType({"web/a.yaml": config_map("a", "good"), "web/b.yaml": config_map("b")})

    async def people(self, client, world):
        people = People(client, self.repository)
        good = self.repository.head
        await people.deploy(automated=False)
        await self._sync(people, good)
        bad = self.repository.change(web__a_yaml=config_map("a", "bad"), web__b_yaml=None, web__c_yaml=config_map("c"))
        await self._sync(people, bad)
        await self._sync(people, good)

    async def _sync(self, people, revision):
        await people.note({"operation": {"sync": {"revision": revision, "prune": True}, "retry": RETRY["retry"]}})

        async def over():
            app = await people.app()
            state = app.get("status", {}).get("operationState", {})
            done = state.get("phase") == "Succeeded" and state["syncResult"]["revision"] == revision
            return done and "operation" not in app

        await people.until(over)


class Superseding(Delivering):
    """A wave that never becomes healthy, and a commit that mends it while the sync still waits."""

    def __init__(self):
        self.files = {"web/first.yaml": deployment("never-ready"), "web/one.yaml": waved("one", 1)}
        super().__init__()

    async def people(self, client, world):
        people = People(client, self.repository)
        await people.deploy(syncPolicy=POLICY)

        async def waits():
            state = (await people.app()).get("status", {}).get("operationState", {})
            return "waiting for healthy state" in state.get("message", "")

        await people.until(waits)
        self.repository.change(web__first_yaml=deployment("run"))
        await people.synced()


class Pushing(Delivering):
    """Several commits, each of them a sync of one step that nobody asked for."""

    files = MappingProxyType({f"web/{name}.yaml": config_map(name) for name in "abc"})
    policy = MappingProxyType(POLICY)

    async def people(self, client, world):
        people = People(client, self.repository)
        await people.deploy(syncPolicy=dict(self.policy))
        await people.synced()
        for number in range(3):
            self.repository.change(web__a_yaml=config_map("a", f"v{number}"))
            await people.synced()


class Replacing(Pushing):
    """The same where every sync writes every object whole, so that a sync too much is seen at once."""

    policy = MappingProxyType({**POLICY, "syncOptions": ["Replace=true"]})


class Healing(Delivering):
    """Somebody changes one object by hand and deletes another."""

    remembered = False
    files = MappingProxyType(
        {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b"), "web/c.yaml": config_map("c")}
    )

    async def people(self, client, world):
        people = People(client, self.repository)
        await people.deploy(syncPolicy=POLICY)
        await people.same()
        drift = encode({"data": {"value": "drifted"}})
        await client.patch(Target(CONFIG_MAPS, "shop", "a"), drift, "merge", BY_HAND)
        await world.clock.sleep(30)
        await client.delete(Target(CONFIG_MAPS, "shop", "b"))
        await world.clock.sleep(30)


def deployment(behavior):
    return f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {{argocd.argoproj.io/sync-wave: "-1"}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata:
      labels: {{app: web}}
      annotations: {{sim.plumbline.dev/behavior: {behavior}}}
    spec:
      containers: [{{name: web, image: "web:1"}}]
"""
