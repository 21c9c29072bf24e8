"""Files by what they are for, told from their names."""

import posixpath
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

POLICY: Final = ".plumbline/boundaries.yaml"
_CHART: Final = "Chart.yaml"
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_HCL: Final = (".tf", ".tofu")
_HCL_JSON: Final = (".tf.json", ".tofu.json")
_MANIFESTS: Final = (".yaml", ".yml", ".json")
_NO_MANIFESTS: Final = frozenset({*KUSTOMIZATIONS, _CHART, "Chart.lock", "values.yaml", "values.schema.json"})

Purpose: TypeAlias = Literal["hcl", "hcl-json", "values", "values-json", "state", "policy", "manifests", "nothing"]


class File(NamedTuple):
    """One file: its path from the root of the checkout, with slashes, and what is in it."""

    path: str
    content: bytes

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)

    @property
    def name(self) -> str:
        return posixpath.basename(self.path)


class Unread(NamedTuple):
    """A file, or a part of what it means, that could not be taken into account."""

    path: str
    why: str
    line: int = 0
    blocking: bool = False
    """Whether nothing can be vouched for before it is read: it is Terraform's, and broken."""


def purpose(path: str) -> Purpose:
    name = posixpath.basename(path)
    if path == POLICY or path.endswith(f"/{POLICY}"):
        return "policy"
    if name.endswith(_HCL_JSON):
        return "hcl-json"
    if name.endswith(_HCL):
        return "hcl"
    if name == "terraform.tfvars" or name.endswith(".auto.tfvars"):
        return "values"
    if name == "terraform.tfvars.json" or name.endswith(".auto.tfvars.json"):
        return "values-json"
    if name.endswith(".tfstate"):
        return "state"
    return "manifests" if name.endswith(_MANIFESTS) and name not in _NO_MANIFESTS else "nothing"


def relevant(path: str) -> bool:
    """Whether a file of that name can say anything here; others need not be read."""
    return purpose(path) != "nothing" or posixpath.basename(path) in {*KUSTOMIZATIONS, _CHART}


def charts(paths: Iterable[str]) -> frozenset[str]:
    """Folders that are Helm charts."""
    return frozenset(posixpath.dirname(path) for path in paths if posixpath.basename(path) == _CHART)


def within(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def parts_of_charts(path: str, chart_folders: frozenset[str]) -> bool:
    """Whether *path* belongs to a chart: templates are not manifests before Helm has rendered them."""
    folder = posixpath.dirname(path)
    while True:
        if folder in chart_folders:
            return True
        if not folder:
            return False
        folder = posixpath.dirname(folder)


def normal_folder(path: object) -> str:
    """A path from the root of the repository as it is written here: Flux writes `./apps`, Argo CD `apps`."""
    normal = posixpath.normpath(str(path or "").lstrip("/"))
    return "" if normal == "." else normal
