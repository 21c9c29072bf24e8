"""What turns files into objects: Helm, Kustomize, directories, plugins, each behind the same two questions."""

from typing import NamedTuple, Protocol

from plumbline.render.requests import Found, Request


class Output(NamedTuple):
    found: tuple[Found, ...]
    warnings: tuple[str, ...] = ()


class Discovering(Protocol):
    """Finds what wants a source that says nothing of how it is rendered."""

    async def wanting(self, request: Request) -> str:
        """The name of the plugin that wants the prepared *request*; empty if none does."""


class Tool(Protocol):
    """Gets requests that are prepared: `place` is set and a folder, overrides are merged into `source`."""

    heavy: bool
    """It starts a process or takes a core: only a few such renders run at a time."""

    def inputs(self, request: Request) -> tuple[str, ...]:
        """Everything that can change the output, as short texts: digests of files, parameters, versions.

        Sound before cheap, and cheap before exact: for equal inputs the output is equal, and nothing is read where a digest
        will do. Parameters go in after substitution (`environment.Environment.substituted`), so that a variable which
        changes with every commit counts only where it is used.
        """

    async def render(self, request: Request) -> Output:
        """The objects, not yet checked: lists are taken apart and names asked for by whoever called."""
