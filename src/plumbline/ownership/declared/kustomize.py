"""What a kustomization is made of, as far as identity goes: its resources, their namespace and their names.

Patches and generators change what objects hold, not which they are; whoever needs more renders with Kustomize itself
and gives the folder with the result.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.base.documents import load_documents
from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import SETTINGS
from plumbline.ownership.declared.files import KUSTOMIZATIONS, File, Unread
from plumbline.ownership.declared.manifests import Manifest

_DEEPEST: Final = 16
_MOST: Final = 2_000
_KEEP_THEIR_NAMES: Final = frozenset({"CustomResourceDefinition", "APIService", "Namespace"})
_OUTSIDE: Final = ("http://", "https://", "git@", "ssh://", "git::")


class Built(NamedTuple):
    manifest: Manifest
    name: str
    namespace: str
    """Empty where the kustomization leaves it as it is."""


class Kustomizations:
    def __init__(self, files: Mapping[str, File], manifests: Mapping[str, Sequence[Manifest]]) -> None:
        """*files* and *manifests* by path."""
        self._files = files
        self._manifests = manifests
        self.unread: list[Unread] = []
        self._visits = 0

    def rooted_at(self, folder: str) -> bool:
        return self._settings(folder) is not None

    def built(self, folder: str) -> list[Built]:
        """The objects that a build of *folder* has, under the names that they will have."""
        return list(self._built(folder, 0))

    def _built(self, folder: str, depth: int) -> Iterator[Built]:
        self._visits += 1
        settings = self._settings(folder)
        if settings is None or depth > _DEEPEST or self._visits > _MOST:
            return
        path, spec = settings
        prefix, suffix, namespace = (_text(spec, field) for field in ("namePrefix", "nameSuffix", "namespace"))
        for entry in (each for field in ("resources", "bases", "components") for each in _texts(spec, field)):
            for built in self._entry(folder, path, entry, depth):
                whole = built.manifest.kind.kind in _KEEP_THEIR_NAMES
                name = built.name if whole else f"{prefix}{built.name}{suffix}"
                yield Built(built.manifest, name, namespace or built.namespace)

    def _entry(self, folder: str, path: str, entry: str, depth: int) -> Iterator[Built]:
        if entry.startswith(_OUTSIDE) or "?ref=" in entry:
            self.unread.append(Unread(path, f"{entry[:100]} is not in these files"))
            return
        target = posixpath.normpath(posixpath.join(folder, entry)).removeprefix("./")
        target = "" if target == "." else target
        if target in self._manifests:
            for manifest in self._manifests[target]:
                yield Built(manifest, manifest.ref.name, "")
        else:
            yield from self._built(target, depth + 1)

    def _settings(self, folder: str) -> tuple[str, JsonObject] | None:
        for name in KUSTOMIZATIONS:
            path = posixpath.join(folder, name)
            if path in self._files:
                return path, self._read(self._files[path])
        return None

    def _read(self, file: File) -> JsonObject:
        try:
            documents = load_documents(file.content, limits=SETTINGS, source=file.path, repeats="ignore")
        except (BadDocument, LimitExceeded) as fault:
            self.unread.append(Unread(file.path, fault.why, fault.line))
            return {}
        value = documents[0].value if documents else {}
        return value if isinstance(value, dict) else {}


def _text(spec: JsonObject, field: str) -> str:
    value: Json = spec.get(field)
    return value if isinstance(value, str) else ""


def _texts(spec: JsonObject, field: str) -> list[str]:
    value: Json = spec.get(field)
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
