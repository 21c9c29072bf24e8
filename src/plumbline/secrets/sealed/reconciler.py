"""One SealedSecret: opened with the keys there are, and put into place."""

from typing import Any, Final, NamedTuple

from plumbline.base.aside import Aside
from plumbline.base.errors import Conflict, NotFound, Refused
from plumbline.base.json import JsonObject, decode
from plumbline.gate.hands import Behalf, Hands
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.informer import Informer
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kernel.reconciler import Change, Executed, Reconciler, Run, Seen
from plumbline.kernel.world import World
from plumbline.kinds.sealedsecret import SEALED_SECRET, SealedSecretSpec, SealedSecretStatus
from plumbline.kube.client import Client, Target, Writing
from plumbline.secrets.sealed import status
from plumbline.secrets.sealed.keys import SECRETS, Keys
from plumbline.secrets.sealed.metrics import SealedMetrics
from plumbline.secrets.sealed.target import MANAGED, changed, is_owned, kept, made
from plumbline.secrets.sealing import Unsealed, scope_of, unsealed

_WRITING: Final = Writing(field_manager="sealed-secrets")
_NO_KEY_S: Final = 5.0

Look = Run[SealedSecretSpec, SealedSecretStatus]


class _Left(NamedTuple):
    """How a look left things."""

    asked: tuple[object, ...]
    """What the SealedSecret was, as far as it matters."""
    version: str
    """Of the Secret."""


class Around(NamedTuple):
    client: Client
    hands: Hands
    keys: Keys
    world: World
    aside: Aside
    metrics: SealedMetrics


class SealedSecretReconciler(Reconciler[SealedSecretSpec, SealedSecretStatus]):
    name = "sealedsecret"
    kind = SEALED_SECRET

    def __init__(self, around: Around) -> None:
        self._client, self._hands, self._keys, self._world, self._aside, self._metrics = around
        self._left: dict[Key, _Left] = {}
        self.secrets: Informer | None = None
        """What Secrets there are, without what is in them."""
        self._hints: dict[Key, str] = {}
        """Keys that opened a SealedSecret the last time: the next time it is most likely the same."""
        self.unopened: set[Key] = set()
        """Those that want a look when another key comes."""
        self.steps = (self._recalled, self._opened, self._placed)

    def secret_changed(self, before: Cached | None, after: Cached | None) -> bool:
        """Whether a change of the Secret of that name wants a look."""
        if after is not None or before is None:
            return after is not None
        gone = before.meta
        ours = any(each.controller for each in gone.owner_references) or gone.annotations.get(MANAGED) == "true"
        return ours or gone.key not in self._left

    def forget(self, key: Key) -> None:
        self._left.pop(key, None)
        self._hints.pop(key, None)
        self.unopened.discard(key)

    async def _recalled(self, run: Look, _: object) -> Done | None:
        """What is as it was left needs no opening."""
        key = _key(run)
        left = self._left.get(key)
        there = self.secrets.cache.get(key) if self.secrets is not None else None
        version = there.meta.resource_version if there is not None else ""
        return Done() if run.deleting or left == _Left(_asked(run), version) else None

    async def _opened(self, run: Look, _: object) -> Unsealed | Stop:
        key, keys = _key(run), self._keys
        self._metrics.looked()
        if not keys.ring.keys:
            self.unopened.add(key)
            return Wait("NoSealingKey", "There is no sealing key yet; one is being made", _NO_KEY_S)
        obj, ring, hint, (clock, ids, _) = run.object, keys.ring, self._hints.get(key, ""), self._world
        try:
            found = await self._aside(lambda: unsealed(obj, ring, now=clock.now(), hint=hint, ids=ids))
        except Refused as error:
            self.unopened.add(key)
            self._left.pop(key, None)
            self._metrics.failed("unseal", key[0])
            return Stuck("".join(part.capitalize() for part in error.code.split("-")), status.wording(error))
        self.unopened.discard(key)
        self._hints[key] = next(iter(found.fingerprints.values()), "")
        return found

    async def _placed(self, run: Look, found: Unsealed) -> Stop:
        key = _key(run)
        behalf = Behalf.of("secret", run.object)
        try:
            wanted = made(found)
            live = await self._live(key)
            if live is None:
                written = await self._hands.create(
                    Target(SECRETS, key[0]), wanted, _WRITING, behalf, "Unseal a SealedSecret"
                )
            else:
                done = _was_done(run)
                if done and is_owned(run.object, live):
                    wanted = kept(wanted, live, found.changing)
                body = changed(run.object, wanted, live, anew=not done)
                if body is None:
                    return self._settled(run, live["metadata"]["resourceVersion"])
                target = Target(SECRETS, *key)
                written = await self._hands.replace(target, body, _WRITING, behalf, "Unseal a SealedSecret")
        except Conflict:
            raise
        except Refused as error:
            self._left.pop(key, None)
            self._metrics.failed("update", key[0])
            return Stuck("".join(part.capitalize() for part in error.code.split("-")), status.wording(error))
        if written is None:
            return Stuck("OnlyObserving", "This installation only observes: the Secret is not written")
        run.tell(status.UNSEALED, status.SUCCESS)
        if self.secrets is not None:
            self.secrets.learn(written, _already_known)
        return self._settled(run, decode(written)["metadata"]["resourceVersion"])

    def _settled(self, run: Look, version: str) -> Done:
        self._left[_key(run)] = _Left(_asked(run), version)
        return Done()

    async def _live(self, key: Key) -> JsonObject | None:
        try:
            return decode(await self._client.get(Target(SECRETS, *key)))
        except NotFound:
            return None

    def change(self, seen: Seen[SealedSecretSpec, SealedSecretStatus], executed: Executed, now: str) -> Change:
        before = seen.object.get("status")
        before = before if isinstance(before, dict) else {}
        generation = seen.object["metadata"].get("generation") or 0
        after = status.told(before, executed.reported.outcome, generation, now)
        patch: JsonObject = {"status": after} if after != before else {}
        return Change(patch, status.transitions(before, after))


def _already_known(before: Cached | None, after: Cached | None) -> None:
    """What a look has written is no reason for another."""
    del before, after


def _key(run: Look) -> Key:
    metadata = run.object["metadata"]
    return metadata["namespace"], metadata["name"]


def _asked(run: Look) -> tuple[object, ...]:
    metadata = run.object["metadata"]
    return metadata["uid"], run.generation, scope_of(metadata.get("annotations") or {})


def _was_done(run: Look) -> bool:
    """Whether what is there was made from what is asked for, and nobody need be told of it again."""
    before: Any = run.object.get("status") or {}
    return before.get("observedGeneration") == run.generation and status.condition(before).get("status") == "True"
