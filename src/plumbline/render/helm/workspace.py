"""A chart, its dependencies and its values on disk, under names that mean nothing to Helm's command line."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.base.tree import Tree, followed, read_text, written
from plumbline.render.helm.release import Release
from plumbline.render.helm.values import ValueFile
from plumbline.render.requests import Request

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_VALUES_BYTES: Final = 10 << 20
_OWN: Final = "values.yaml"
_STDIN: Final = "-"


class Brought(NamedTuple):
    """What came from elsewhere."""

    charts: Mapping[str, tuple[Tree, str]]
    """By folder: the tree, and where in it."""
    values: Mapping[str, bytes]
    """By address."""


class LaidOut(NamedTuple):
    argv: tuple[str, ...]
    """Everything after `helm template`."""
    names: dict[str, str]
    """What people call the files that an error may name."""


def laid_out(request: Request, made: Release, brought: Brought, folder: Path) -> LaidOut:
    """Write everything into the empty *folder*. A link that leads out of its tree refuses all of it."""
    chart = folder / "chart"
    written(request.tree, chart, (request.place,))
    root = chart / request.place
    for name, (tree, place) in brought.charts.items():
        written(tree, target := folder / "charts" / name, (place,))
        (root / "charts").mkdir(parents=True, exist_ok=True)
        (target / place).rename(root / "charts" / name)
    writer = _Values(request, brought, folder / "values")
    argv = [str(root), "--name-template", made.name]
    argv += ["--namespace", made.namespace] if made.namespace else []
    argv += ["--kube-version", made.kube_version] if made.kube_version else []
    for flag, assignments in (("--set", made.parameters.plain), ("--set-string", made.parameters.texts)):
        argv += [word for each in assignments for word in (flag, each)]
    for name, file in made.file_parameters:
        argv += ["--set-file", f"{name}={writer.put(file)}"]
    for file in made.value_files:
        argv += ["--values", writer.put(file)]
    argv += ["--values", _STDIN] if made.given is not None else []
    if made.values != "":
        argv += ["--values", writer.own(made.values)]
    argv += ["--api-versions", ",".join(made.api_versions)] if made.api_versions else []
    return LaidOut((*argv, *made.flags), {f"{chart}/": "", **writer.names})


class _Values:
    def __init__(self, request: Request, brought: Brought, folder: Path) -> None:
        self.names: dict[str, str] = {}
        self._request = request
        self._brought = brought
        self._folder = folder
        folder.mkdir(parents=True)

    def put(self, file: ValueFile) -> str:
        if file.address:
            return self._write(file.written, self._brought.values[file.address])
        tree = self._request.refs[file.ref] if file.ref else self._request.tree
        return self._write(file.written, read_text(tree, followed(tree, file.place)[0], _VALUES_BYTES))

    def own(self, values: str | JsonObject) -> str:
        from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - loads YAML

        text = values if isinstance(values, str) else dump_yaml(values)
        return self._write("the application's own values", text.encode(), _OWN)

    def _write(self, called: str, content: bytes, name: str = "") -> str:
        safe = name or _UNSAFE.sub("_", called.rpartition("/")[2])[-64:]
        target = self._folder / f"{len(self.names):03}-{safe}"
        target.write_bytes(content)
        self.names[str(target)] = called
        return str(target)
