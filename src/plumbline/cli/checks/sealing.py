"""Whether every sealing key of the cluster is somewhere else, too."""

import asyncio
from typing import Final

from plumbline.base.errors import BadKubeconfig, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.cli.checks.cluster import DEADLINE_S
from plumbline.cli.checks.findings import Finding, ok, warning
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client, Connection, Request, Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object

_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_NAME: Final = "sealing keys"
_FIX: Final = "Put them aside with `plumb keys export --recipient age1… -w keys.age`; `plumb keys list` shows them."
_UNSEEN: Final = "Ask somebody who may list Secrets where the keys are to run `plumb doctor`."
_SHOWN: Final = 3


async def sealing_keys(connection: Connection | BadKubeconfig | None, namespace: str) -> list[Finding]:
    """Nothing where no cluster answers, which another check says, or where it knows no SealedSecrets.

    What is in the keys is not asked for.
    """
    if connection is None or isinstance(connection, BadKubeconfig):
        return []
    try:
        async with asyncio.timeout(DEADLINE_S), Client.connect(connection) as client:
            return _judged(await _keys(client, namespace)) if await _served(client) else []
    except TimeoutError:
        return []
    except PlumblineError as error:
        return [warning(_NAME, f"whether they are exported is not known: {error}", _UNSEEN)]


async def _served(client: Client) -> bool:
    """Whether there are SealedSecrets; not, as far as anybody can tell, where nobody answers."""
    try:
        await client.send(Request("GET", f"/apis/{SEALED_SECRET.gvk.api_version}"))
    except PlumblineError:
        return False
    return True


async def _keys(client: Client, namespace: str) -> list[JsonObject]:
    from plumbline.secrets.sealing import ACTIVE, KEY_LABEL, KEY_PREFIX  # noqa: PLC0415 - loads cryptography

    keys, first = Target(_SECRETS, namespace), f"metadata.name={KEY_PREFIX}"
    labelled = await client.list(keys, Selection(labels=f"{KEY_LABEL}={ACTIVE}", metadata_only=True))
    legacy = await client.list(keys, Selection(labels=f"!{KEY_LABEL}", fields=first, metadata_only=True))
    found = (decode(item) for item in (*labelled.items, *legacy.items))
    return [each for each in found if all(owner.kind != SEALED_SECRET.kind for owner in Object(each).owner_references)]


def _judged(keys: list[JsonObject]) -> list[Finding]:
    if not keys:
        return []
    from plumbline.secrets.sealed.keys import EXPORTED  # noqa: PLC0415 - loads the controller

    bare = sorted(Object(each).name for each in keys if not Object(each).annotations.get(EXPORTED))
    if not bare:
        return [ok(_NAME, f"{len(keys)}, all of them exported")]
    names = ", ".join(bare[:_SHOWN]) + (", …" if len(bare) > _SHOWN else "")
    return [warning(_NAME, f"{len(bare)} of {len(keys)} exist nowhere but in this cluster: {names}", _FIX)]
