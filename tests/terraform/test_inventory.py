"""The inventory names what was made, and nothing that is secret."""

from tests.terraform.works import story, terraform

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.inventory import MOST, inventory


def entries(*resources):
    return inventory(Plaintext(encode({"version": 4, "resources": list(resources)})))["entries"]


def resource(*instances, mode="managed"):
    return {"mode": mode, "type": "aws_vpc", "name": "main", "instances": list(instances)}


def test_an_arn_is_better_than_an_id_and_an_id_better_than_nothing():
    found = entries(
        resource(
            {"attributes": {"id": "vpc-1", "arn": "arn:vpc-1"}}, {"attributes": {"id": "vpc-2"}}, {"attributes": None}
        )
    )
    assert [each["id"] for each in found] == ["arn:vpc-1", "vpc-2", ""]
    assert {(each["n"], each["t"]) for each in found} == {("main", "aws_vpc")}


def test_what_was_only_read_is_not_listed():
    assert entries(resource({"attributes": {"id": "1"}}, mode="data")) == []


def test_a_sensitive_id_is_left_out():
    hidden = [[{"type": "get_attr", "value": "id"}]]
    assert entries(resource({"attributes": {"id": "s3cret"}, "sensitive_attributes": hidden}))[0]["id"] == ""


def test_there_is_an_end_to_it():
    assert len(entries(resource(*[{"attributes": {"id": "1"}}] * (MOST + 5)))) == MOST


def test_what_cannot_be_read_has_none():
    assert inventory(Plaintext(b"encrypted")) == {"entries": []}


@story
async def test_the_status_has_it_where_the_object_asks_for_it(works):
    await works.apply(terraform(enableInventory=True))
    found = await works.told("Ready", "True")
    assert found["status"]["inventory"]["entries"] == [{"n": "a", "t": "terraform_data", "id": "a"}]
