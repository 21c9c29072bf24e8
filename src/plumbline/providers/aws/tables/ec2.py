"""Networks: what is in them is found again by tags alone."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.external import Difference
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.faults import code_of
from plumbline.providers.aws.table import Call, Key, Read, States, Table, Tags, Update


def _to(field: str, kind: str, *, many: bool = False) -> Reference:
    return Reference(field, GroupKind("ec2.aws.upbound.io", kind), many=many)


def _tags(resource_type: str) -> Tags:
    return Tags(
        member="TagSpecifications", resource_type=resource_type, write=Call("CreateTags", {"Resources": ["$name"], "Tags": "$tags"}),
        erase=Call("DeleteTags", {"Resources": ["$name"], "Tags": "$pairs"}),
    )  # fmt: skip


def _arn(resource: str) -> str:
    return f"arn:$partition:ec2:$region:$account:{resource}/$name"


_TAGGED: Final = {"Filters": "$tagged"}

VPC: Final = Table(
    service="ec2", kind="VPC", plural="vpcs", external_name="assigned", called="VpcId", find=Read("DescribeVpcs", _TAGGED, at="Vpcs[].VpcId"),
    create=Call("CreateVpc"), created_at="Vpc",
    reads=(Read("DescribeVpcs", {"VpcIds": ["$name"]}, at="Vpcs[0]"),
           Read("DescribeVpcAttribute", {"VpcId": "$name", "Attribute": "enableDnsSupport"}, when="enableDnsSupport"),
           Read("DescribeVpcAttribute", {"VpcId": "$name", "Attribute": "enableDnsHostnames"}, when="enableDnsHostnames")),
    # AWS takes one of them at a time.
    updates=(Update("ModifyVpcAttribute", {"VpcId": "$name"}, fields="enableDnsSupport"),
             Update("ModifyVpcAttribute", {"VpcId": "$name"}, fields="enableDnsHostnames")),
    delete=Call("DeleteVpc", {"VpcId": "$name"}),
    settable="enableDnsSupport enableDnsHostnames",
    fixed="cidrBlock instanceTenancy ipv4IpamPoolId ipv4NetmaskLength ipv6IpamPoolId assignGeneratedIpv6CidrBlock",
    unread="ipv4IpamPoolId ipv4NetmaskLength ipv6IpamPoolId assignGeneratedIpv6CidrBlock",
    names={"enableDnsSupport": "EnableDnsSupport.Value", "enableDnsHostnames": "EnableDnsHostnames.Value",
           "assignGeneratedIpv6CidrBlock": "AmazonProvidedIpv6CidrBlock"},
    tags=_tags("vpc"), states=States("State", creating="pending"), arn_form=_arn("vpc"),
    extra={"ownerId": "OwnerId", "dhcpOptionsId": "DhcpOptionsId", "ipv6CidrBlock": "Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock"},
    holds="a network",
)  # fmt: skip

SUBNET: Final = Table(
    service="ec2", kind="Subnet", plural="subnets", external_name="assigned", called="SubnetId",
    find=Read("DescribeSubnets", _TAGGED, at="Subnets[].SubnetId"),
    create=Call("CreateSubnet"), created_at="Subnet", reads=(Read("DescribeSubnets", {"SubnetIds": ["$name"]}, at="Subnets[0]"),),
    updates=(Update("ModifySubnetAttribute", {"SubnetId": "$name"}, fields="mapPublicIpOnLaunch"),
             Update("ModifySubnetAttribute", {"SubnetId": "$name"}, fields="assignIpv6AddressOnCreation"),
             Update("ModifySubnetAttribute", {"SubnetId": "$name"}, fields="enableDns64")),
    delete=Call("DeleteSubnet", {"SubnetId": "$name"}),
    settable="mapPublicIpOnLaunch assignIpv6AddressOnCreation enableDns64",
    fixed="vpcId cidrBlock availabilityZone availabilityZoneId ipv6CidrBlock outpostArn",
    names={"mapPublicIpOnLaunch": "MapPublicIpOnLaunch.Value", "assignIpv6AddressOnCreation": "AssignIpv6AddressOnCreation.Value",
           "enableDns64": "EnableDns64.Value"},
    found={"mapPublicIpOnLaunch": "MapPublicIpOnLaunch", "assignIpv6AddressOnCreation": "AssignIpv6AddressOnCreation", "enableDns64": "EnableDns64",
           "ipv6CidrBlock": "Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock"},
    tags=_tags("subnet"), states=States("State", creating="pending"), arn="SubnetArn", extra={"ownerId": "OwnerId"},
    references=(_to("vpcId", "VPC"),),
)  # fmt: skip

_NO_SUCH_RULE: Final = "InvalidPermission.NotFound"


async def _close_egress(scene: Scene) -> None:
    """AWS opens every new group to the outside; upstream closes it, so that rules say all there is."""
    everything = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    try:
        await scene.call("RevokeSecurityGroupEgress", {"GroupId": scene.name, "IpPermissions": [everything]})
    except NotFound as absent:
        if code_of(absent) != _NO_SUCH_RULE:  # the group itself may not have come up everywhere yet
            raise


SECURITY_GROUP: Final = Table(
    service="ec2", kind="SecurityGroup", plural="securitygroups", external_name="assigned", called="GroupId", key=Key("name", limit=255),
    find=Read("DescribeSecurityGroups", _TAGGED, at="SecurityGroups[].GroupId"),
    create=Call("CreateSecurityGroup", {"GroupName": "$key", "Description": "Managed by Plumbline"}), after_create=_close_egress,
    reads=(Read("DescribeSecurityGroups", {"GroupIds": ["$name"]}, at="SecurityGroups[0]"),),
    delete=Call("DeleteSecurityGroup", {"GroupId": "$name"}),
    fixed="description vpcId", local="revokeRulesOnDelete", switches="revokeRulesOnDelete",
    tags=_tags("security-group"), arn_form=_arn("security-group"),
    extra={"ownerId": "OwnerId", "name": "GroupName"}, references=(_to("vpcId", "VPC"),),
)  # fmt: skip

_SOURCES: Final = {
    "cidrBlocks": ("IpRanges", "CidrIp"),
    "ipv6CidrBlocks": ("Ipv6Ranges", "CidrIpv6"),
    "prefixListIds": ("PrefixListIds", "PrefixListId"),
}
_EVERY_PROTOCOL: Final = "-1"


def _permission(scene: Scene, sources: JsonObject) -> JsonObject:
    wanted = scene.wanted
    protocol = str(wanted.get("protocol", "")).lower().replace("all", _EVERY_PROTOCOL)
    said = {"Description": wanted["description"]} if wanted.get("description") else {}
    permission: JsonObject = {"IpProtocol": protocol}
    if protocol != _EVERY_PROTOCOL:
        permission |= {"FromPort": int(wanted.get("fromPort", -1)), "ToPort": int(wanted.get("toPort", -1))}
    for field, (member, name) in _SOURCES.items():
        if sources.get(field):
            permission[member] = [{name: source, **said} for source in sources[field]]
    if sources.get("groups"):
        permission["UserIdGroupPairs"] = [{"GroupId": group, **said} for group in sources["groups"]]
    return permission


def _rule_sources(wanted: JsonObject) -> JsonObject:
    own = [wanted.get("securityGroupId")] if wanted.get("self") else []
    other = [wanted["sourceSecurityGroupId"]] if wanted.get("sourceSecurityGroupId") else []
    return {**{field: wanted.get(field) or [] for field in _SOURCES}, "groups": [*own, *other]}


def _found_rule(found: JsonObject, scene: Scene) -> JsonObject | None:
    """What the group has of this rule. Others' rules for the same ports are in the same list, so only what we want or had counts."""
    permissions = found["IpPermissionsEgress" if scene.wanted.get("type") == "egress" else "IpPermissions"]
    ours = _permission(scene, {})
    keys = ("IpProtocol", "FromPort", "ToPort")
    alike = [item for item in permissions if all(item.get(key) == ours.get(key) for key in keys if key in ours)]
    wanted, had = _rule_sources(scene.wanted), _rule_sources(scene.reported)
    result: JsonObject = {"GroupId": found["GroupId"]}
    for field, (member, name) in _SOURCES.items():
        there = {source[name] for item in alike for source in item.get(member, ())}
        result[field] = [source for source in dict.fromkeys([*wanted[field], *had[field]]) if source in there]
    groups = {pair.get("GroupId") for item in alike for pair in item.get("UserIdGroupPairs", ())}
    result["self"] = bool(scene.wanted.get("self")) and scene.wanted.get("securityGroupId") in groups
    source = scene.wanted.get("sourceSecurityGroupId")
    result["source"] = source if source in groups else None
    return result if any(result[field] for field in (*_SOURCES, "self", "source")) else None


