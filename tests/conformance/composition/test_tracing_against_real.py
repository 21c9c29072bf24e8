"""`plumb tree` and `plumb validate` beside Crossplane's own command line."""

import os
import re
import subprocess
import sys

import pytest
from tests.cli.composition.platform import fill, plane
from tests.cli.composition.test_validate import CRD, XRD, obj
from tests.conformance.real import programs

from plumbline.base.documents import dump_yaml

pytestmark = pytest.mark.conformance

IMAGE = "xpkg.crossplane.io/crossplane/crossplane:v0"


@pytest.fixture(scope="module")
def crossplane():
    program = programs() / "crossplane-cli"
    if not program.exists():
        pytest.fail(f"{program} is not there; run `make peers` first")

    def said(*argv, **environment):
        return subprocess.run([program, *map(str, argv)], capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment})  # fmt: skip

    return said


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory):
    with plane(tmp_path_factory.mktemp("plane")) as kubeconfig:
        fill(kubeconfig)
        yield kubeconfig


def ours(*argv):
    program = [sys.executable, "-c", "from plumbline.cli.main import main; main()"]
    return subprocess.run([*program, *map(str, argv)], capture_output=True, text=True, timeout=60, check=False)


TARGETS = ["shop/media", "shop/calm", "shop/database", "xshop/waiting-x", "xshop/paused-x", "bucket/media-b"]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_a_tree_has_the_columns_and_the_glyphs_of_trace(kubeconfig, crossplane, target, wide):
    form = "wide" if wide else "default"
    theirs = crossplane("beta", "trace", target, "-o", form, KUBECONFIG=str(kubeconfig))
    assert theirs.returncode == 0, theirs.stderr
    drawn = ours("tree", target, "-o", form, "--kubeconfig", kubeconfig).stdout.split("\n\n", 1)[1]
    assert _without_ids(drawn) == [line.rstrip() for line in theirs.stdout.splitlines()]


def _without_ids(drawing):
    """We say what the cloud calls it as well."""
    lines = drawing.splitlines()
    found = re.search(r"(?<= )ID +(?=STATUS)", lines[0])
    start, end = found.span() if found else (0, 0)
    return [(line[:start] + line[end:]).rstrip() for line in lines]


@pytest.mark.parametrize("target", TARGETS)
def test_a_graph_has_the_same_nodes_and_edges(kubeconfig, crossplane, target):
    theirs = crossplane("beta", "trace", target, "-o", "dot", KUBECONFIG=str(kubeconfig)).stdout
    drawn = ours("tree", target, "-o", "dot", "--kubeconfig", kubeconfig).stdout
    plain = re.sub(r"(Id|Error): (?:[^\\]|\\\")*\\n", "", drawn)
    assert sorted(plain.rstrip("\n").split("\n")) == sorted(theirs.rstrip("\n").split("\n"))


RESOURCES = [
    obj("XShop", "good", spec={"region": "eu", "size": 3}),
    obj("XShop", "large", spec={"region": "eu", "size": 30}),
    obj("XShop", "odd", spec={"region": 1, "size": 3, "bogus": {"a": 1}, "tags": {"a": "b"}}),
    obj("Shop", "missing", spec={"size": 3}),
    obj("Thing", "unknown", spec={"what": 1}, status={"no": 1}),
    obj("Mystery"),
]


def test_the_same_resources_are_valid_for_the_same_reasons(crossplane, tmp_path):
    (tmp_path / "cache" / IMAGE.replace(":", "@")).mkdir(parents=True)
    (tmp_path / "cache" / IMAGE.replace(":", "@") / "package.yaml").write_text("apiVersion: v1\nkind: ConfigMap\n")
    for name, objects in (("extensions", (XRD, CRD)), ("resources", RESOURCES)):
        (tmp_path / f"{name}.yaml").write_text("---\n".join(dump_yaml(each) for each in objects))
    files = tmp_path / "extensions.yaml", tmp_path / "resources.yaml"
    theirs = crossplane("beta", "validate", *files, "--cache-dir", tmp_path / "cache", "--crossplane-image", IMAGE)
    assert theirs.returncode == 1
    told = ours("validate", *files)
    assert told.returncode == 1
    assert _comparable(told.stdout) == _comparable(theirs.stdout)


def _comparable(text):
    """Newer servers quote another value than the older one that it is built with, which also lists in chance order."""
    return sorted(re.sub(r'Invalid value: (?:"[a-z]+": )?', "Invalid value: ", line).replace('"number"', '"integer"') for line in text.splitlines())  # fmt: skip
