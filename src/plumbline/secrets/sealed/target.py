"""The Secret that a SealedSecret asks for, beside the one that is there. Pure."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import AlreadyExists, InvalidInput, Refused
from plumbline.base.json import Json, JsonObject
from plumbline.kube.object import Object
from plumbline.secrets.sealing import Unsealed
from plumbline.secrets.sealing.opening import SKIP_OWNER

MANAGED: Final = "sealedsecrets.bitnami.com/managed"
PATCHED: Final = "sealedsecrets.bitnami.com/patch"
_OPAQUE: Final = "Opaque"
_TOKEN_TYPES: Final = {
    "kubernetes.io/service-account-token": "the cluster would put a service account's token into it",
    "bootstrap.kubernetes.io/token": "machines could join the cluster with it",
}


def made(unsealed: Unsealed) -> JsonObject:
    """The Secret, where there is none. Raises InvalidInput for what nobody may ask for in this way."""
    body = unsealed.secret()
    kind = body.setdefault("type", _OPAQUE)
    if kind in _TOKEN_TYPES:
        what = f"a SealedSecret may not ask for a Secret of type {kind}"
        raise InvalidInput(what, why=_TOKEN_TYPES[kind], hint="Make that Secret by hand, or give it another type.")
    return body


def changed(sealed: JsonObject, wanted: JsonObject, live: JsonObject, *, anew: bool) -> JsonObject | None:
    """*live* as it has to be written; None where it is as it should be.

    *anew* where the SealedSecret is not the one that *live* was made from: then labels and annotations are replaced as well,
    and what others have added to them since is gone. Otherwise what others add to them stays, and only what was asked for
    comes back. Raises AlreadyExists for a Secret that is none of ours, and Refused for one that cannot be changed.
    """
    if _is_unowned(wanted) and _replaced(wanted, live, anew=False) == live:
        return None
    annotations = Object(live).annotations
    managed, patched = annotations.get(MANAGED) == "true", annotations.get(PATCHED) == "true"
    if not (is_owned(sealed, live) or managed or patched):
        name = Object(live).name
        what = f'failed update: Resource "{name}" already exists and is not managed by SealedSecret'
        raise AlreadyExists(
            what, hint=f"Delete the Secret, or annotate it with {MANAGED}=true and it is taken over as it is asked for."
        )
    after = _merged(wanted, live, owned=managed) if patched else _replaced(wanted, live, anew=anew)
    if after == live:
        return None
    _check_mutable(after, live)
    return after


def kept(wanted: JsonObject, live: JsonObject, changing: frozenset[str]) -> JsonObject:
    """*wanted* with what *live* has under the keys that would be something else whenever they are made."""
    there = live.get("data") or {}
    return {**wanted, "data": {**wanted["data"], **{key: there[key] for key in changing if key in there}}}


def is_owned(sealed: JsonObject, live: JsonObject) -> bool:
    controller = Object(live).controller
    return controller is not None and controller.uid == Object(sealed).uid


def _is_unowned(wanted: JsonObject) -> bool:
    """What was made without an owner is not known again by one: only by being as it was asked for."""
    return _texts(wanted["metadata"].get("annotations")).get(SKIP_OWNER) == "true"


def _replaced(wanted: JsonObject, live: JsonObject, *, anew: bool) -> JsonObject:
    before, asked = live["metadata"], wanted["metadata"]
    metadata = {**before}
    for field in ("labels", "annotations"):
        kept = {} if anew else _texts(before.get(field))
        metadata[field] = {**kept, **_texts(asked.get(field))}
    metadata["ownerReferences"] = asked.get("ownerReferences")
    after = {**live, "metadata": _filled(metadata), "type": wanted["type"], "data": wanted["data"]}
    if "immutable" in wanted:
        after["immutable"] = wanted["immutable"]
    return _like(live, after)


def _merged(wanted: JsonObject, live: JsonObject, *, owned: bool) -> JsonObject:
    """What others have put into it stays."""
    asked = wanted["metadata"]
    metadata = {**live["metadata"]}
    for field in ("labels", "annotations"):
        metadata[field] = {**_texts(metadata.get(field)), **_texts(asked.get(field))}
    if owned:
        metadata["ownerReferences"] = asked.get("ownerReferences")
    data = {**(live.get("data") or {}), **wanted["data"]}
    return _like(live, {**live, "metadata": _filled(metadata), "type": wanted["type"], "data": data})


def _like(live: JsonObject, after: JsonObject) -> JsonObject:
    """Nothing said and an empty map are the same."""
    if not after["data"] and not live.get("data"):
        after = {name: value for name, value in after.items() if name != "data" or "data" in live}
    return after


def _filled(metadata: JsonObject) -> JsonObject:
    return {name: value for name, value in metadata.items() if value not in (None, {}, [])}


def _check_mutable(after: JsonObject, live: JsonObject) -> None:
    name = Object(live).name
    if live.get("immutable") is True and (after.get("data") != live.get("data") or after.get("immutable") is not True):
        raise Refused(
            f"the Secret {name} is immutable",
            why="its contents cannot be changed, nor can it be made mutable",
            hint=f"Delete the Secret {name}: it is made again at once from the SealedSecret.",
        )
    if after["type"] != (live.get("type") or _OPAQUE):
        raise Refused(
            f"the Secret {name} is of type {live.get('type') or _OPAQUE}, not {after['type']}",
            why="the type of a Secret cannot be changed",
            hint=f"Delete the Secret {name}: it is made again at once from the SealedSecret.",
        )


def _texts(value: Json) -> Mapping[str, str]:
    return value if isinstance(value, dict) else {}