async def _change_rule(scene: Scene, differences: Mapping[str, Difference]) -> None:
    way = "Egress" if scene.wanted.get("type") == "egress" else "Ingress"
    for operation, sources in (("Revoke", _surplus(differences)), ("Authorize", _missing(scene, differences))):
        if any(sources.values()):
            params = {"GroupId": scene.wanted["securityGroupId"], "IpPermissions": [_permission(scene, sources)]}
            await scene.call(f"{operation}SecurityGroup{way}", params)


def _surplus(differences: Mapping[str, Difference]) -> JsonObject:
    return {field: [item for item in differences[field].found or () if item not in (differences[field].wanted or ())]
            for field in _SOURCES if field in differences}  # fmt: skip


def _missing(scene: Scene, differences: Mapping[str, Difference]) -> JsonObject:
    sources: JsonObject = {
        field: [item for item in differences[field].wanted or () if item not in (differences[field].found or ())]
        for field in _SOURCES if field in differences
    }  # fmt: skip
    groups = [scene.wanted["securityGroupId"]] if "self" in differences else []
    groups += [scene.wanted["sourceSecurityGroupId"]] if "sourceSecurityGroupId" in differences else []
    return {**sources, "groups": groups}


def _whole_rule(scene: Scene) -> JsonObject:
    return {"IpPermissions": [_permission(scene, _rule_sources(scene.wanted))]}


