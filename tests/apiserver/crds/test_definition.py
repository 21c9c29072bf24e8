import subprocess
import sys

import pytest

from plumbline.apiserver.crds import Definition
from plumbline.base.errors import UnknownKind
from plumbline.kube.names import GroupVersionKind

from .corpus import I, T, crd, rules, schema, version, with_defaults

COLUMN = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
MADE = crd(
    versions=[
        version(
            root=schema(spec=schema(size=I, name=T)),
            additionalPrinterColumns=[COLUMN],
            selectableFields=[{"jsonPath": ".spec.name"}],
        ),
        version("v2"),
    ]
)


def test_a_definition_is_made_of_versions():
    definition = Definition(with_defaults(MADE))
    one = definition.version("v1")
    assert definition.version("v1") is one, "compiled once"
    assert one.kind == GroupVersionKind("example.org", "v1", "Widget")
    assert one.columns == [COLUMN]
    assert one.schema == schema(spec=schema(size=I, name=T))
    assert one.rules is None
    assert not one.has_status
    assert one.selectable_paths == (".spec.name",)
    assert definition.storage_version == "v1"
    assert definition.resources == []
    with pytest.raises(UnknownKind):
        definition.version("v9")


def test_fields_to_select_by_are_those_that_are_declared():
    one = Definition(with_defaults(MADE)).version("v1")
    obj = {"metadata": {"name": "x", "namespace": "n"}, "spec": {"name": "y"}}
    found = {name: read(obj) for name, read in one.selectable.readings.items()}
    assert found == {"metadata.name": "x", "metadata.namespace": "n", "spec.name": "y"}


def test_the_shape_is_that_of_the_version():
    definition = Definition(with_defaults(MADE))
    assert definition.version("v1").shape is definition.version("v1").shape


def test_a_definition_without_anything_can_be_asked():
    empty = Definition({"spec": {"versions": [{"name": "v1"}]}}).version("v1")
    assert empty.prune({"a": 1}).obj == {}
    assert empty.schema is None
    assert empty.columns == []


QUIET = """
import sys
from plumbline.apiserver.crds import Definition
from plumbline.apiserver.crds.definitions.validation import definition_errors
schema = {"type": "object", "properties": {"spec": {"type": "object", "default": {}}}}
crd = {"spec": {"versions": [{"name": "v1", "storage": True, "schema": {"openAPIV3Schema": schema}}]}}
definition_errors(crd)
served = Definition(crd).version("v1")
served.validate(served.default(served.prune({"a": 1}).obj))
print([name for name in sys.modules if name.startswith("plumbline.apiserver.cel.p")])
"""


def test_without_rules_the_expression_language_is_not_loaded():
    ended = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_with_rules_it_is():
    served = Definition(crd(root={**schema(a=I), **rules("self.a < 5")})).version("v1")
    assert served.rules is not None
    assert [each.field for each in served.validate({"a": 7}).errors] == ["<nil>"]
    assert not served.validate({"a": 3}).errors
