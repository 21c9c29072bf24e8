"""What is particular about networks: rules that share ports, gateways that move, names that change."""

import msgspec
import pytest

from plumbline.base.errors import Forbidden, NotFound, NotYet, Transient
from plumbline.managed.creation import certainly_not
from plumbline.managed.external import ABSENT
from plumbline.providers.aws.tables import ec2

from .cases import a_group, a_route_table, a_table_and_a_subnet, a_vpc

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def made(cloud, table, wanted, **more):
    managed = cloud.managed(table, wanted, **more)
    external = await cloud.external(table, managed)
    created = await external.create(managed)
    managed = msgspec.structs.replace(managed, external_name=created.external_name)
    observed = await external.observe(managed)
    if observed.differences:
        await external.update(managed, observed)
    return external, managed


def reported(managed, observed, **wanted):
    """The same object one poll later, with other wishes."""
    return msgspec.structs.replace(
        managed,
        wanted={**managed.wanted, **wanted},
        object={"metadata": {}, "status": {"atProvider": observed.at_provider}},
    )


async def test_a_rule_is_called_by_what_it_says(cloud):
    rule = {"type": "ingress", "protocol": "tcp", "fromPort": 5432, "toPort": 5432, **a_group(cloud)}
    said = {"cidrBlocks": ["10.20.0.0/16", "10.21.0.0/16"], "self": True}
    _, managed = await made(cloud, ec2.RULE, {**rule, **said})
    group = rule["securityGroupId"]
    assert managed.external_name == f"{group}_ingress_tcp_5432_5432_10.20.0.0/16_10.21.0.0/16_self"


async def test_a_new_group_lets_nothing_out_until_a_rule_says_so(cloud):
    _, managed = await made(cloud, ec2.SECURITY_GROUP, {"description": "web", **a_vpc(cloud)})
    group = cloud.outside("ec2").describe_security_groups(GroupIds=[managed.external_name])["SecurityGroups"][0]
    assert group["IpPermissionsEgress"] == []
    assert group["GroupName"] == "team-alpha"


async def test_a_network_that_is_not_there_yet_is_a_definite_no_for_now(cloud):
    """Nothing was made, so nobody has to wait until it might show; and it comes by itself once the network does."""
    managed = cloud.managed(ec2.SUBNET, {"vpcId": "vpc-00000000000000000", "cidrBlock": "10.0.0.0/24"})
    external = await cloud.external(ec2.SUBNET, managed)
    with pytest.raises(NotYet, match="cannot be created yet"):
        await external.create(managed)


async def test_what_fails_after_it_was_made_is_never_taken_for_a_no(cloud, monkeypatch):
    managed = cloud.managed(ec2.SECURITY_GROUP, {"description": "web", **a_vpc(cloud)})
    external = await cloud.external(ec2.SECURITY_GROUP, managed)
    real = external._account.call

    async def denied(service, operation, params):
        if operation == "RevokeSecurityGroupEgress":
            raise Forbidden("it may not be closed")
        return await real(service, operation, params)

    monkeypatch.setattr(external._account, "call", denied)
    with pytest.raises(Transient) as raised:
        await external.create(managed)
    assert not certainly_not(raised.value)
    assert (await external.observe(managed)).exists


class Killed(Exception):
    """The process, in the middle of a call."""


AFTER_IT_WAS_MADE = [
    ("RevokeSecurityGroupEgress", Forbidden("it may not be closed"), Transient, "AWS refuses to close it"),
    ("RevokeSecurityGroupEgress", NotFound("no such group"), Transient, "not all of AWS knows the group yet"),
    ("RevokeSecurityGroupEgress", Killed(), Killed, "killed before it is closed"),
    ("DeleteTags", Killed(), Killed, "killed once it is closed, and before that is on record"),
]


@pytest.mark.parametrize(
    ("at", "fault", "expect", "why"), AFTER_IT_WAS_MADE, ids=[why for *_, why in AFTER_IT_WAS_MADE]
)
async def test_a_group_that_was_left_open_is_closed_by_whoever_finds_it(cloud, monkeypatch, at, fault, expect, why):
    managed = cloud.managed(ec2.SECURITY_GROUP, {"description": "web", "tags": {"a": "b"}, **a_vpc(cloud)})
    external = await cloud.external(ec2.SECURITY_GROUP, managed)
    real, broken = external._account.call, {at}

    async def failing(service, operation, params):
        if operation in broken:
            raise fault
        return await real(service, operation, params)

    monkeypatch.setattr(external._account, "call", failing)
    with pytest.raises(expect):
        await external.create(managed)
    found = await external.observe(managed)
    # The name is on record from here on; whatever else happens, the next look knows no more than AWS tells it.
    managed = msgspec.structs.replace(managed, external_name=found.external_name)
    observed = await external.observe(managed)
    assert [difference.path for difference in observed.differences] == ["creation"], why
    assert not any("unfinished" in tag for tag in observed.at_provider["tagsAll"])
    with pytest.raises(type(fault)):
        await external.update(managed, observed)
    broken.clear()
    await external.update(managed, await external.observe(managed))
    assert (await external.observe(managed)).differences == ()
    group = cloud.outside("ec2").describe_security_groups(GroupIds=[managed.external_name])["SecurityGroups"][0]
    assert group["IpPermissionsEgress"] == []
    assert not any("unfinished" in tag["Key"] for tag in group["Tags"])