RULE: Final = Table(
    service="ec2", kind="SecurityGroupRule", plural="securitygrouprules", external_name="assigned",
    key=Key(joined="securityGroupId type protocol fromPort toPort cidrBlocks ipv6CidrBlocks prefixListIds sourceSecurityGroupId self"),
    create=Call("AuthorizeSecurityGroupIngress", {"GroupId": "$.securityGroupId"}), creation=_whole_rule, exists="InvalidPermission.Duplicate",
    variants={"type=egress": Call("AuthorizeSecurityGroupEgress", {"GroupId": "$.securityGroupId"})},
    reads=(Read("DescribeSecurityGroups", {"GroupIds": ["$.securityGroupId"]}, at="SecurityGroups[0]"),), seen=_found_rule,
    change=_change_rule, changed="cidrBlocks ipv6CidrBlocks prefixListIds self sourceSecurityGroupId",
    delete=Call("RevokeSecurityGroupIngress", {"GroupId": "$.securityGroupId"}), deletion=_whole_rule,
    deletes={"type=egress": Call("RevokeSecurityGroupEgress", {"GroupId": "$.securityGroupId"})},
    settable="cidrBlocks ipv6CidrBlocks prefixListIds self sourceSecurityGroupId",
    found={"cidrBlocks": "cidrBlocks", "ipv6CidrBlocks": "ipv6CidrBlocks", "prefixListIds": "prefixListIds", "self": "self",
           "sourceSecurityGroupId": "source"},
    local="type protocol fromPort toPort securityGroupId description", numbers="fromPort toPort", switches="self",
    texts="cidrBlocks ipv6CidrBlocks prefixListIds", words="sourceSecurityGroupId",
    required="type protocol fromPort toPort",
    references=(_to("securityGroupId", "SecurityGroup"), _to("sourceSecurityGroupId", "SecurityGroup")),
)  # fmt: skip


