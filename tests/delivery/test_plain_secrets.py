"""A Secret that lies in Git in the clear is reported, with the command that seals it, and without its value."""

import pytest

from plumbline.base.json import encode
from plumbline.delivery.plainsecrets import plain_secrets
from plumbline.render.requests import Manifest, Origin, Rendered


def secret(name="db", **more):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **more}


def rendered(*objects, source_type="Directory"):
    manifests = tuple(Manifest(encode(each), Origin(f"app/{number}.yaml")) for number, each in enumerate(objects))
    return Rendered(source_type, manifests, "key")


@pytest.mark.parametrize("field", ["data", "stringData"])
@pytest.mark.parametrize("source_type", ["Directory", "Kustomize"])
def test_it_is_named_with_its_file_and_the_command(field, source_type):
    (said,) = plain_secrets([rendered(secret(**{field: {"password": "aHVudGVyMg=="}}), source_type=source_type)])
    assert said == (
        "1 Secret is in Git for everybody to read: db (app/0.yaml). "
        "Change the values where they are used, then seal the new ones: plumb seal -f app/0.yaml -w app/0.yaml"
    )


def test_many_are_one_sentence():
    (said,) = plain_secrets([rendered(*(secret(f"s{number}", data={"a": "Yg=="}) for number in range(7)))])
    assert said.startswith("7 Secrets are in Git")
    assert "s4 (app/4.yaml) and 2 more" in said


@pytest.mark.parametrize(
    ("obj", "source_type", "why"),
    [
        (secret(), "Directory", "it holds nothing"),
        (secret(data={"a": ""}), "Directory", "it holds nothing"),
        (secret(data="odd"), "Directory", "it is no Secret that an API server takes"),
        (secret(data={"a": "Yg=="}), "Helm", "a chart may have made it up"),
        ({**secret(data={"a": "Yg=="}), "kind": "SealedSecret"}, "Directory", "it is sealed"),
        ({**secret(data={"a": "Yg=="}), "apiVersion": "example.org/v1"}, "Directory", "it is something else"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "data": {"kind": "Secret"}}, "Directory", "it speaks of one"),
    ],
)
def test_others_are_not(obj, source_type, why):
    assert list(plain_secrets([rendered(obj, source_type=source_type)])) == [], why
