"""What Argo CD 3.5.6 does with a kustomization: `kustomize edit` for each override on a checkout, then a build."""

import subprocess
from pathlib import Path

import yaml

from plumbline.kinds.application import ApplicationSourceKustomize
from plumbline.kinds.values import written

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class Refused(Exception):
    """One of the commands failed."""


def built(kustomize: Path, checkout: Path, path: str, wanted: ApplicationSourceKustomize, options: list[str]) -> bytes:
    folder = checkout / path
    for argv in _edits(wanted):
        _run(kustomize, ["edit", *argv], folder)
    if wanted.patches:
        _patch(folder, wanted)
    components = wanted.components
    if wanted.ignore_missing_components:
        components = tuple(each for each in components if (folder / each).exists())
    if components:
        _run(kustomize, ["edit", "add", "component", *components], folder)
    return _run(kustomize, ["build", str(folder), *options], checkout)


def _edits(wanted: ApplicationSourceKustomize) -> list[list[str]]:
    edits = []
    if wanted.name_prefix:
        edits.append(["set", "nameprefix", "--", wanted.name_prefix])
    if wanted.name_suffix:
        edits.append(["set", "namesuffix", "--", wanted.name_suffix])
    if wanted.images:
        edits.append(["set", "image", *wanted.images])
    if wanted.replicas:
        edits.append(["set", "replicas", *(f"{each.name}={each.count}" for each in wanted.replicas)])
    if wanted.common_labels:
        flags = {
            "--force": wanted.force_common_labels,
            "--without-selector": wanted.label_without_selector,
            "--include-templates": wanted.label_include_templates,
        }
        edits.append(["add", "label", *(flag for flag, on in flags.items() if on), *_pairs(wanted.common_labels)])
    if wanted.common_annotations:
        force = ["--force"] if wanted.force_common_annotations else []
        edits.append(["add", "annotation", *force, *_pairs(wanted.common_annotations)])
    if wanted.namespace:
        edits.append(["set", "namespace", "--", wanted.namespace])
    return edits


def _pairs(pairs: dict[str, str]) -> list[str]:
    return [f"{name}:{value}" for name, value in pairs.items()]


def _patch(folder: Path, wanted: ApplicationSourceKustomize) -> None:
    file = next(folder / name for name in NAMES if (folder / name).exists())
    document = yaml.safe_load(file.read_text())
    document["patches"] = document.get("patches", []) + [written(each) for each in wanted.patches]
    file.write_text(yaml.safe_dump(document))


def _run(kustomize: Path, argv: list[str], cwd: Path) -> bytes:
    environment = {"HOME": str(cwd), "PATH": f"{kustomize.parent}:/usr/bin:/bin"}
    done = subprocess.run([kustomize, *argv], cwd=cwd, env=environment, capture_output=True, timeout=60, check=False)
    if done.returncode:
        raise Refused(done.stderr.decode())
    return done.stdout
