"""Which versions we build, and which are too old to be run."""

import re
from typing import Final, NamedTuple, TypeAlias

Version: TypeAlias = tuple[int, int, int]

_VERSION: Final = re.compile(r"(?:^|[^0-9.])v?(\d+)\.(\d+)\.(\d+)")
_IN_KUBECTL: Final = "Kustomize Version:"


class Pin(NamedTuple):
    name: str
    package: str
    version: str
    """What is built here, with the v."""
    variable: str
    """Where the version is written at build time."""
    oldest: Version
    why: str
    """What is wrong with older ones."""
    asking: tuple[str, ...]
    """Arguments that make it say its version."""
    rendering: tuple[str, ...]
    """Arguments that every render begins with."""

    @property
    def filename(self) -> str:
        """In the cache folder: another version is another file, so that a running one is never replaced."""
        return f"{self.name}-{self.version}"


HELM: Final = Pin(
    name="helm",
    package="helm.sh/helm/v3/cmd/helm",
    version="v3.22.0",
    variable="helm.sh/helm/v3/internal/version.version",
    oldest=(3, 18, 4),
    why="older ones have known security holes (CVE-2025-53547)",
    asking=("version", "--short"),
    rendering=("template",),
)

KUSTOMIZE: Final = Pin(
    name="kustomize",
    package="sigs.k8s.io/kustomize/kustomize/v5",
    version="v5.8.1",
    variable="sigs.k8s.io/kustomize/api/provenance.version",
    oldest=(5, 3, 0),
    why="older ones cannot be told the versions that charts see",
    asking=("version",),
    rendering=("build",),
)


def version_in(printed: str) -> Version | None:
    """The first version in what a program printed; that of the Kustomize within, where it is kubectl."""
    _, inner, after = printed.partition(_IN_KUBECTL)
    found = _VERSION.search(after if inner else printed)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def spelled(version: Version) -> str:
    return ".".join(map(str, version))
