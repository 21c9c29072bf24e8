"""What a root module would run, over all the modules that it uses: for policies to judge before anything runs."""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from plumbline.base.errors import Forbidden
from plumbline.base.json import decode
from plumbline.terraform.tool.code import Seen, is_code, read
from plumbline.terraform.tool.finding import Tool
from plumbline.terraform.tool.lockfile import Chosen

_MOST_MODULES: Final = 1000
_BUILT_IN: Final = "terraform"
_PARTS: Final = 3


class Facts(msgspec.Struct, frozen=True):
    providers: tuple[str, ...] = ()
    """host/namespace/type of each, without what is built in."""
    external_data: tuple[str, ...] = ()
    """Where a data source runs a program: file, and line where that is known."""
    provisioners: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that could not be read here, and so may hold anything."""

    @property
    def has_external_data(self) -> bool:
        return bool(self.external_data or self.unread)

    @property
    def has_provisioners(self) -> bool:
        return bool(self.provisioners or self.unread)

    def with_chosen(self, chosen: Iterable[Chosen]) -> "Facts":
        """Together with what a lock file names."""
        providers = {*self.providers, *(each.address for each in chosen)}
        return msgspec.structs.replace(self, providers=tuple(sorted(providers)))


def refuse_unwanted(facts: Facts, permitted: Callable[[str], bool] | None) -> None:
    """Raise Forbidden for the first provider that may not be used."""
    for address in facts.providers:
        if permitted is not None and not permitted(address):
            raise Forbidden(
                f"The provider {address} may not be used",
                why="no policy permits it",
                hint="Have it added to the providers of the TerraformPolicy, or use another one.",
            )


def gathered(module: Path, source: Path, data: Path, tool: Tool) -> Facts:
    """Of the module in the folder *module*, and of all that it uses as far as they are on the disk."""
    pending = [module, *_fetched(module, data)]
    known: set[Path] = set()
    seen, providers = Seen(), set[str]()
    while pending:
        folder = Path(posixpath.normpath(pending.pop()))
        if folder in known or not folder.is_dir():
            continue
        known.add(folder)
        if len(known) > _MOST_MODULES:
            seen |= Seen(unread=(f"more than {_MOST_MODULES} modules",))
            break
        own = _of_folder(folder, source)
        providers.update(_addresses(own, tool))
        pending += [folder / each for each in own.modules if local(each)]
        seen |= own
    return Facts(
        tuple(sorted(providers)),
        tuple(sorted(set(seen.external))),
        tuple(sorted(set(seen.provisioners))),
        tuple(sorted(set(seen.unread))),
    )


def local(source: str) -> bool:
    return source.startswith(("./", "../"))


def _of_folder(folder: Path, source: Path) -> Seen:
    seen = Seen()
    for file in sorted(folder.iterdir()):
        if is_code(file.name) and file.is_file():
            seen |= read(posixpath.relpath(file, source), file.read_bytes())
    return seen


def _fetched(module: Path, data: Path) -> Iterator[Path]:
    """Folders of modules that init has fetched."""
    try:
        listed: Any = decode((data / "modules" / "modules.json").read_bytes())
    except (OSError, msgspec.MsgspecError):
        return
    for each in listed.get("Modules") or () if isinstance(listed, dict) else ():
        if isinstance(each, dict) and isinstance(each.get("Dir"), str):
            yield module / each["Dir"]


def _addresses(seen: Seen, tool: Tool) -> Iterator[str]:
    for name in {*seen.used, *seen.required}:
        source = seen.required.get(name, "")
        if source or name != _BUILT_IN:
            address = _address(source or name, tool)
            if not address.startswith("terraform.io/builtin/"):
                yield address


def _address(source: str, tool: Tool) -> str:
    parts = source.lower().split("/")
    defaults = [tool.registry, "hashicorp"]
    return "/".join([*defaults[: max(_PARTS - len(parts), 0)], *parts])
