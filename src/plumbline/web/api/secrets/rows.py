"""SealedSecrets and ExternalSecrets as rows: keys, how they are and where they come from. Pure; no value is looked at."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.composition.parts import below, condition
from plumbline.kernel.cache import Cached, Key
from plumbline.kinds.externalsecrets.externalsecret import EXTERNAL_SECRET
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.names import Ref
from plumbline.web.api.ours.marks import Marked, tracked

SEALED_WITH: Final = "plumbline.dev/sealed-with"
_NAMESPACE_WIDE: Final = "sealedsecrets.bitnami.com/namespace-wide"
_CLUSTER_WIDE: Final = "sealedsecrets.bitnami.com/cluster-wide"
_CHARS: Final = 500
_MOST_KEYS: Final = 200


class Row(Marked, frozen=True, kw_only=True):
    created: str = ""
    keys: tuple[str, ...] = ()
    state: str = "waiting"
    """well, wrong or waiting."""
    message: str = ""
    since: str = ""
    secret: str = ""
    """The Secret that comes of it."""
    scope: str = ""
    """Of what is sealed."""
    sealed_with: str = ""
    """Fingerprint of the sealing key, where that was noted."""
    store: str = ""
    """Where values come from."""
    refreshed_at: str = ""
    open_ended: bool = False
    """Whether it may bring further keys, whose names only the store knows."""
    deleting: str = ""


class SecretRow(msgspec.Struct, frozen=True, gc=False):
    """What is known of a Secret without a look inside."""

    uid: str


def secret(entry: Cached) -> SecretRow:
    return SecretRow(entry.meta.uid)


def sealed(entry: Cached) -> Row:
    obj = entry.object()
    spec, said = below(obj, "spec"), condition(obj, "Synced")
    items = spec.get("encryptedData")
    templated = below(spec, "template", "data")
    removed = {key for key, value in templated.items() if value is None}
    keys = [*items] if isinstance(items, dict) else []
    return Row(
        ref=Ref(SEALED_SECRET.group, SEALED_SECRET.kind, entry.meta.namespace, entry.meta.name),
        created=_text(below(obj, "metadata").get("creationTimestamp")),
        keys=_keys((*keys, *(key for key in templated if key not in removed))),
        state=_state(said),
        message=_text(said.get("message"))[:_CHARS],
        since=_text(said.get("lastTransitionTime")),
        secret=entry.meta.name,
        scope=scope_of(entry.meta.annotations),
        sealed_with=entry.meta.annotations.get(SEALED_WITH, ""),
        open_ended=bool(spec.get("data")),
        deleting=entry.meta.deletion_timestamp,
        marks=tracked(entry.meta),
    )


def external(entry: Cached) -> Row:
    obj = entry.object()
    spec, said = below(obj, "spec"), condition(obj, "Ready")
    listed = spec.get("data")
    named = [each.get("secretKey") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    template = below(spec, "target", "template", "data")
    store = below(spec, "secretStoreRef")
    return Row(
        ref=Ref(EXTERNAL_SECRET.group, EXTERNAL_SECRET.kind, entry.meta.namespace, entry.meta.name),
        created=_text(below(obj, "metadata").get("creationTimestamp")),
        keys=_keys(template or named),
        state=_state(said),
        message=_text(said.get("message"))[:_CHARS],
        since=_text(said.get("lastTransitionTime")),
        secret=_text(below(spec, "target").get("name")) or entry.meta.name,
        store=f"{_text(store.get('kind')) or 'SecretStore'}/{_text(store.get('name'))}" if store else "",
        refreshed_at=_text(below(obj, "status").get("refreshTime")),
        open_ended=bool(spec.get("dataFrom")),
        deleting=entry.meta.deletion_timestamp,
        marks=tracked(entry.meta),
    )


def scope_of(annotations: Mapping[str, str]) -> str:
    """As `secrets.sealing.scopes` has it, which loads cryptography."""
    if annotations.get(_CLUSTER_WIDE) == "true":
        return "cluster-wide"
    return "namespace-wide" if annotations.get(_NAMESPACE_WIDE) == "true" else "strict"


def said(each: Row, *, there: bool) -> str:
    """How it is, in one sentence."""
    place = f"Secret {each.secret}"
    if each.deleting:
        return f"It is being deleted, and {place} with it"
    if each.state == "wrong":
        return each.message or f"{place} cannot be made"
    if not there:
        return f"{place} is not there yet"
    if each.state == "waiting":
        return f"{place} is there, and nobody has looked at it yet"
    return f"{place} is as it should be"


def shaped(each: Row, *, there: bool) -> JsonObject:
    known: JsonObject = {
        "kind": each.ref.kind,
        "group": each.ref.group,
        "namespace": each.ref.namespace,
        "name": each.ref.name,
        "state": each.state if there or each.state == "wrong" else "waiting",
        "said": said(each, there=there),
        "message": each.message,
        "since": each.since,
        "createdAt": each.created,
        "secret": each.secret,
        "secretExists": there,
        "keys": list(each.keys),
        "moreKeys": each.open_ended,
        "scope": each.scope,
        "sealedWith": each.sealed_with,
        "store": each.store,
        "refreshedAt": each.refreshed_at,
    }
    return {name: value for name, value in known.items() if value != ""}


def file_of(name: str) -> str:
    """What the file of a SealedSecret is called, where nobody has named it."""
    return f"{name}.sealedsecret.yaml"


def command(each: Row) -> JsonObject:
    """What seals another value into its file; what a store brings is changed there."""
    if each.ref.kind != SEALED_SECRET.kind:
        return {}
    scope = f" --scope {each.scope}" if each.scope != "strict" else ""
    said = f"plumb secret set {file_of(each.ref.name)} KEY --name {each.ref.name} -n {each.ref.namespace}{scope}"
    return {"command": said}


def place(each: Row) -> Key:
    """Of the Secret."""
    return each.ref.namespace, each.secret


def _state(condition_: JsonObject) -> str:
    return {"True": "well", "False": "wrong"}.get(_text(condition_.get("status")), "waiting")


def _keys(names: object) -> tuple[str, ...]:
    listed = list(names) if isinstance(names, list | tuple | dict) else []
    return tuple(sorted({each for each in listed if isinstance(each, str) and each}))[:_MOST_KEYS]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
