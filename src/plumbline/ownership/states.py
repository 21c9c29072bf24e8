"""Terraform state as the `kubernetes` backend keeps it: Secrets, compressed, in one piece or several."""

import binascii
import re
import zlib
from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.json import JsonObject
from plumbline.base.limits import MIB
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.ownership.refs import terraform_ref
from plumbline.ownership.values import Owner

SELECTOR: Final = "tfstate=true"
LARGEST: Final = 256 * MIB
"""Of one state, inflated. Etcd holds no more than a mebibyte in a piece, but zeros compress a thousandfold."""
_PIECE: Final = re.compile(r"(?P<name>.+)-part-(?P<number>[1-9][0-9]{0,4})")
_GZIP: Final = 31


class StoredState(NamedTuple):
    secret: Ref
    workspace: str
    suffix: str
    content: bytes
    created: str


class Stored(NamedTuple):
    states: tuple[StoredState, ...]
    faults: tuple[tuple[Ref, str], ...]
    """Secrets that hold no state that can be read, and why."""


def stored_states(secrets: Iterable[JsonObject]) -> Stored:
    """The states in *secrets*, whose pieces are put together. Nothing of their content is kept in a message."""
    pieces: dict[tuple[str, str], dict[int, Object]] = {}
    for raw in secrets:
        secret = Object(raw)
        match = _PIECE.fullmatch(secret.name)
        name, number = (match["name"], int(match["number"])) if match else (secret.name, 0)
        pieces.setdefault((secret.namespace, name), {})[number] = secret
    states: list[StoredState] = []
    faults: list[tuple[Ref, str]] = []
    for _, group in sorted(pieces.items()):
        first = group[min(group)]
        try:
            states.append(_state(first, [group[number] for number in sorted(group)]))
        except (BadDocument, LimitExceeded) as fault:
            faults.append((first.ref, fault.why))
    return Stored(tuple(states), tuple(faults))


def terraform_owner(state: StoredState, objects: Mapping[tuple[str, str, str], Ref]) -> Owner:
    """The Terraform object whose state this is, by namespace, workspace and suffix; else the state names itself."""
    ref = objects.get((state.secret.namespace, state.workspace, state.suffix))
    if ref:
        return Owner.of("terraform", ref)
    at = "" if state.workspace == "default" else f"@{state.workspace}"
    return Owner("terraform", f"{state.secret.namespace}/{state.suffix}{at}")


def state_of_terraform(obj: JsonObject) -> tuple[tuple[str, str, str], Ref]:
    """Where a Terraform object keeps its state: namespace, workspace and suffix; and its name."""
    view = Object(obj)
    backend = view.spec.get("backendConfig")
    suffix = backend.get("secretSuffix") if isinstance(backend, dict) else None
    workspace = view.spec.get("workspace")
    where = (view.namespace, workspace if isinstance(workspace, str) and workspace else "default")
    return (*where, suffix if isinstance(suffix, str) and suffix else view.name), terraform_ref(
        view.namespace, view.name
    )


def _state(first: Object, pieces: list[Object]) -> StoredState:
    labels = first.labels
    content = inflated(b"".join(map(_piece, pieces)))
    workspace = labels.get("tfstateWorkspace", "default")
    suffix = labels.get("tfstateSecretSuffix", first.name)
    return StoredState(first.ref, workspace, suffix, content, first.creation_timestamp)


def _piece(secret: Object) -> bytes:
    entries = secret.raw.get("data")
    text = entries.get("tfstate") if isinstance(entries, dict) else None
    if not isinstance(text, str):
        raise BadDocument(f"{secret.ref} holds no state", why="it has no key tfstate")
    try:
        return b64decode(text, validate=True)
    except binascii.Error:
        raise BadDocument(f"{secret.ref} holds no state", why="its data are not base64") from None


def inflated(content: bytes) -> bytes:
    """What gzip made smaller, up to a limit. Raises BadDocument, LimitExceeded."""
    stream = zlib.decompressobj(_GZIP)
    try:
        text = stream.decompress(content, LARGEST + 1)
    except zlib.error:
        raise BadDocument("The state cannot be read", why="it is not compressed as states are") from None
    if len(text) > LARGEST:
        raise LimitExceeded("The state goes beyond what is read", why=f"it has more than {LARGEST:,} bytes")
    if not stream.eof:
        raise BadDocument("The state cannot be read", why="a piece of it is missing")
    return text
