"""`plumb install` prints, and does nothing else."""

import pytest

from plumbline.base.documents import load_documents
from plumbline.base.json import decode


def printed(said):
    assert said.code == 0, said.err
    return [each.value for each in load_documents(said.out, source="install")]


def test_yaml_and_json_say_the_same_twice(run):
    first, again = run("install", "--enforce", "--only=secrets"), run("install", "--enforce", "--only=secrets")
    assert first.out == again.out
    assert decode(run("install", "--enforce", "--only=secrets", "-o", "json").out)["items"] == printed(first)
    assert printed(first)[0]["kind"] == "Namespace"


def test_kinds_can_be_left_out_or_be_all(run):
    assert not [each for each in printed(run("install", "--no-crds")) if each["kind"] == "CustomResourceDefinition"]
    assert {each["kind"] for each in printed(run("install", "--crds-only"))} == {"CustomResourceDefinition"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--claim", "kept", "--replicas", "2"), "one replica"),
        (("--namespace", "Not_A_Name"), "Not_A_Name"),
        (("--api-server", "10.0.0.1/8"), "host bits"),
        (("--only", "delivery,dance"), "dance"),
        (("--replicas", "0"), "0"),
    ],
)
def test_what_cannot_be_meant_is_refused(run, arguments, told):
    said = run("install", *arguments)
    assert said.code == 2
    assert told in said.err


def test_who_goes_unasked_is_told(run):
    assert "--admission-secret" in run("install", "--enforce", "--replicas", "2", "--no-crds").err
    assert run("install", "--replicas", "2", "--no-crds").err == ""
