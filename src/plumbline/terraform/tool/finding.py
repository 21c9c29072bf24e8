"""The tool itself: which one there is, and whether it is one that we know how to run."""

import re
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.base.process import Command, Confinement, run
from plumbline.base.process.surroundings import located

PREFERENCE: Final = ("terraform", "tofu")
_OLDEST: Final = {"terraform": (1, 5), "tofu": (1, 6)}
_REGISTRIES: Final = {"terraform": "registry.terraform.io", "tofu": "registry.opentofu.org"}
_ASKING_S: Final = 30.0
_NUMBERS: Final = re.compile(r"(\d{1,6})\.(\d{1,6})")
_MOST_KNOWN: Final = 64


class Tool(NamedTuple):
    name: str
    """terraform or tofu."""
    version: str
    path: Path
    platform: str
    """As registries spell it: linux_amd64."""
    fingerprint: str
    """Another program at the same path has another one."""

    @property
    def registry(self) -> str:
        """The host of providers that name none."""
        return _REGISTRIES.get(self.name, _REGISTRIES["terraform"])


class _Version(msgspec.Struct, frozen=True):
    terraform_version: str
    platform: str


_known: Final[dict[str, Tool | str]] = {}
"""By fingerprint: a tool, or why it is none."""


async def found(preference: tuple[str, ...] = PREFERENCE) -> Tool:
    """The first tool of *preference* that is on PATH and not too old. It is asked for its version once per file."""
    refusals: list[str] = []
    for name in preference:
        try:
            path = located(Command(argv=(name,)))
        except ToolMissing as error:
            refusals.append(f"{name}: {error.why}")
            continue
        fingerprint = _fingerprint(path)
        if fingerprint not in _known:
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[fingerprint] = await _asked(Path(name).name, path, fingerprint)
        answer = _known[fingerprint]
        if isinstance(answer, Tool):
            return answer
        refusals.append(answer)
    raise ToolMissing(
        "Neither Terraform nor OpenTofu can be run",
        why="; ".join(refusals),
        hint="Install Terraform 1.5 or newer, or OpenTofu 1.6 or newer, into a folder of PATH.",
    )


def _fingerprint(path: Path) -> str:
    seen = path.stat()
    return f"{path} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns}"


async def _asked(name: str, path: Path, fingerprint: str) -> Tool | str:
    asking = Command(
        argv=(str(path), "version", "-json"),
        environment={"HOME": "/nonexistent", "CHECKPOINT_DISABLE": "1"},
        deadline_s=_ASKING_S,
        confinement=Confinement(policy="best-effort"),
    )
    try:
        said = msgspec.json.decode((await run(asking)).stdout, type=_Version)
    except (PlumblineError, msgspec.MsgspecError) as error:
        return f"{path} does not say its version: {error}"
    numbers = _NUMBERS.match(said.terraform_version)
    if numbers is None:
        return f"{path} does not say its version"
    # A program may be called as one likes; what is neither by name is held to Terraform's bounds.
    oldest = _OLDEST.get(name, _OLDEST["terraform"])
    if (int(numbers[1]), int(numbers[2])) < oldest:
        return f"{path} is {said.terraform_version}, and {oldest[0]}.{oldest[1]} is the oldest that is known to work"
    return Tool(name, said.terraform_version, path, said.platform, fingerprint)
