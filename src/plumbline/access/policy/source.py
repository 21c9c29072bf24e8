"""The ConfigMap argocd-rbac-cm, read. Nothing is refused here: what cannot be used is said beside what can."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.access.policy.lines import Fault
from plumbline.access.policy.patterns import GLOB, REGEX
from plumbline.access.policy.places import Place
from plumbline.access.policy.subject import DEFAULT_SCOPES
from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.base.limits import REQUESTS

CONFIG_MAP: Final = "argocd-rbac-cm"
MAIN: Final = "policy.csv"
DEFAULT_ROLE: Final = "policy.default"
MATCH_MODE: Final = "policy.matchMode"
SCOPES: Final = "scopes"


class PolicySource(NamedTuple):
    parts: tuple[tuple[str, str], ...] = ()
    """Keys and their texts, in the order in which they count."""
    default_role: str = ""
    """What everybody has who may ask at all; nothing if empty."""
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    """Claims that hold groups."""
    match_mode: str = GLOB
    faults: tuple[Fault, ...] = ()


def policy_source(entries: Mapping[str, str]) -> PolicySource:
    """The policy in the data of argocd-rbac-cm; no ConfigMap at all is an empty one."""
    more = sorted(key for key in entries if key.startswith("policy.") and key.endswith(".csv") and key != MAIN)
    keys = [MAIN, *more] if MAIN in entries else more
    scopes: tuple[str, ...] = ()
    faults: list[Fault] = []
    try:
        scopes = _scopes(entries.get(SCOPES, ""))
    except InvalidInput as fault:
        faults.append(Fault(Place(SCOPES), "", fault.why or fault.what))
    return PolicySource(
        parts=tuple((key, entries[key]) for key in keys),
        default_role=entries.get(DEFAULT_ROLE, ""),
        scopes=scopes,
        match_mode=REGEX if entries.get(MATCH_MODE) == REGEX else GLOB,
        faults=tuple(faults),
    )


def _scopes(text: str) -> tuple[str, ...]:
    documents = load_documents(text, limits=REQUESTS, source=SCOPES)
    if not documents:
        return DEFAULT_SCOPES
    value = documents[0].value
    if len(documents) > 1 or not isinstance(value, list):
        raise InvalidInput("The scopes cannot be used", why="they are not a list, such as [groups, email]")
    return tuple(map(_scope, value))


def _scope(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    raise InvalidInput("The scopes cannot be used", why="one of them is not a name")
