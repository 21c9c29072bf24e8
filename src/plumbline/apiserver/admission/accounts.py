"""Every pod runs as some ServiceAccount of its namespace, and has that account's token unless somebody objects."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.plugin import PODS, creates, forbidden, object_of, updates
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

ACCOUNTS: Final = Collection("", "serviceaccounts")
MIRROR: Final = "kubernetes.io/config.mirror"
DEFAULT: Final = "default"
_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_VOLUME: Final = "kube-api-access-"
_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_S: Final = 3607

# A namespace gets its default account a moment after it was created, and whoever made it may be quicker.
_TURNS: Final = 20
_WAITS: Final = 10
_WAIT_S: Final = 0.1


class ServiceAccounts:
    name = "ServiceAccount"
    concerns = frozenset({PODS})

    def __init__(self, lookups: Lookups, clock: Clock, ids: Ids) -> None:
        self._lookups = lookups
        self._clock = clock
        self._ids = ids

    async def mutated(self, attributes: Attributes) -> JsonObject:
        pod = object_of(attributes)
        if not creates(attributes) or _mirrors(pod):
            return pod
        spec = mapping(pod.get("spec"))
        name = text(spec.get("serviceAccountName")) or DEFAULT
        account = await self._account(attributes, name)
        spec = {**spec, "serviceAccountName": name, "serviceAccount": name}
        if _automounts(account, spec):
            spec = self._with_token(spec)
        secrets = [{"name": text(each.get("name"))} for each in mappings(account.get("imagePullSecrets"))]
        if not spec.get("imagePullSecrets") and secrets:
            spec = {**spec, "imagePullSecrets": secrets}
        return {**pod, "spec": spec}

    async def check(self, attributes: Attributes) -> None:
        pod = object_of(attributes)
        spec = mapping(pod.get("spec"))
        ephemeral = updates(attributes, "ephemeralcontainers")
        if not creates(attributes) and not ephemeral:
            return
        if not ephemeral and _mirrors(pod):
            _check_mirror(attributes, spec)
            return
        name = text(spec.get("serviceAccountName"))
        if not name:
            pod_name = f"{attributes.scope.namespace}/{text(metadata_of(pod).get('name'))}"
            raise forbidden(attributes, f"no service account specified for pod {pod_name}")
        account = await self._account(attributes, name)
        if text(mapping(metadata_of(account).get("annotations")).get(_MOUNTABLE)) in _TRUE:
            _check_secrets(attributes, spec, account, ephemeral=ephemeral)

    async def _account(self, attributes: Attributes, name: str) -> JsonObject:
        namespace = attributes.scope.namespace
        for attempt in range(_TURNS + _WAITS if name == DEFAULT else 1):
            account = self._lookups.get(ACCOUNTS, namespace, name)
            if account is not None:
                return account
            if name == DEFAULT:
                await self._clock.sleep(0 if attempt < _TURNS else _WAIT_S)
        missing = f"serviceaccount {quoted(name)} not found"
        raise forbidden(attributes, f"error looking up service account {namespace}/{name}: {missing}")

    def _with_token(self, spec: JsonObject) -> JsonObject:
        volumes = mappings(spec.get("volumes"))
        names = (text(volume.get("name")) for volume in volumes)
        there = next((name for name in names if name.startswith(_VOLUME)), "")
        name = there or f"{_VOLUME}{self._ids.suffix()}"
        mounted = False
        for field in ("initContainers", "containers"):
            containers = mappings(spec.get(field))
            changed = [_mounting(container, name) for container in containers]
            if changed != containers:
                spec, mounted = {**spec, field: changed}, True
        return {**spec, "volumes": [*volumes, _token_volume(name)]} if mounted and not there else spec


def _mirrors(pod: JsonObject) -> bool:
    return MIRROR in mapping(metadata_of(pod).get("annotations"))


def _automounts(account: JsonObject, spec: JsonObject) -> bool:
    for wish in (spec.get("automountServiceAccountToken"), account.get("automountServiceAccountToken")):
        if wish is not None:
            return bool(wish)
    return True


def _mounting(container: JsonObject, volume: str) -> JsonObject:
    mounts = mappings(container.get("volumeMounts"))
    if any(mount.get("mountPath") == _MOUNT_PATH for mount in mounts):
        return container
    added = {"name": volume, "readOnly": True, "mountPath": _MOUNT_PATH}
    return {**container, "volumeMounts": [*mounts, added]}


def _token_volume(name: str) -> JsonObject:
    namespace = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_S, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": namespace}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 0o644}}


def _check_mirror(attributes: Attributes, spec: JsonObject) -> None:
    """A mirror shows a pod that its node runs by itself: that has no account."""
    if spec.get("serviceAccountName"):
        raise forbidden(attributes, "a mirror pod may not reference service accounts")
    volumes = mappings(spec.get("volumes"))
    named = [*_secrets_of(spec), *(each for each in volumes if "secret" in each), *(spec.get("imagePullSecrets") or ())]
    if named:
        raise forbidden(attributes, "a mirror pod may not reference secrets")
    sources = (source for each in volumes for source in mappings(mapping(each.get("projected")).get("sources")))
    if any("serviceAccountToken" in source for source in sources):
        raise forbidden(attributes, "a mirror pod may not use ServiceAccountToken volume projections")


def _secrets_of(spec: JsonObject, *fields: str) -> Iterator[tuple[str, str]]:
    """Secrets that containers take variables from, and how the server describes such a place."""
    for field in fields or _CALLED:
        for container in mappings(spec.get(field)):
            place = f"{_CALLED[field]} {text(container.get('name'))}"
            for variable in mappings(container.get("env")):
                reference = mapping(variable.get("valueFrom")).get("secretKeyRef")
                if isinstance(reference, dict):
                    where = f"{place} with envVar {text(variable.get('name'))} referencing"
                    yield where, text(reference.get("name"))
            for source in mappings(container.get("envFrom")):
                if isinstance(source.get("secretRef"), dict):
                    yield f"{place} with envFrom referencing", text(source["secretRef"].get("name"))


_CALLED: Final = {
    "initContainers": "init container",
    "containers": "container",
    "ephemeralContainers": "ephemeral container",
}


def _check_secrets(attributes: Attributes, spec: JsonObject, account: JsonObject, *, ephemeral: bool) -> None:
    """An account may say that its pods use no secrets but those that it names."""
    allowed = {text(each.get("name")) for each in mappings(account.get("secrets"))}
    name = text(metadata_of(account).get("name"))
    refused = f"is not allowed because service account {name} does not reference that"
    if not ephemeral:
        for volume in mappings(spec.get("volumes")):
            secret = volume.get("secret")
            if isinstance(secret, dict) and text(secret.get("secretName")) not in allowed:
                named = f'secret.secretName="{text(secret.get("secretName"))}"'
                raise forbidden(attributes, f"volume with {named} {refused} secret")
    fields = ("ephemeralContainers",) if ephemeral else ("initContainers", "containers")
    for place, secret_name in _secrets_of(spec, *fields):
        if secret_name not in allowed:
            raise forbidden(attributes, f'{place} secret.secretName="{secret_name}" {refused} secret')
    if not ephemeral:
        _check_pull_secrets(attributes, spec, account, refused)


def _check_pull_secrets(attributes: Attributes, spec: JsonObject, account: JsonObject, refused: str) -> None:
    allowed = {text(each.get("name")) for each in mappings(account.get("imagePullSecrets"))}
    for index, secret in enumerate(mappings(spec.get("imagePullSecrets"))):
        name = text(secret.get("name"))
        if name not in allowed:
            raise forbidden(attributes, f'imagePullSecrets[{index}].name="{name}" {refused} imagePullSecret')
