"""How the provider is reached, and whether what is there is ours to touch."""

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject
from plumbline.kernel.outcomes import Wait
from plumbline.kernel.reconciler import reports
from plumbline.kube.names import Ref
from plumbline.managed.conditions import Held, Rest, held, words
from plumbline.managed.external import Managed
from plumbline.managed.hands import timed
from plumbline.managed.identity import claim_of, may_write
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.pacing import spread
from plumbline.managed.secrets import ReadSecrets
from plumbline.managed.state import At, Configured, Connected, Look, grown
from plumbline.managed.steps.kit import Kit, place_of
from plumbline.ownership.ledger import refusal

_AGAIN_S = 60.0


class Connecting:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    @reports("CannotConnectToProvider")
    async def configured(self, run: Look, at: At) -> Configured | Held | Wait:
        """A config that is missing is no mystery: it says which, and goes on when it is there."""
        ref = run.read.ref
        try:
            config = await self._kit.configs.find(self._kind, run.spec.provider_config_ref, ref.namespace)
        except NotFound as missing:
            return held("CannotConnectToProvider", f"connect failed: {words(missing)}", _AGAIN_S)
        left_s = self._kit.throttles.left_s(config.ref, spread(str(ref)))
        if left_s:
            return Wait("Throttled", f"The provider asked everybody who uses {config.ref} to slow down", left_s)
        return grown(at, Configured, config=config)

    @reports("CannotInitializeManagedResource")
    async def owned(self, run: Look, at: Configured) -> Configured | Held:
        """Of two that stand for the same thing the older one has it."""
        holder = self.holder(run, at)
        if holder is None:
            return at
        refused = refusal(claim_of(self._kind, holder, at.name), claim_of(self._kind, run.object, at.name))
        message = f"{refused}. {Ref.of(holder)} uses the same ProviderConfig and external name"
        return held("CannotInitializeManagedResource", message, _AGAIN_S, reason="OwnedElsewhere")

    async def relinquished(self, run: Look, at: Configured) -> Configured | Rest:
        """What another one has is not taken away with us."""
        return at if self.holder(run, at) is None else Rest()

    @reports("CannotConnectToProvider")
    async def connected(self, run: Look, at: Configured) -> Connected:
        managed = self.managed(run, at)
        place = place_of(self._kind, run)
        async with self._kit.calling(run, at.config.ref, place):
            external = await timed(self._kind.connector.connect(managed, at.config), f"connecting for {managed.ref}")
        return grown(at, Connected, external=external, managed=managed)

    def holder(self, run: Look, at: Configured) -> JsonObject | None:
        """Who has what it stands for, where that is another."""
        if not at.name or not may_write(run.object):
            return None
        return self._kit.older(self._kind, run.object, at.config.ref, at.name)

    def managed(self, run: Look, at: Configured) -> Managed:
        """The resource as the provider sees it now."""
        obj = run.object
        return Managed(
            ref=run.read.ref,
            uid=obj["metadata"]["uid"],
            external_name=at.name,
            wanted=at.wanted,
            initial=at.initial,
            config=at.config.ref.name,
            secrets=ReadSecrets(self._kit.client, run.read.ref.namespace),
            object=obj,
        )
