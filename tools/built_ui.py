"""A wheel or source archive without the web interface is refused: who installs it has no Node to build one."""  # noqa: INP001 - a script

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = ("index.html", "manifest.json")


class BuiltUserInterface(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's parameter is its own configuration
    """Editable installs go through: there the pages say how to build them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the names are hatchling's
        static = Path(self.root) / "src" / "plumbline" / "web" / "static"
        missing = [name for name in NEEDED if not (static / name).is_file()]
        if version != "editable" and missing:
            raise RuntimeError(f"The web interface is not built ({', '.join(missing)}): run `make ui` first")
