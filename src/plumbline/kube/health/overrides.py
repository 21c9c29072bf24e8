"""Users' own health scripts, as Argo CD has them: keys of the ConfigMap `argocd-cm`.

`resource.customizations.health.<group>_<Kind>` holds Lua, `resource.customizations.useOpenLibs.<group>_<Kind>` says
whether it may use the whole standard library, and `resource.customizations` is the older form, one YAML document for
all. Kinds of the core group are written without group; `all` is every kind that has one. Groups and kinds may be
globs. This module reads keys and results; who runs Lua is elsewhere.
"""

import fnmatch
import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.kube.health.status import Health, Status
from plumbline.kube.names import GroupKind

_KEY: Final = "resource.customizations"
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES_MAX: Final = 64


class Script(msgspec.Struct, frozen=True):
    """Lua that decides, with `obj` as its one global, and returns a table of status and message."""

    source: str
    open_libs: bool = False


class Overrides(msgspec.Struct, frozen=True):
    exact: Mapping[str, Script]
    globs: tuple[tuple[re.Pattern[str], Script], ...]

    def __bool__(self) -> bool:
        return bool(self.exact)


NO_OVERRIDES: Final = Overrides({}, ())


def parse_overrides(settings: Mapping[str, str]) -> Overrides:
    """Read the ConfigMap's entries, passing over those that are not about health, or raise InvalidInput."""
    sources: dict[str, str] = {}
    open_libs: dict[str, bool] = {}
    for kind, entry in _together(settings.get(_KEY) or ""):
        sources[kind] = _lua(entry, kind)
        open_libs[kind] = entry.get("health.lua.useOpenLibs") is True
    for key, value in sorted(settings.items()):
        topic, dot, name = key.removeprefix(f"{_KEY}.").partition(".")
        if not key.startswith(f"{_KEY}.") or not dot or topic not in {"health", "useOpenLibs"}:
            continue
        kind = _kind_pattern(name, key)
        if topic == "health":
            sources[kind] = value
        else:
            open_libs[kind] = _flag(value, key)
    scripts = {kind: Script(source, open_libs.get(kind, False)) for kind, source in sources.items() if source}
    return Overrides(scripts, tuple(_globs(scripts)))


def override_for(kind: GroupKind, overrides: Overrides) -> Script | None:
    """The user's script for a kind: under its very name, else under the longest glob that fits it."""
    name = f"{kind.group}/{kind.kind}" if kind.group else kind.kind
    found = overrides.exact.get(name)
    return found or next((script for pattern, script in overrides.globs if pattern.match(name)), None)


def health_from_lua(result: Json) -> Health | None:
    """What a script's result means. Nothing, or a table without readable text, is no opinion."""
    if result is None or isinstance(result, list):
        return None
    if not isinstance(result, dict):
        said = f"expect table output from Lua script, not {_LUA_TYPES.get(type(result), 'number')}"
        return Health(Status.UNKNOWN, said, "override")
    if not result:
        return None
    fields = {name.lower(): value for name, value in result.items() if isinstance(name, str) and value is not None}
    status, message = fields.get("status", ""), fields.get("message", "")
    if not isinstance(status, str) or not isinstance(message, str):
        return None
    try:
        return Health(Status(status), message, "override")
    except ValueError:
        return Health(Status.UNKNOWN, "Lua returned an invalid health status", "override")


_LUA_TYPES: Final = {str: "string", bool: "boolean"}


def _together(document: str) -> Iterator[tuple[str, dict[str, Json]]]:
    """The entries of the older form, one YAML mapping from kind to what is customised."""
    if not document:
        return
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - only the older form needs YAML
    from plumbline.base.limits import SETTINGS  # noqa: PLC0415 - same

    for loaded in (found.value for found in load_documents(document, limits=SETTINGS, source=_KEY)):
        if not isinstance(loaded, dict) or not all(isinstance(entry, dict) for entry in loaded.values()):
            raise InvalidInput(f"{_KEY} cannot be read", why="expected a mapping from group/Kind to customizations")
        yield from loaded.items()


def _lua(entry: dict[str, Json], kind: str) -> str:
    source = entry.get("health.lua") or ""
    if not isinstance(source, str):
        raise InvalidInput(f"{_KEY} cannot be read", why=f"health.lua of {kind} is not text")
    return source


def _kind_pattern(name: str, key: str) -> str:
    group, underscore, kind = name.partition("_")
    if not name or "_" in kind:
        raise InvalidInput(
            f"{key} cannot be read",
            why="it names no kind",
            hint=f"Write {_KEY}.health.<group>_<Kind>, or without group for a core kind.",
        )
    if not underscore:
        return "*/*" if name == "all" else name
    return f"{group}/{kind}"


def _flag(value: str, key: str) -> bool:
    if value not in _TRUE | _FALSE:
        raise InvalidInput(f"{key} cannot be read", why=f"{value!r} is neither true nor false")
    return value in _TRUE


def _globs(scripts: Mapping[str, Script]) -> Iterator[tuple[re.Pattern[str], Script]]:
    """The keys that are globs, longest first, so that which of two applies is not left to chance."""
    for key in sorted(scripts, key=lambda key: (-len(key), key)):
        if any(sign in key for sign in "*?[{"):
            expressions = (fnmatch.translate(plain) for plain in _alternatives(key))
            yield re.compile("|".join(expressions)), scripts[key]


def _alternatives(glob: str) -> list[str]:
    """*glob* written out once for each choice between its braces."""
    found = _BRACES.search(glob)
    if not found:
        return [glob]
    before, after = glob[: found.start()], glob[found.end() :]
    plain = [each for choice in found[1].split(",") for each in _alternatives(f"{before}{choice}{after}")]
    if len(plain) > _ALTERNATIVES_MAX:
        raise InvalidInput(f"{glob} cannot be read", why=f"more than {_ALTERNATIVES_MAX} alternatives")
    return plain