async def _attach(scene: Scene, differences: Mapping[str, Difference]) -> None:
    changed = differences["vpcId"]
    if changed.found:
        await scene.call("DetachInternetGateway", {"InternetGatewayId": scene.name, "VpcId": changed.found})
    if changed.wanted:
        await scene.call("AttachInternetGateway", {"InternetGatewayId": scene.name, "VpcId": changed.wanted})


async def _detach(scene: Scene) -> None:
    if scene.reported.get("vpcId"):
        await scene.call("DetachInternetGateway", {"InternetGatewayId": scene.name, "VpcId": scene.reported["vpcId"]})


INTERNET_GATEWAY: Final = Table(
    service="ec2", kind="InternetGateway", plural="internetgateways", external_name="assigned", called="InternetGatewayId",
    find=Read("DescribeInternetGateways", _TAGGED, at="InternetGateways[].InternetGatewayId"),
    create=Call("CreateInternetGateway"), created_at="InternetGateway",
    reads=(Read("DescribeInternetGateways", {"InternetGatewayIds": ["$name"]}, at="InternetGateways[0]"),),
    change=_attach, changed="vpcId", delete=Call("DeleteInternetGateway", {"InternetGatewayId": "$name"}), before_delete=_detach,
    settable="vpcId", words="vpcId", found={"vpcId": "Attachments[0].VpcId"},
    tags=_tags("internet-gateway"), arn_form=_arn("internet-gateway"), extra={"ownerId": "OwnerId"}, references=(_to("vpcId", "VPC"),),
)  # fmt: skip

ROUTE_TABLE: Final = Table(
    service="ec2", kind="RouteTable", plural="routetables", external_name="assigned", called="RouteTableId",
    find=Read("DescribeRouteTables", _TAGGED, at="RouteTables[].RouteTableId"),
    create=Call("CreateRouteTable"), created_at="RouteTable",
    reads=(Read("DescribeRouteTables", {"RouteTableIds": ["$name"]}, at="RouteTables[0]"),),
    delete=Call("DeleteRouteTable", {"RouteTableId": "$name"}),
    fixed="vpcId", tags=_tags("route-table"), arn_form=_arn("route-table"), extra={"ownerId": "OwnerId"}, references=(_to("vpcId", "VPC"),),
)  # fmt: skip

_DESTINATION: Final = {
    "DestinationCidrBlock": "$.destinationCidrBlock", "DestinationIpv6CidrBlock": "$.destinationIpv6CidrBlock",
    "DestinationPrefixListId": "$.destinationPrefixListId",
}  # fmt: skip
_ROUTE: Final = {"RouteTableId": "$.routeTableId", **_DESTINATION}

ROUTE: Final = Table(
    service="ec2", kind="Route", plural="routes", external_name="assigned",
    key=Key(joined="routeTableId destinationCidrBlock destinationIpv6CidrBlock destinationPrefixListId"),
    create=Call("CreateRoute"), exists="RouteAlreadyExists",
    reads=(Read("DescribeRouteTables", {"RouteTableIds": ["$.routeTableId"]}, at="RouteTables[0].Routes", match=_DESTINATION),),
    updates=(Update("ReplaceRoute", _ROUTE, form="whole"),), delete=Call("DeleteRoute", _ROUTE),
    settable="gatewayId natGatewayId transitGatewayId vpcEndpointId networkInterfaceId vpcPeeringConnectionId egressOnlyGatewayId"
    " carrierGatewayId localGatewayId coreNetworkArn",
    fixed="routeTableId destinationCidrBlock destinationIpv6CidrBlock destinationPrefixListId", unread="routeTableId vpcEndpointId",
    names={"egressOnlyGatewayId": "EgressOnlyInternetGatewayId"},
    extra={"origin": "Origin", "state": "State"},
    references=(_to("routeTableId", "RouteTable"), _to("gatewayId", "InternetGateway"), _to("natGatewayId", "NATGateway")),
)  # fmt: skip

