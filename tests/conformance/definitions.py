"""CRDs as upstream publishes them, and where ours say something else, place by place."""

import shutil
import subprocess
from zipfile import ZipFile

import pytest

from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode
from plumbline.kinds.duration import Duration

DOWNLOAD = {"GOFLAGS": "-mod=mod", "GOSUMDB": "off"}


def shipped(name, path):
    """A file of a module. It is read from the module's archive: a Go that is too old for the module still fetches that."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    command = [go, "mod", "download", "-json", name]
    done = subprocess.run(command, env=environment() | DOWNLOAD, capture_output=True, timeout=600, check=False)
    archive = decode(done.stdout).get("Zip") if done.stdout else None
    assert archive is not None, done.stdout.decode() + done.stderr.decode()
    with ZipFile(archive) as files:
        return files.read(f"{name}/{path}")


def versions(spec):
    return {version["name"]: version for version in spec["versions"]}


def schema_of(version):
    return version["schema"]["openAPIV3Schema"]


def said(schema):
    """What a schema says of one place: not how it is described, nor what a newer upstream may add."""
    left_out = {"description", "properties", "items", "required", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"}  # fmt: skip
    found = {key: value for key, value in schema.items() if key not in left_out}
    if "enum" in found:
        found["enum"] = sorted(found["enum"])
    if isinstance(found.get("default"), str):
        found["default"] = _spelled(found["default"])
    return found


def _spelled(default):
    try:
        return Duration.parse(default).ns
    except InvalidInput:
        return default


def differences(ours, theirs, path=""):
    mine, other = said(ours), said(theirs)
    for key in sorted(mine.keys() | other.keys()):
        if mine.get(key) != other.get(key):
            yield f"{path} {key}".strip()
    here, there = ours.get("properties", {}), theirs.get("properties", {})
    for name in sorted(set(ours.get("required", ())) ^ set(theirs.get("required", ()))):
        yield f"{path}.{name} required".strip(".")
    for name in sorted(here.keys() | there.keys()):
        below = f"{path}.{name}".strip(".")
        if name not in here or name not in there:
            yield below
        else:
            yield from differences(here[name], there[name], below)
    if "items" in ours and "items" in theirs:
        yield from differences(ours["items"], theirs["items"], f"{path}[]")
    elif ("items" in ours) != ("items" in theirs):
        yield f"{path}[]"


def named(difference, known):
    place = difference.partition(" ")[0]
    return difference in known or any(place == each or place.startswith((f"{each}.", f"{each}[")) for each in known)
