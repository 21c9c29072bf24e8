"""Secrets that managed resources write: connection details for whoever uses them, and passwords made up for them."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound, OwnedElsewhere, OwnerSide
from plumbline.base.json import JsonObject, encode
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.gate.gate import Gate
from plumbline.gate.intents import Act, Intent
from plumbline.gate.writes import Creating, Patching
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import Ref
from plumbline.kube.object import Object, controller_reference, owner_reference
from plumbline.managed.external import SecretKey
from plumbline.managed.kinds import Generated
from plumbline.managed.secrets import SECRETS, ReadSecrets, encoded, values_of
from plumbline.managed.spec import ManagedSpec

CONNECTION_TYPE: Final = "connection.crossplane.io/v1alpha1"
_US: Final = Actor("controller", "managed")
_WRITING: Final = Writing(field_manager="plumbline-managed")


class Connections:
    """Every write goes through the gate; what is already so costs none."""

    def __init__(self, gate: Gate, client: Client, cluster: str) -> None:
        self._gate = gate
        self._client = client
        self._cluster = cluster
        self._secrets = ReadSecrets(client)

    async def publish(self, obj: JsonObject, spec: ManagedSpec, details: Mapping[str, Plaintext]) -> None:
        """Add *details* to the Secret that *spec* names. Keys that were there before stay; nobody else's is touched."""
        target = connection_target(obj, spec)
        if target is None or not details:
            return
        live = await self._live(target)
        if live is None:
            await self._create(obj, _connection_secret(obj, target, encoded(dict(details))), target)
            return
        _check_controllable(obj, live, target)
        known = values_of(live)
        fresh = {key: value for key, value in details.items() if known.get(key) != value}
        owned = Object(live).controller is not None
        if fresh or not owned:
            change: JsonObject = {"data": encoded(fresh)}
            metadata = {} if owned else {"ownerReferences": [*_owners(live), controller_reference(obj)]}
            await self._patch(obj, live, {**change, "metadata": metadata}, target)

    async def generate(self, obj: JsonObject, spec: ManagedSpec, wanted: JsonObject, rule: Generated) -> None:
        """Make up the secret that *rule* asks for and keep it where the reference says, unless there is one already."""
        if wanted.get(rule.switch) is not True:
            return
        key = _secret_key(obj, wanted, rule)
        target = Target(SECRETS, key.namespace, key.name)
        made = {key.key: unguessable()}
        live = await self._live(target)
        if live is not None:
            if not values_of(live).get(key.key):
                await self._patch(obj, live, {"data": encoded(made)}, target)
            return
        if connection_target(obj, spec) == target:
            body = _connection_secret(obj, target, encoded(made))
        else:
            body = _secret(target, encoded(made), "Opaque", owner_reference(obj))
        await self._create(obj, body, target)

    async def _live(self, target: Target) -> JsonObject | None:
        try:
            return await self._secrets.whole(target.namespace, target.name)
        except NotFound:
            return None

    async def _create(self, obj: JsonObject, body: JsonObject, target: Target) -> None:
        act = Creating(self._client, target.collection, encode(body), _WRITING)
        try:
            await self._perform(obj, target, "create", act)
        except AlreadyExists as raced:
            raise Conflict(f"Secret {target.namespace}/{target.name} was made by somebody else just now") from raced

    async def _patch(self, obj: JsonObject, live: JsonObject, change: JsonObject, target: Target) -> None:
        pins = {"uid": live["metadata"]["uid"], "resourceVersion": live["metadata"]["resourceVersion"]}
        body = {**change, "metadata": {**change.get("metadata", {}), **pins}}
        await self._perform(obj, target, "patch", Patching(self._client, target, encode(body), "merge", _WRITING))

    async def _perform(self, obj: JsonObject, target: Target, verb: str, act: Act) -> None:
        ref = Ref.of(obj)
        intent = Intent(
            actor=_US,
            subject=LiveObject(cluster=self._cluster, kind="Secret", namespace=target.namespace, name=target.name),
            verb=verb,
            why=f"Write connection details of {ref}",
            behalf=LiveObject.at(self._cluster, ref),
        )
        await self._gate.perform(intent, act)


def connection_target(obj: JsonObject, spec: ManagedSpec) -> Target | None:
    """Where its connection details go, if anywhere."""
    said = spec.write_connection_secret_to_ref
    if said is None:
        return None
    namespace = Object(obj).namespace or said.namespace
    return Target(SECRETS, namespace, said.name) if namespace else None


def _owners(live: JsonObject) -> list[JsonObject]:
    return list(live["metadata"].get("ownerReferences") or ())


def _connection_secret(obj: JsonObject, target: Target, values: dict[str, str]) -> JsonObject:
    return _secret(target, values, CONNECTION_TYPE, controller_reference(obj))


def _secret(target: Target, values: dict[str, str], type_: str, owner: JsonObject) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": target.name, "namespace": target.namespace, "ownerReferences": [owner]},
        "type": type_,
        "data": values,
    }


def _check_controllable(obj: JsonObject, live: JsonObject, target: Target) -> None:
    """Raise unless the Secret is ours, or a connection Secret that nobody controls."""
    controller = Object(live).controller
    uid = obj["metadata"]["uid"]
    if controller is not None and controller.uid == uid:
        return
    place = f"Secret {target.namespace}/{target.name}"
    if controller is None and live.get("type") == CONNECTION_TYPE:
        return
    holder = f"{controller.kind} {controller.name}" if controller is not None else "somebody"
    why = (
        f'refusing to modify uncontrolled secret of type "{live.get("type") or "Opaque"}"'
        if controller is None
        else f'existing secret is not controlled by UID "{uid}", but by {holder}'
    )
    raise OwnedElsewhere(
        "cannot create or update connection secret",
        holder=OwnerSide(holder, place),
        claimant=OwnerSide(str(Ref.of(obj)), "spec.writeConnectionSecretToRef"),
        why=f"{why} ({place})",
        hint="Name another Secret in spec.writeConnectionSecretToRef.",
    )


def _secret_key(obj: JsonObject, wanted: JsonObject, rule: Generated) -> SecretKey:
    said = wanted.get(rule.reference)
    own = Object(obj).namespace
    if isinstance(said, dict):
        name, key, namespace = (said.get(field) for field in ("name", "key", "namespace"))
        namespace = own or namespace
        if isinstance(name, str) and isinstance(key, str) and isinstance(namespace, str):
            return SecretKey(name=name, key=key, namespace=namespace)
    raise InvalidInput(
        f"{rule.switch} has nowhere to keep what it makes",
        why=f"spec.forProvider.{rule.reference} does not name a Secret and a key",
        hint=f"Say name{'' if own else ', namespace'} and key in spec.forProvider.{rule.reference}.",
    )
