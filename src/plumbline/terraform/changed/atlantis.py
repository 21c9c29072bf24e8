"""`atlantis.yaml`, as far as it says which folders are planned and when: people who come from there have written it all down."""

from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.limits import SETTINGS
from plumbline.base.tree import Tree, read_text
from plumbline.terraform.changed.patterns import Patterns
from plumbline.terraform.changed.trails import within

FILE: Final = "atlantis.yaml"
_VERSION: Final = 3
_IGNORED: Final = ("workflows", "automerge", "delete_source_branch_on_merge", "allowed_regexp_prefixes")


class Autoplan(msgspec.Struct, frozen=True):
    enabled: bool = True
    when_modified: tuple[str, ...] = ()


class Autodiscover(msgspec.Struct, frozen=True):
    mode: str = "auto"
    ignore_paths: tuple[str, ...] = ()


class Project(msgspec.Struct, frozen=True):
    dir: str
    name: str = ""
    workspace: str = "default"
    autoplan: Autoplan = Autoplan()
    execution_order_group: int = 0
    workflow: str = ""
    terraform_version: str = ""
    depends_on: tuple[str, ...] = ()

    @property
    def when_modified(self) -> Patterns:
        return Patterns(self.autoplan.when_modified, self.dir)


class Atlantis(msgspec.Struct, frozen=True):
    version: int = _VERSION
    projects: tuple[Project, ...] = ()
    autodiscover: Autodiscover = Autodiscover()


class Settings(NamedTuple):
    """What is used of the file, and what is said in it without effect here."""

    projects: tuple[Project, ...] = ()
    discovers: bool = True
    ignored: Patterns = Patterns(())
    notes: tuple[str, ...] = ()


def settings(tree: Tree) -> Settings:
    """From the file at the root of *tree*; where there is none, everything is discovered."""
    entry = tree.entry(FILE)
    if entry is None or entry.kind != "file":
        return Settings()
    from plumbline.base.documents import load_document  # noqa: PLC0415 - only where there is such a file

    value = load_document(read_text(tree, FILE, SETTINGS.size_bytes), limits=SETTINGS, source=FILE).value
    try:
        read = msgspec.convert(value, Atlantis, strict=False)
    except msgspec.ValidationError as odd:
        raise InvalidInput(f"{FILE} cannot be used", why=str(odd), hint="It is read as version 3.") from odd
    if read.version != _VERSION:
        raise InvalidInput(f"{FILE} cannot be used", why=f"its version is {read.version}, and 3 is what is read")
    mode = read.autodiscover.mode
    return Settings(
        tuple(_placed(project) for project in read.projects),
        mode == "enabled" or (mode == "auto" and not read.projects),
        Patterns(read.autodiscover.ignore_paths),
        tuple(_notes(read, value)),
    )


def _placed(project: Project) -> Project:
    folder = within("", project.dir)
    if folder is None:
        raise InvalidInput(f"{FILE} cannot be used", why=f"the folder {project.dir!r} is not in the repository")
    return msgspec.structs.replace(project, dir=folder)


def _notes(read: Atlantis, value: dict[str, object]) -> list[str]:
    notes = [f"{FILE}: {name} has no effect here" for name in _IGNORED if value.get(name)]
    notes += [
        f"{FILE}: {name} of {project.name or project.dir or '.'} has no effect here"
        for project in read.projects
        for name in ("workflow", "terraform_version", "depends_on")
        if getattr(project, name)
    ]
    return notes
