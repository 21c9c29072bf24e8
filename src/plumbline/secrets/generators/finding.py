"""Which generator is meant: one of the namespace, or one of the cluster that stands for one in every namespace."""

from collections.abc import Mapping
from typing import Any, Final

from plumbline.base.aside import Aside
from plumbline.base.errors import InvalidInput, NotFound, Unresolved
from plumbline.base.ids import Ids
from plumbline.base.json import decode
from plumbline.kinds.externalsecrets.externalsecret import GeneratorRef
from plumbline.kinds.externalsecrets.generators import (
    CLUSTER_GENERATOR,
    FAKE,
    GROUP,
    PASSWORD,
    SSH_KEY,
    UUID,
    ClusterGeneratorSpec,
)
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind
from plumbline.kinds.read import read
from plumbline.kube.client import Client, Target
from plumbline.secrets.generators.making import RUN, Made, made

_KINDS: Final[Mapping[str, Kind[Any, Any]]] = {
    kind.kind: kind for kind in (PASSWORD, UUID, SSH_KEY, FAKE, CLUSTER_GENERATOR)
}


class Generators:
    """Reads a generator when it is to be run, and keeps nothing of it, nor of what it made."""

    def __init__(self, client: Client, ids: Ids, aside: Aside) -> None:
        self._client, self._ids, self._aside = client, ids, aside

    async def values(self, ref: GeneratorRef, namespace: str) -> Made:
        """New ones. Raises Unresolved where there is no such generator, InvalidInput where it cannot be run."""
        spec = await self._spec(ref, namespace)
        return await self._aside(lambda: made(spec, self._ids))

    async def _spec(self, ref: GeneratorRef, namespace: str) -> Fields:
        group = ref.api_version.partition("/")[0]
        if group != GROUP:
            raise InvalidInput(f"generatorRef may only reference the generators group, but got {group}")
        kind = _KINDS.get(ref.kind)
        if kind is None:
            raise unspoken(ref.kind)
        where = namespace if kind.namespaced else ""
        try:
            obj = decode(await self._client.get(Target(kind.resource, where, ref.name)))
        except NotFound:
            sought = (GROUP, ref.kind, where, ref.name)
            raise Unresolved(
                f"unable to get generator {ref.kind} {ref.name}", why="it is not there", sought=sought
            ) from None
        spec = read(kind, obj).spec
        return _of_cluster(spec) if isinstance(spec, ClusterGeneratorSpec) else spec


def unspoken(kind: str) -> InvalidInput:
    hint = f"Those that are: {', '.join(sorted(RUN))}, and a ClusterGenerator of one of them."
    return InvalidInput(f"Generators of kind {kind} are not run here", hint=hint)


def _of_cluster(spec: ClusterGeneratorSpec) -> Fields:
    if spec.kind not in RUN:
        raise unspoken(spec.kind)
    meant = {"Fake": spec.generator.fake, "Password": spec.generator.password, "UUID": spec.generator.uuid}
    found = {**meant, "SSHKey": spec.generator.ssh_key}[spec.kind]
    if found is None:
        field = f"{'sshKey' if spec.kind == 'SSHKey' else spec.kind.lower()}Spec"
        raise InvalidInput("The ClusterGenerator cannot be run", why=f"its kind is {spec.kind}, but it has no {field}")
    return found
