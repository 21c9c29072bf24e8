"""Descriptions of services are read when somebody asks for a part of one, and say what they would say if all were read."""

import copy
import gzip
from pathlib import Path

import pytest

from plumbline.base.json import decode
from plumbline.providers.aws.models import LeanFiles, Parts, lean, library, loader, service_model

SERVICES = ("sqs", "s3")


def path_of(service):
    named = loader().load_service_model(service, "service-2")["metadata"]["apiVersion"]
    return str(Path(library("botocore").__path__[0]) / "data" / service / named / "service-2")


def unread(parts):
    """How many nobody has asked for."""
    return sum(isinstance(part, bytes) for part in dict.values(parts))


@pytest.mark.parametrize("service", SERVICES)
def test_a_description_says_the_same_whether_it_is_read_at_once_or_in_parts(service):
    whole = lean(decode(gzip.decompress(Path(f"{path_of(service)}.json.gz").read_bytes())))
    assert copy.deepcopy(LeanFiles().load_file(path_of(service))) == whole


def test_asking_for_one_operation_reads_what_it_takes_and_nothing_else():
    described = LeanFiles().load_file(path_of("sqs"))
    model = library("botocore.model").ServiceModel(described, "sqs")
    assert "MessageBody" in model.operation_model("SendMessage").input_shape.members
    assert unread(described["operations"]) == len(described["operations"]) - 1
    assert unread(described["shapes"]) > len(described["shapes"]) / 2


def test_the_models_that_clients_share_are_read_in_parts():
    assert isinstance(service_model("sqs")._service_description["shapes"], Parts)


@pytest.mark.parametrize(
    ("taken", "why"),
    [
        (dict, "a copy"),
        (lambda parts: {**parts}, "unpacking"),
        (copy.deepcopy, "a deep copy"),
        (lambda parts: dict(parts.items()), "pairs"),
        (lambda parts: dict(zip(parts, parts.values(), strict=True)), "values"),
        (lambda parts: {name: parts.get(name) for name in parts.keys()}, "names"),  # noqa: SIM118 - as others ask
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_however_parts_are_taken_they_come_read(taken, why):
    parts = Parts({"A": b'{"type":"string"}', "B": b'{"type":"list"}'})
    assert taken(parts) == {"A": {"type": "string"}, "B": {"type": "list"}}, why


def test_what_is_written_into_a_part_stays():
    parts = Parts({"A": b'{"type":"string"}'})
    library("botocore.utils").deep_merge({"shapes": parts}, {"shapes": {"A": {"max": 3}, "B": {"type": "list"}}})
    assert parts["A"] == {"type": "string", "max": 3}
    assert parts.get("B") == {"type": "list"}
    assert parts.get("C", "nothing") == "nothing"
