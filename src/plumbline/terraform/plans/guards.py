"""Resources that the configuration keeps from being destroyed.

A plan does not say which: Terraform looks at `prevent_destroy` in the configuration that it is given, and where the block
is gone, so is the guard. So the guards of what was applied last are compared with those of now.
"""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.ownership.declared.tfjson import read_hcl_json
from plumbline.ownership.hcl import Block, Body, read_hcl
from plumbline.ownership.hcl.scope import Scope

_HCL: Final = (".tf", ".tofu")
_JSON: Final = (".tf.json", ".tofu.json")
_LABELS: Final = 2
_DEEPEST: Final = 16
_MOST: Final = 5_000


def guarded(files: Mapping[str, bytes], root: str = "") -> frozenset[str]:
    """Addresses of blocks with `prevent_destroy = true` in the root module and in the local modules below it.

    *files* are by path from the root of the source, with slashes. An address has no keys of instances, as in
    `module.db.aws_db_instance.main`. Modules that come from elsewhere are not looked into, and a guard that is not
    written as `true` is none. Raises BadDocument, LimitExceeded.
    """
    folders: dict[str, list[str]] = {}
    for path in sorted(files, key=_overrides_last):
        if path.endswith((*_HCL, *_JSON)):
            folders.setdefault(posixpath.dirname(path), []).append(path)
    return frozenset(_Guards(files, folders).within(root.strip("/").removeprefix("./"), "", 0))


class _Guards:
    def __init__(self, files: Mapping[str, bytes], folders: Mapping[str, list[str]]) -> None:
        self._files = files
        self._folders = folders
        self._read: dict[str, list[Body]] = {}
        self._uses = 0

    def within(self, folder: str, prefix: str, depth: int) -> Iterator[str]:
        self._uses += 1
        if depth > _DEEPEST or self._uses > _MOST:
            raise LimitExceeded(
                f"The modules of {folder or 'the root folder'} go beyond what is read",
                why=f"they are used more than {_MOST:,} times, or more than {_DEEPEST} levels deep",
            )
        bodies = self._bodies("" if folder == "." else folder)
        guards: dict[str, bool] = {}
        for block in (block for body in bodies for block in body.of_type("resource")):
            said = _prevents(block)
            if len(block.labels) == _LABELS and said is not None:
                guards[f"{prefix}{block.labels[0]}.{block.labels[1]}"] = said
        yield from (address for address, guard in guards.items() if guard)
        for call in (block for body in bodies for block in body.of_type("module")):
            source = _source(call)
            if call.labels and source:
                inner = posixpath.normpath(posixpath.join(folder, source))
                yield from self.within(inner, f"{prefix}module.{call.labels[0]}.", depth + 1)

    def _bodies(self, folder: str) -> list[Body]:
        if folder not in self._read:
            self._read[folder] = [self._body(path) for path in self._folders.get(folder, ())]
        return self._read[folder]

    def _body(self, path: str) -> Body:
        content = self._files[path]
        if path.endswith(_JSON):
            return read_hcl_json(content, path)
        try:
            return read_hcl(content.decode(), path)
        except UnicodeDecodeError:
            raise BadDocument(f"{path} cannot be read", why="it is not UTF-8") from None


def _prevents(block: Block) -> bool | None:
    """What a block says about it; None where it says nothing."""
    said = Scope().attribute(block, "lifecycle")
    found = [each["prevent_destroy"] for each in _listed(said) if isinstance(each, dict) and "prevent_destroy" in each]
    return found[-1] is True or found[-1] == "true" if found else None


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _source(call: Block) -> str:
    """The folder of a local module; empty for those that come from elsewhere."""
    source = Scope().attribute(call, "source")
    return source if isinstance(source, str) and source.startswith(("./", "../")) else ""


def _overrides_last(path: str) -> tuple[bool, str]:
    """As Terraform reads them: what an override says wins."""
    stem = posixpath.basename(path).partition(".")[0]
    return stem == "override" or stem.endswith("_override"), path