ASSOCIATION: Final = Table(
    service="ec2", kind="RouteTableAssociation", plural="routetableassociations", external_name="assigned", renames=True,
    called="RouteTableAssociationId || AssociationId",
    find=Read("DescribeRouteTables", {"Filters": [{"Name": "route-table-id", "Values": ["$.routeTableId"]}]}, at="RouteTables[].Associations[]",
              match={"SubnetId": "$.subnetId", "GatewayId": "$.gatewayId"}, pick="RouteTableAssociationId"),
    create=Call("AssociateRouteTable"), exists="Resource.AlreadyAssociated",
    reads=(Read("DescribeRouteTables", {"Filters": [{"Name": "association.route-table-association-id", "Values": ["$name"]}]},
                at="RouteTables[].Associations[]", match={"RouteTableAssociationId": "$name"}),),
    updates=(Update("ReplaceRouteTableAssociation", {"AssociationId": "$name"}, fields="routeTableId"),),
    delete=Call("DisassociateRouteTable", {"AssociationId": "$name"}),
    settable="routeTableId", fixed="subnetId gatewayId",
    references=(_to("routeTableId", "RouteTable"), _to("subnetId", "Subnet")),
)  # fmt: skip

NAT_GATEWAY: Final = Table(
    service="ec2", kind="NATGateway", plural="natgateways", external_name="assigned", called="NatGatewayId",
    find=Read("DescribeNatGateways", {"Filter": "$tagged"}, at="NatGateways[].NatGatewayId"),
    create=Call("CreateNatGateway", {"ClientToken": "$token"}), created_at="NatGateway",
    reads=(Read("DescribeNatGateways", {"NatGatewayIds": ["$name"]}, at="NatGateways[0]"),),
    delete=Call("DeleteNatGateway", {"NatGatewayId": "$name"}),
    fixed="subnetId allocationId connectivityType privateIp", names={"privateIp": "PrivateIpAddress"},
    found={"allocationId": "NatGatewayAddresses[0].AllocationId", "privateIp": "NatGatewayAddresses[0].PrivateIp"},
    tags=_tags("natgateway"),
    states=States("State", creating="pending", deleting="deleting", unavailable="failed", absent="deleted", why="FailureMessage"),
    extra={"publicIp": "NatGatewayAddresses[0].PublicIp", "networkInterfaceId": "NatGatewayAddresses[0].NetworkInterfaceId"},
    references=(_to("subnetId", "Subnet"), _to("allocationId", "EIP")),
)  # fmt: skip

EIP: Final = Table(
    service="ec2", kind="EIP", plural="eips", external_name="assigned", called="AllocationId",
    find=Read("DescribeAddresses", _TAGGED, at="Addresses[].AllocationId"),
    create=Call("AllocateAddress", {"Domain": "vpc"}), reads=(Read("DescribeAddresses", {"AllocationIds": ["$name"]}, at="Addresses[0]"),),
    delete=Call("ReleaseAddress", {"AllocationId": "$name"}),
    fixed="domain networkBorderGroup publicIpv4Pool customerOwnedIpv4Pool address", unread="address publicIpv4Pool customerOwnedIpv4Pool",
    local="vpc", switches="vpc", tags=_tags("elastic-ip"), arn_form=_arn("elastic-ip"),
    extra={"allocationId": "AllocationId", "publicIp": "PublicIp", "privateIp": "PrivateIpAddress", "associationId": "AssociationId"},
    holds="an address",
)  # fmt: skip

TABLES: Final = (VPC, SUBNET, SECURITY_GROUP, RULE, INTERNET_GATEWAY, ROUTE_TABLE, ROUTE, ASSOCIATION, NAT_GATEWAY, EIP)
