"""What is read late is there when it is asked for, and nobody can tell the difference but by the memory it takes."""

import gzip
import subprocess
import sys
from pathlib import Path

import moto
import pytest
from botocore.loaders import Loader
from botocore.session import Session
from moto.core.loaders import create_loader

from plumbline.base.json import decode
from plumbline.providers.sandbox import backend
from plumbline.providers.sandbox.sparing import Headings, Rows, Table, without_clients

from .aws import Town
from .tables import TRUST

RESOURCES = Path(moto.__file__).parent / "ec2" / "resources"
ACCOUNT = "123456789012"
MONITORING = "arn:aws:iam::aws:policy/service-role/AmazonRDSEnhancedMonitoringRole"


def unpacked(path):
    return decode(gzip.decompress((RESOURCES / path).read_bytes()))


def read(late):
    return "data" in vars(late)


def iam():
    return backend.backend("iam", ACCOUNT, "us-east-1")


def every(town, operation, key, **params):
    found, token = [], {}
    while True:
        page = town.call("ec2", operation, **params, **token)
        found += page[key]
        if not page.get("NextToken"):
            return found
        token = {"NextToken": page["NextToken"]}


def test_all_types_of_instances_can_be_looked_at(town):
    known = unpacked("instance_types.json.gz")
    shown = every(town, "DescribeInstanceTypes", "InstanceTypes")
    assert {each["InstanceType"] for each in shown} == set(known)
    (medium,) = town.call("ec2", "DescribeInstanceTypes", InstanceTypes=["t3.medium"])["InstanceTypes"]
    assert medium["VCpuInfo"]["DefaultVCpus"] == known["t3.medium"]["VCpuInfo"]["DefaultVCpus"]


@pytest.mark.parametrize("place", ["region", "availability-zone", "availability-zone-id"])
def test_offers_are_those_of_their_place(town, place):
    known = unpacked(f"instance_type_offerings/{place}/us-east-1.json.gz")
    shown = every(town, "DescribeInstanceTypeOfferings", "InstanceTypeOfferings", LocationType=place)
    assert {(each["InstanceType"], each["Location"]) for each in shown} == {
        (each["InstanceType"], each["Location"]) for each in known
    }
    assert {each["LocationType"] for each in shown} == {place}


def test_an_instance_is_of_a_type_that_is_offered(town):
    made = {"ImageId": "ami-12345678", "MinCount": 1, "MaxCount": 1}
    (instance,) = town.call("ec2", "RunInstances", InstanceType="t3.medium", **made)["Instances"]
    assert instance["InstanceType"] == "t3.medium"
    assert town.refusal("ec2", "RunInstances", InstanceType="t3.enormous", **made) == "InvalidParameterValue"


def test_families_of_instances_are_those_of_the_types():
    from moto.ec2.models.instance_types import INSTANCE_FAMILIES  # noqa: PLC0415 - after the test's own loading

    assert {"t3", "m5"} <= set(INSTANCE_FAMILIES)
    assert len(INSTANCE_FAMILIES) == len({each.split(".")[0] for each in unpacked("instance_types.json.gz")})


def test_policies_of_aws_are_made_for_those_who_look_at_them(town):
    town.call("sts", "GetCallerIdentity")
    assert not read(iam().managed_policies), "nobody has looked at a policy"
    town.call("iam", "CreateRole", RoleName="monitoring", AssumeRolePolicyDocument=TRUST)
    town.call("iam", "AttachRolePolicy", RoleName="monitoring", PolicyArn=MONITORING)
    assert town.call("iam", "GetPolicy", PolicyArn=MONITORING)["Policy"]["AttachmentCount"] == 1
    version = town.call("iam", "GetPolicyVersion", PolicyArn=MONITORING, VersionId="v1")["PolicyVersion"]
    assert "Statement" in version["Document"]
    page = town.call("iam", "ListPolicies", Scope="AWS", MaxItems=100)
    assert len(page["Policies"]) == 100
    assert page["IsTruncated"]


def test_other_partitions_have_none_before_somebody_looks(town):
    town.call("iam", "CreateRole", RoleName="monitoring", AssumeRolePolicyDocument=TRUST)
    town.call("iam", "AttachRolePolicy", RoleName="monitoring", PolicyArn=MONITORING)
    china = backend.backend("iam", ACCOUNT, "aws-cn")
    assert not read(china.managed_policies)
    assert all(arn.startswith("arn:aws-cn:iam::aws:policy/") for arn in china.managed_policies)


def test_ids_are_the_same_whether_or_not_a_request_is_the_first_to_look_at_policies():
    def role(*, looks):
        backend.forget()
        town = Town()
        if looks:
            town.call("iam", "ListPolicies", Scope="AWS")
        backend.seed("the same")
        if not looks:
            assert MONITORING in iam().managed_policies
        return iam().create_role("r", TRUST, "/", None, "", {}, 3600).id

    assert role(looks=True) == role(looks=False)


def test_sessions_know_where_services_are_without_what_they_offer(monkeypatch):
    known = {each: Session().get_available_regions(each) for each in ("ec2", "s3", "iam")}
    monkeypatch.setattr(Loader, "FILE_LOADER_CLASS", Loader.FILE_LOADER_CLASS)
    without_clients()
    assert {each: Session().get_available_regions(each) for each in known} == known
    assert Session().get_service_data("ec2").keys() == {"metadata"}
    assert Headings().load_file("/nowhere/at-all/service-2") is None


def test_descriptions_have_no_prose():
    described = create_loader().load_service_model("ec2", "service-2")
    assert "documentation" not in described["operations"]["CreateVpc"]


def test_what_moto_writes_into_descriptions_stays_with_moto():
    """Codes of errors, for instance, that clients do not know."""
    amended, plain = (each.load_service_model("sqs", "service-2") for each in (create_loader(), Loader()))
    assert amended["shapes"].keys() > plain["shapes"].keys()
    assert amended["shapes"]["QueueDoesNotExist"] is not plain["shapes"]["QueueDoesNotExist"]


def test_a_table_and_rows_are_what_they_stand_for():
    table, rows = Table(lambda: {"a": 1}), Rows(lambda: [1, 2, 3])
    assert not read(table)
    assert not read(rows)
    assert (table | {"b": 2}) == {"a": 1, "b": 2}
    assert table.copy() == {"a": 1}
    assert rows[1:] == [2, 3]
    assert not hasattr(table, "more")
    assert not hasattr(rows, "more")
    assert Rows([0]) + rows == [0, 1, 2, 3]


PLAIN = """
import moto.iam.models, moto.ec2.models.instance_types as types
from plumbline.providers.sandbox.sparing import Rows, Table, spare
spare()
backend = moto.iam.models.IAMBackend("aws", "123456789012")
assert isinstance(backend.managed_policies, Table) and backend.managed_policies
assert isinstance(types.INSTANCE_TYPES, Table) and "t3.medium" in types.INSTANCE_TYPES
assert isinstance(types.INSTANCE_TYPE_OFFERINGS["region"]["us-east-1"], Rows)
"""


def test_what_was_imported_before_is_changed_too():
    subprocess.run([sys.executable, "-c", PLAIN], check=True)