async def test_a_group_that_rules_have_opened_stays_open(cloud):
    external, managed = await made(cloud, ec2.SECURITY_GROUP, {"description": "web", **a_vpc(cloud)})
    everything = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    outside = cloud.outside("ec2")
    outside.authorize_security_group_egress(GroupId=managed.external_name, IpPermissions=[everything])
    unreported = msgspec.structs.replace(managed, object={"metadata": {}})
    assert (await external.observe(unreported)).differences == ()


async def test_rules_for_the_same_ports_leave_each_other_alone(cloud):
    group = a_group(cloud)
    ports = {"type": "ingress", "protocol": "tcp", "fromPort": 80, "toPort": 80, **group}
    external, first = await made(cloud, ec2.RULE, {**ports, "cidrBlocks": ["10.0.0.0/8", "10.1.0.0/16"]}, name="first")
    _, second = await made(cloud, ec2.RULE, {**ports, "cidrBlocks": ["192.168.0.0/16"]}, name="second")
    observed = await external.observe(first)
    assert observed.at_provider["cidrBlocks"] == ["10.0.0.0/8", "10.1.0.0/16"]
    narrowed = reported(first, observed, cidrBlocks=["10.0.0.0/8", "10.2.0.0/16"])
    observed = await external.observe(narrowed)
    assert [difference.path for difference in observed.differences] == ["cidrBlocks"]
    await external.update(narrowed, observed)
    assert (await external.observe(narrowed)).differences == ()
    await external.delete(second, await external.observe(second))
    permissions = cloud.outside("ec2").describe_security_groups(GroupIds=[group["securityGroupId"]])["SecurityGroups"][
        0
    ]["IpPermissions"]
    assert {item["CidrIp"] for permission in permissions for item in permission["IpRanges"]} == {
        "10.0.0.0/8",
        "10.2.0.0/16",
    }


async def test_a_rule_may_name_groups_and_let_everything_out(cloud):
    group = a_group(cloud)
    other = cloud.outside("ec2").create_security_group(GroupName="other", Description="d")["GroupId"]
    wanted = {
        "type": "egress",
        "protocol": "all",
        "fromPort": 0,
        "toPort": 0,
        "sourceSecurityGroupId": other,
        "self": True,
        **group,
    }
    external, managed = await made(cloud, ec2.RULE, {**wanted, "description": "out"})
    observed = await external.observe(managed)
    assert observed.differences == ()
    own = {"GroupId": group["securityGroupId"]}
    both = {
        "IpProtocol": "-1",
        "UserIdGroupPairs": [{**own, "Description": "out"}, {"GroupId": other, "Description": "out"}],
    }
    cloud.outside("ec2").revoke_security_group_egress(**own, IpPermissions=[both])
    cloud.outside("ec2").authorize_security_group_egress(
        **own, IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": [own]}]
    )
    observed = await external.observe(managed)
    assert [difference.path for difference in observed.differences] == ["sourceSecurityGroupId"]
    await external.update(managed, observed)
    assert (await external.observe(managed)).differences == ()


async def test_a_gateway_moves_to_another_network(cloud):
    external, managed = await made(cloud, ec2.INTERNET_GATEWAY, a_vpc(cloud))
    moved = msgspec.structs.replace(managed, wanted={**managed.wanted, **a_vpc(cloud)})
    await external.update(moved, await external.observe(moved))
    observed = await external.observe(moved)
    assert (observed.differences, observed.at_provider["vpcId"]) == ((), moved.wanted["vpcId"])
    detached = msgspec.structs.replace(managed, wanted={"region": "us-east-1"})
    await external.delete(detached, await external.observe(detached))
    assert await external.observe(moved) == ABSENT


async def test_a_route_takes_another_target(cloud):
    given = a_route_table(cloud)
    external, managed = await made(cloud, ec2.ROUTE, {"destinationCidrBlock": "0.0.0.0/0", **given})
    other = cloud.outside("ec2").create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    changed = msgspec.structs.replace(managed, wanted={**managed.wanted, "gatewayId": other})
    await external.update(changed, await external.observe(changed))
    assert (await external.observe(changed)).at_provider["gatewayId"] == other


async def test_an_association_that_moved_has_another_name(cloud):
    given = a_table_and_a_subnet(cloud)
    external, managed = await made(cloud, ec2.ASSOCIATION, given)
    vpc = cloud.outside("ec2").describe_route_tables(RouteTableIds=[given["routeTableId"]])["RouteTables"][0]["VpcId"]
    other = cloud.outside("ec2").create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    moved = msgspec.structs.replace(managed, wanted={**managed.wanted, "routeTableId": other})
    observed = await external.observe(moved)
    assert [difference.path for difference in observed.differences] == ["routeTableId"]
    await external.update(moved, observed)
    after = await external.observe(moved)
    assert (after.exists, after.differences) == (True, ())
    assert after.external_name != managed.external_name
