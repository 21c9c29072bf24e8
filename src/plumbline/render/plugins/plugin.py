"""What every plugin can be asked, wherever its commands run."""

from typing import Protocol

from plumbline.render.requests import Request


class Plugin(Protocol):
    """Gets requests that are prepared, as tools do."""

    name: str

    def identity(self) -> str:
        """Changes with everything that can change what it makes of the same files and variables."""

    async def discovers(self) -> bool:
        """Whether it says by itself which sources are for it. Others have to be named."""

    async def claims(self, request: Request) -> bool:
        """Whether the source is for it. Asked only where it discovers."""

    async def generated(self, request: Request) -> bytes:
        """The manifests, as YAML."""
