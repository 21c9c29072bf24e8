"""Who uses a Secret: workloads of its namespace that name it. Best effort: what is read at run time names nothing."""

import asyncio
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.composition.parts import below
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_FRESH_S: Final = 15.0
_AT_ONCE: Final = 8
_MOST_KEPT: Final = 200
_MOST_USERS: Final = 50
_KINDS: Final = (
    ("Deployment", GroupVersionResource("apps", "v1", "deployments"), ("spec", "template", "spec")),
    ("StatefulSet", GroupVersionResource("apps", "v1", "statefulsets"), ("spec", "template", "spec")),
    ("DaemonSet", GroupVersionResource("apps", "v1", "daemonsets"), ("spec", "template", "spec")),
    ("CronJob", GroupVersionResource("batch", "v1", "cronjobs"), ("spec", "jobTemplate", "spec", "template", "spec")),
    ("Job", GroupVersionResource("batch", "v1", "jobs"), ("spec", "template", "spec")),
    ("Pod", GroupVersionResource("", "v1", "pods"), ("spec",)),
    ("Ingress", GroupVersionResource("networking.k8s.io", "v1", "ingresses"), ("spec",)),
)


class Use(NamedTuple):
    secret: str
    kind: str
    name: str
    how: str
    """env, envFrom, volume, pull or tls."""
    key: str = ""
    """The one that is used; empty for all of them."""


class Uses(NamedTuple):
    by_secret: dict[str, list[Use]]
    unseen: tuple[str, ...] = ()
    """Kinds that could not be listed."""

    def of(self, secret: str) -> list[JsonObject]:
        found = self.by_secret.get(secret, [])[:_MOST_USERS]
        return [{key: value for key, value in each._asdict().items() if key != "secret" and value} for each in found]


class Users:
    """Asked for one namespace at a time, and remembered for a moment: a list asks for many secrets of one namespace."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client, self._clock = client, clock
        self._known: dict[str, tuple[float, Uses]] = {}
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def within(self, namespace: str) -> Uses:
        now_s = self._clock.monotonic()
        known = self._known.get(namespace)
        if known is not None and now_s - known[0] < _FRESH_S:
            return known[1]
        async with task_group() as group:
            asked = {
                kind: group.create_task(self._listed(kind, resource, path, namespace))
                for kind, resource, path in _KINDS
            }
        answers = {kind: task.result() for kind, task in asked.items()}
        found: dict[str, list[Use]] = {}
        for uses in answers.values():
            for use in uses or ():
                found.setdefault(use.secret, []).append(use)
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        gathered = Uses(found, tuple(kind for kind, uses in answers.items() if uses is None))
        self._known[namespace] = now_s, gathered
        return gathered

    async def _listed(
        self, kind: str, resource: GroupVersionResource, path: tuple[str, ...], namespace: str
    ) -> list[Use] | None:
        try:
            async with self._turns:
                page = await self._client.list(Target(resource, namespace))
        except PlumblineError:
            return None
        found: list[Use] = []
        for item in page.items:
            obj: JsonObject = decode(bytes(item))
            metadata = below(obj, "metadata")
            if not metadata.get("ownerReferences"):  # whose child it is names the same
                found += uses_in(kind, str(metadata.get("name") or ""), below(obj, *path))
        return found


def uses_in(kind: str, name: str, spec: JsonObject) -> list[Use]:
    """Every Secret that the spec of a pod or an Ingress names, each use once."""
    return list(dict.fromkeys(_named(kind, name, spec)))


def _named(kind: str, name: str, spec: JsonObject) -> Iterator[Use]:
    for container in (*_list(spec.get("initContainers")), *_list(spec.get("containers"))):
        for each in _list(container.get("env")):
            ref = below(each, "valueFrom", "secretKeyRef")
            yield from _use(kind, name, "env", ref.get("name"), ref.get("key"))
        for each in _list(container.get("envFrom")):
            yield from _use(kind, name, "envFrom", below(each, "secretRef").get("name"))
    for volume in _list(spec.get("volumes")):
        yield from _use(kind, name, "volume", below(volume, "secret").get("secretName"))
        for source in _list(below(volume, "projected").get("sources")):
            yield from _use(kind, name, "volume", below(source, "secret").get("name"))
    for each in _list(spec.get("imagePullSecrets")):
        yield from _use(kind, name, "pull", each.get("name"))
    for each in _list(spec.get("tls")):
        yield from _use(kind, name, "tls", each.get("secretName"))


def _use(kind: str, name: str, how: str, secret: Json, key: Json = "") -> Iterator[Use]:
    if isinstance(secret, str) and secret:
        yield Use(secret, kind, name, how, key if isinstance(key, str) else "")


def _list(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
