"""The annotation `plumbline.dev/values-from`: which objects an Application takes values from, and where they go. Pure."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import SETTINGS

VALUES_FROM: Final = "plumbline.dev/values-from"
"""On an Application: where it takes values from. On an AppProject: where its Applications may take them from."""

HolderKind: TypeAlias = Literal["configmap", "secret", "terraform"]

_KINDS: Final = {"configmap": "ConfigMap", "secret": "Secret", "terraform": "Terraform"}
_FIELDS: Final = frozenset({"from", "as", "keys", "optional"})
_MOST: Final = 32
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?").fullmatch
_SEGMENT: Final = re.compile(r"[A-Za-z0-9_-]{1,253}").fullmatch
_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}").fullmatch
_ROOT: Final = "."
_WHAT: Final = f"The annotation {VALUES_FROM} cannot be used"
_HINT: Final = "Write KIND/NAME or KIND/NAMESPACE/NAME, where KIND is configmap, secret or terraform."


class Place(NamedTuple):
    """An object that holds values, or that knows which one does."""

    kind: HolderKind
    namespace: str
    name: str

    @property
    def path(self) -> str:
        """As people write it."""
        return "/".join(self)

    def __str__(self) -> str:
        return f"{_KINDS[self.kind]} {self.namespace}/{self.name}"


class Reference(NamedTuple):
    place: Place
    into: tuple[str, ...]
    """Where in the tree of values they go; empty for its root."""
    keys: tuple[tuple[str, str], ...] = ()
    """Which are taken, and what each is called then; all of them if none is named."""
    optional: bool = False
    """Whether to go on without them."""


@lru_cache(maxsize=1024)
def references(text: str, namespace: str) -> tuple[Reference, ...]:
    """What *text* asks for; *namespace* is meant where it names none. Raises InvalidInput."""
    listed = _listed(text)
    if len(listed) > _MOST:
        raise LimitExceeded(_WHAT, why=f"it names more than {_MOST} objects")
    found = tuple(_reference(each, namespace) for each in listed)
    if not found:
        raise InvalidInput(_WHAT, why="it names nothing", hint=_HINT)
    return found


def patterns(text: str) -> tuple[str, ...]:
    """What an AppProject permits: KIND/NAMESPACE/NAME each, with `*` for any of these or a part of one."""
    return tuple(filter(None, re.split(r"[\s,]+", text)))


def _listed(text: str) -> list[Json]:
    from plumbline.base.documents import load_document  # noqa: PLC0415 - loads YAML, for those who have the annotation

    value = load_document(text, limits=SETTINGS, source=VALUES_FROM).value if text.strip() else ""
    if isinstance(value, str):
        return list(patterns(value))
    return value if isinstance(value, list) else [value]


def _reference(said: Json, namespace: str) -> Reference:
    if isinstance(said, str):
        return _placed(_place(said, namespace))
    if not isinstance(said, dict) or not isinstance(said.get("from"), str):
        raise InvalidInput(_WHAT, why="an entry says no `from`", hint=_HINT)
    unknown = sorted(said.keys() - _FIELDS)
    if unknown:
        raise InvalidInput(
            _WHAT, why=f"{unknown[0]!r} means nothing in an entry", hint=f"Use {', '.join(sorted(_FIELDS))}."
        )
    if not isinstance(said.get("optional", False), bool):
        raise InvalidInput(_WHAT, why="`optional` is neither true nor false")
    return _placed(_place(said["from"], namespace), said)


def _placed(place: Place, said: JsonObject | None = None) -> Reference:
    fields = said or {}
    into = _path(fields["as"]) if "as" in fields else ("outputs", place.name)
    return Reference(place, into, _keys(fields.get("keys") or []), optional=bool(fields.get("optional")))


def _place(text: str, namespace: str) -> Place:
    parts = text.strip().split("/")
    kind = parts[0].lower()
    if kind not in get_args(HolderKind) or len(parts) not in {2, 3}:
        raise InvalidInput(_WHAT, why=f"{text[:253]!r} names no object", hint=_HINT)
    where = parts[1] if len(parts) == 3 else namespace  # noqa: PLR2004 - with a namespace in the middle
    if not where:
        raise InvalidInput(
            _WHAT, why=f"{text[:253]!r} is in no namespace", hint="Name one: the Application's destination has none."
        )
    if not _NAME(where) or not _NAME(parts[-1]):
        raise InvalidInput(_WHAT, why=f"no object can be called {text[:253]!r}")
    return Place(kind, where, parts[-1])  # type: ignore[arg-type]  # one of three texts


def _path(said: Json) -> tuple[str, ...]:
    if said == _ROOT:
        return ()
    parts = said.split(".") if isinstance(said, str) else [""]
    if not all(_SEGMENT(each) for each in parts):
        raise InvalidInput(
            _WHAT, why="`as` is no path", hint="Write names with dots between them, or a single dot for all values."
        )
    return tuple(parts)


def _keys(said: Json) -> tuple[tuple[str, str], ...]:
    if not isinstance(said, list) or not all(isinstance(each, str) for each in said):
        raise InvalidInput(_WHAT, why="`keys` is no list of texts", hint="Write `key` or `key:name` for each.")
    pairs = tuple(_pair(each) for each in said)
    _check_distinct(name for _, name in pairs)
    return pairs


def _pair(text: str) -> tuple[str, str]:
    key, colon, name = text.partition(":")
    name = name if colon else key
    if not _KEY(key) or not _KEY(name):
        raise InvalidInput(_WHAT, why=f"{text[:253]!r} names no key", hint="Write `key` or `key:name`.")
    return key, name


def _check_distinct(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidInput(_WHAT, why=f"two keys are called {name}")
        seen.add(name)
