"""What a command line says about servers, before anybody has looked at files or the environment."""

from pathlib import Path
from typing import NamedTuple


class Asked(NamedTuple):
    core: bool = False
    """The Kubernetes API, whatever anybody is logged in to."""
    server: str = ""
    token: str = ""
    context: str = ""
    config: str = ""
    insecure: bool = False
    plaintext: bool = False
    root_path: str = ""
    authorities: Path | None = None
    headers: tuple[str, ...] = ()
