"""The table of what schemas do not say is compared with the OpenAPI documents of the Kubernetes release we serve."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from plumbline.kube.schema.builtin import catalog, short_name
from plumbline.kube.schema.native import KEY_DEFAULTS, NULLS
from plumbline.kube.schema.shape import Form

pytestmark = pytest.mark.conformance

RELEASE = "v1.36.3"
UNSTABLE = ("alpha", "beta")


@pytest.fixture(scope="module")
def documents(go_command):
    """Every definition of the release, under our short names."""
    found = subprocess.run(
        [go_command, "mod", "download", "-json", f"k8s.io/kubernetes@{RELEASE}"],
        capture_output=True, check=True, text=True, timeout=600,
    )  # fmt: skip
    folder = Path(json.loads(found.stdout)["Dir"]) / "api" / "openapi-spec" / "v3"
    schemas = {}
    for path in folder.glob("*.json"):
        schemas.update(json.loads(path.read_text()).get("components", {}).get("schemas", {}))
    return {short_name(name): schema for name, schema in schemas.items() if not any(x in name for x in UNSTABLE)}


@pytest.fixture(scope="module")
def go_command():
    command = shutil.which("go")
    if command is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    return command


def test_embedded_structures_are_those_of_the_servers_types(documents):
    differing = {}
    for name, schema in documents.items():
        if name.endswith("List") and "items" in schema.get("properties", {}):
            continue  # lists are envelopes, never applied
        expected = {field for field, each in schema.get("properties", {}).items() if each.get("default") == {}}
        ours = set(catalog().shape(name).embedded)
        if ours != expected and name != "meta.v1.Status":
            differing[name] = (expected, ours)
    assert differing == {"meta.v1.APIGroup": ({"preferredVersion"}, set())}, "discovery documents are never applied"


def test_fields_written_as_null_are_optional_in_the_servers_types(documents):
    for name, fields in NULLS.items():
        for field in fields:
            assert field in documents[name]["properties"]
            assert field not in documents[name].get("required", ())


def test_defaults_of_list_keys_are_those_of_the_servers_types(documents):
    for name, defaults in KEY_DEFAULTS.items():
        for field, value in defaults.items():
            assert documents[name]["properties"][field]["default"] == value
    for name in documents:
        for field, shape in catalog().shape(name).fields.items():
            if shape.form is Form.TABLE:
                _check_keys(documents, name, field, shape)


def _check_keys(documents, name, field, shape):
    items = documents[name]["properties"][field]["items"]
    item = documents[short_name((items.get("allOf") or [items])[0]["$ref"].rpartition("/")[2])]
    expected = {k: item["properties"][k]["default"] for k in shape.keys if "default" in item["properties"][k]}
    assert shape.key_defaults == expected, f"{name}.{field}"
