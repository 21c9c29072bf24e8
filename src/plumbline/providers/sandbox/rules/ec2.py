"""EC2's networks: address ranges, security groups, and what must be gone before a network is."""

import ipaddress
from typing import Any, Final

from plumbline.providers.sandbox.calls import Call, Refusal, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, matches

_LARGEST, _SMALLEST = 16, 28
_PORTS: Final = range(-1, 65536)
_PROTOCOLS: Final = frozenset({"tcp", "udp", "icmp", "icmpv6", "-1", "all"})
_GROUP: Final = (
    "Value ({value}) for parameter {name} is invalid. Character sets beyond ASCII are not supported, the length is limited "
    "to 255, and the name may not begin with sg-."
)


def network(text: Any) -> ipaddress.IPv4Network | None:
    """Written with or without bits of a host, as AWS takes them."""
    if "/" not in str(text):
        return None
    try:
        return ipaddress.IPv4Network(str(text), strict=False)
    except ValueError:
        return None


def _range(code: str, kind: str) -> Any:
    def check(call: Call, _: World) -> Objection:
        text = call["CidrBlock"]
        if text is None:
            return None
        block = network(text)
        if block is None:
            return Refusal(
                "InvalidParameterValue",
                f"Value ({text}) for parameter cidrBlock is invalid. This is not a valid CIDR block.",
            )
        if not _LARGEST <= block.prefixlen <= _SMALLEST:
            return Refusal(code, f"The CIDR '{text}' is invalid: a {kind} has a prefix between /16 and /28.")
        return None

    return check


def _inside(call: Call, world: World) -> Objection:
    block, vpc = network(call["CidrBlock"]), world.found("vpc", str(call["VpcId"]))
    if block is None or vpc is None:
        return None
    spaces = [space for text in vpc["cidr_blocks"] if (space := network(text)) is not None]
    return None if any(block.subnet_of(space) for space in spaces) else f"The CIDR '{call['CidrBlock']}' is invalid."


def _apart(call: Call, world: World) -> Objection:
    block, vpc = network(call["CidrBlock"]), world.found("vpc", str(call["VpcId"]))
    if block is None or vpc is None:
        return None
    taken = [other for text in vpc["subnet_blocks"] if (other := network(text)) is not None]
    if any(block.overlaps(other) for other in taken):
        return f"The CIDR '{call['CidrBlock']}' conflicts with another subnet"
    return None


def _permissions(call: Call, _: World) -> Objection:
    single = [call.params] if call["IpProtocol"] is not None else []
    return next((fault for each in [*single, *(call["IpPermissions"] or ())] if (fault := _permission(each))), None)


def _permission(permission: Any) -> Objection:
    protocol = str(permission.get("IpProtocol", ""))
    if protocol not in _PROTOCOLS and not protocol.isdigit():
        return f"Invalid value '{protocol}' for IP protocol. Unknown protocol."
    low, high = permission.get("FromPort"), permission.get("ToPort")
    if protocol in {"tcp", "udp"}:
        if low is None or high is None:
            return f"Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange ({low}-{high})."
        if low not in _PORTS or high not in _PORTS or low > high:
            return f"Invalid TCP/UDP port range ({low}:{high})"
    blocks = [each.get("CidrIp") for each in permission.get("IpRanges") or ()]
    blocks += [permission["CidrIp"]] if permission.get("CidrIp") else []
    wrong = next((block for block in blocks if network(block) is None), None)
    return None if wrong is None else f"CIDR block {wrong} is malformed"


def _empty_network(call: Call, world: World) -> Objection:
    vpc = world.found("vpc", str(call["VpcId"]))
    if vpc is None or not (vpc["subnet_blocks"] or vpc["groups"]):
        return None
    return f"The vpc '{call['VpcId']}' has dependencies and cannot be deleted."


RULES: Final = (
    Rule("CreateVpc", "InvalidVpc.Range", _range("InvalidVpc.Range", "network")),
    Rule("CreateSubnet", "InvalidSubnet.Range", _range("InvalidSubnet.Range", "subnet")),
    Rule("CreateSubnet", "InvalidSubnet.Range", _inside),
    Rule("CreateSubnet", "InvalidSubnet.Conflict", _apart),
    Rule("CreateSecurityGroup", "InvalidParameterValue", matches("GroupName", r"(?!sg-)[ -~]{1,255}", _GROUP)),
    Rule("CreateSecurityGroup", "InvalidParameterValue", matches("Description", r"[ -~]{1,255}", _GROUP)),
    Rule("AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress", "InvalidParameterValue", _permissions),
    Rule("DeleteVpc", "DependencyViolation", _empty_network),
)
