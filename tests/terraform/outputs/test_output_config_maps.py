"""The ConfigMap for outputs that are no secret."""

import pytest
from tests.terraform.objects import config_map, output, terraform

from plumbline.base.errors import OwnedElsewhere
from plumbline.terraform.outputs import CONFIG_MAP_ANNOTATION, PublicOutputs, public_name, public_outputs

OUTPUTS = {
    "id": output('"vpc-1"'),
    "count": output("3", '"number"'),
    "password": output('"hunter2"', sensitive=True),
    "key": output('{"a":1}', '["object",{"a":"number"}]', sensitive=True),
}
SHOWN = {"id": "vpc-1", "count": "3", "count__type": '"number"'}
OURS = {
    "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
    "kind": "Terraform",
    "name": "net",
    "uid": "uid-net",
    "controller": True,
}


def asking(spec=None):
    return terraform(spec, annotations={CONFIG_MAP_ANNOTATION: " c "})


def test_sensitive_outputs_are_left_out_and_named():
    found = public_outputs(asking(), OUTPUTS, None)
    assert found.left_out == ("key", "password")
    assert found.config_map == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "team-a", "ownerReferences": [OURS]},
        "data": SHOWN,
    }
    assert "hunter2" not in repr(found)


def test_an_object_that_does_not_ask_gets_none():
    assert public_name(terraform()) == ""
    assert public_outputs(terraform(), OUTPUTS, None) == PublicOutputs(None, ())


@pytest.mark.parametrize(
    ("spec", "outputs", "why"),
    [({"destroy": True}, OUTPUTS, "everything is destroyed"), ({}, {"key": OUTPUTS["key"]}, "all are sensitive")],
)
def test_nothing_is_written_where_there_is_nothing_to_show(spec, outputs, why):
    found = public_outputs(asking(spec), outputs, None)
    assert found.config_map is None
    assert "key" in found.left_out


def test_one_that_says_so_already_stays():
    assert public_outputs(asking(), OUTPUTS, config_map(SHOWN, ownerReferences=[OURS])).config_map is None


def test_one_that_is_ours_is_made_to_say_it_and_nothing_else():
    live = config_map({"id": "old", "gone": "x"}, binary={"b": b"\0"}, ownerReferences=[OURS], labels={"kept": "yes"})
    found = public_outputs(asking(), OUTPUTS, live).config_map
    assert found["data"] == SHOWN
    assert "binaryData" not in found
    assert found["metadata"] == live["metadata"]


def test_one_that_is_not_ours_is_never_written():
    with pytest.raises(OwnedElsewhere) as refused:
        public_outputs(asking(), OUTPUTS, config_map({"id": "mine"}))
    assert refused.value.holder.place == "ConfigMap team-a/c"
