"""Secrets of a namespace, of this cluster or another, as somebody who may read them there: never as this program itself."""

import base64
from collections.abc import Mapping
from contextlib import AsyncExitStack

from plumbline.base.errors import Forbidden, GarbledReply, InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject, decode, encode, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import KubernetesProvider
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.selectors import LabelSelector
from plumbline.secrets.stores.kubernetesdoor import client_for
from plumbline.secrets.stores.kubernetespush import KubernetesSink
from plumbline.secrets.stores.names import fitting, unspoken_search
from plumbline.secrets.stores.properties import property_of
from plumbline.secrets.stores.store import Cluster, Remote, Search

_SECRETS = GroupVersionResource("", "v1", "secrets")
_AUTHORIZATION = "authorization.k8s.io"


async def opened(spec: KubernetesProvider, cluster: Cluster) -> "KubernetesStore":
    """Raises what is wrong with *spec*, or with what it refers to in *cluster*; the server is not asked yet."""
    stack = AsyncExitStack()
    try:
        client = await stack.enter_async_context(await client_for(spec, cluster))
    except BaseException:
        await stack.aclose()
        raise
    return KubernetesStore(client, spec.remote_namespace, stack)


class KubernetesStore:
    """A Secret is a secret, an entry of it a property. *stack* is closed with the store."""

    def __init__(self, client: Client, namespace: str, stack: AsyncExitStack) -> None:
        self._client = client
        self._namespace = namespace
        self._stack = stack

    async def value(self, remote: Remote) -> Plaintext:
        secret = await self._secret(remote.key)
        if remote.metadata:
            found = _noted(secret, remote.property)
        else:
            entries = _entries(secret)
            found = _part(entries, remote.property) if remote.property else Plaintext(_whole(entries))
        if found is None:
            place = "metadata" if remote.metadata else "data"
            raise NotFound(f"Secret {self._namespace}/{remote.key} has no property {remote.property} in its {place}")
        return found

    async def entries(self, remote: Remote) -> Mapping[str, Plaintext]:
        """With a property, the members of the JSON object there, each as JSON: strings in their quotes, as upstream has them."""
        secret = await self._secret(remote.key)
        if remote.metadata:
            parts = {part: encode_sorted(_metadata(secret, part)) for part in ("labels", "annotations")}
            held = {part: Plaintext(text) for part, text in parts.items()}
        else:
            held = {name: Plaintext(value) for name, value in _entries(secret).items()}
        if not remote.property:
            return held
        if remote.property not in held:
            raise NotFound(f"Secret {self._namespace}/{remote.key} has no property {remote.property}")
        return _members(held[remote.property])

    async def search(self, search: Search) -> Mapping[str, Plaintext]:
        """Tags are labels. There are no paths, so that one is not looked at."""
        if not search.name and not search.tags:
            raise unspoken_search()
        fits = fitting(search)
        selection = Selection(labels=str(LabelSelector.from_object({"matchLabels": dict(search.tags)})))
        found: dict[str, Plaintext] = {}
        async for page in self._client.pages(Target(_SECRETS, self._namespace), selection):
            for item in page.items:
                secret = decode(item)
                name = str(secret["metadata"]["name"])
                if fits(name):
                    found[name] = Plaintext(_whole(_entries(secret)))
        return found

    async def check(self) -> bool:
        """Some servers do not list what one may do; they are asked for the one thing that matters."""
        rules = (await self._review("SelfSubjectRulesReview", {"namespace": self._namespace})).get("resourceRules")
        if any(_reads_secrets(rule) for rule in rules or ()):
            return True
        wish = {"resource": "secrets", "namespace": self._namespace, "verb": "get"}
        if (await self._review("SelfSubjectAccessReview", {"resourceAttributes": wish})).get("allowed") is True:
            return True
        raise Forbidden("The store cannot be used", why=f"client is not allowed to get secrets in {self._namespace}")

    async def close(self) -> None:
        await self._stack.aclose()

    def sink(self) -> KubernetesSink:
        return KubernetesSink(self._client, self._namespace)

    async def _secret(self, name: str) -> JsonObject:
        if not name:
            raise InvalidInput("A secret cannot be read", why="Its key is empty")
        try:
            return decode(await self._client.get(Target(_SECRETS, self._namespace, name)))
        except NotFound:
            raise NotFound(f"There is no Secret {name} in namespace {self._namespace}") from None

    async def _review(self, kind: str, spec: JsonObject) -> JsonObject:
        target = Target(GroupVersionResource(_AUTHORIZATION, "v1", f"{kind.lower()}s"))
        body = encode({"apiVersion": f"{_AUTHORIZATION}/v1", "kind": kind, "spec": spec})
        return decode(await self._client.create(target, body)).get("status") or {}


def _reads_secrets(rule: JsonObject) -> bool:
    return (
        _holds(rule, "resources", "secrets")
        and _holds(rule, "verbs", "get")
        and (not rule.get("apiGroups") or _holds(rule, "apiGroups", ""))
    )


def _holds(rule: JsonObject, field: str, word: str) -> bool:
    said = rule.get(field) or ()
    return word in said or "*" in said


def _entries(secret: JsonObject) -> dict[str, bytes]:
    try:
        return {name: base64.b64decode(value, validate=True) for name, value in (secret.get("data") or {}).items()}
    except (ValueError, TypeError):
        raise GarbledReply("A Secret cannot be read", why="An entry of it is not base64") from None


def _whole(entries: Mapping[str, bytes]) -> bytes:
    """As a JSON object of text. What is not text loses something, as it does upstream: take such entries one by one."""
    return encode_sorted({name: value.decode(errors="replace") for name, value in entries.items()})


def _part(entries: Mapping[str, bytes], path: str) -> Plaintext | None:
    """An entry of that name, else something in the entry whose name is before the first dot."""
    if path in entries:
        return Plaintext(entries[path])
    name, _, rest = path.partition(".")
    return property_of(Plaintext(entries[name]), rest) if name and rest and name in entries else None


def _metadata(secret: JsonObject, part: str) -> Json:
    return (secret.get("metadata") or {}).get(part)


def _noted(secret: JsonObject, path: str) -> Plaintext | None:
    """Labels and annotations: both, one of the two, one entry of it, or something in an entry that is JSON."""
    if not path:
        return Plaintext(encode_sorted({part: _metadata(secret, part) for part in ("annotations", "labels")}))
    part, _, name = path.partition(".")
    if part not in ("annotations", "labels"):
        return None
    held = _metadata(secret, part)
    if not name:
        return Plaintext(encode_sorted(held))
    if name in (held or {}):
        return Plaintext(str(held[name]))
    name, _, rest = name.partition(".")
    return property_of(Plaintext(str(held[name])), rest) if rest and name in (held or {}) else None


def _members(document: Plaintext) -> dict[str, Plaintext]:
    try:
        members = decode(document.reveal(), type=dict[str, Json])
    except (ValueError, RecursionError):
        raise InvalidInput("The property cannot be taken apart", why="It is not a JSON object") from None
    return {name: Plaintext(encode_sorted(value)) for name, value in members.items()}
