"""EKS: versions of Kubernetes, zones, sizes of node groups, and clusters that are not ready."""

from typing import Any, Final

from plumbline.providers.sandbox.calls import Call, Refusal, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, matches, value_at

VERSIONS: Final = ("1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35")
_ZONES: Final = 2
_ROLE: Final = r"arn:aws[a-z-]*:iam::\d{12}:role/.{1,512}"
_ROLE_TEXT: Final = "Role with arn: {value}, is not valid"


def _version(call: Call, _: World) -> Objection:
    version = call["version"]
    return None if version is None or version in VERSIONS else f"unsupported Kubernetes version {version}"


def _step(call: Call, world: World) -> Objection:
    present = _cluster(call, world, "name").get("version")
    wanted = call["version"]
    if present is None or wanted is None or wanted not in VERSIONS:
        return None
    distance = VERSIONS.index(wanted) - VERSIONS.index(present) if present in VERSIONS else 1
    return None if distance == 1 else f"Unsupported Kubernetes minor version update from {present} to {wanted}"


def _zones(call: Call, world: World) -> Objection:
    names = value_at(call.params, "resourcesVpcConfig.subnetIds") or []
    subnets = [world.found("subnet", str(name)) for name in names]
    known = [subnet for subnet in subnets if subnet is not None]
    if len(known) < len(subnets):
        missing = next(name for name, subnet in zip(names, subnets, strict=True) if subnet is None)
        return f"The subnet ID '{missing}' does not exist"
    zones = {subnet["availability_zone"] for subnet in known}
    return None if len(zones) >= _ZONES else "Subnets specified must be in at least two different AZs"


def _cluster(call: Call, world: World, parameter: str) -> Any:
    return world.found("eks-cluster", str(call[parameter])) or {}


def _active(parameter: str) -> Any:
    def check(call: Call, world: World) -> Objection:
        status = _cluster(call, world, parameter).get("status", "ACTIVE")
        return None if status == "ACTIVE" else f"Cluster '{call[parameter]}' is not in ACTIVE status: {status}"

    return check


def _going(call: Call, world: World) -> Objection:
    status = _cluster(call, world, "name").get("status", "ACTIVE")
    if status == "ACTIVE":
        return None
    return Refusal("ResourceInUseException", f"Cluster is in status {status} and cannot be deleted now")


def _scaling(call: Call, _: World) -> Objection:
    scaling = call["scalingConfig"] or {}
    low, wanted, high = (scaling.get(name) for name in ("minSize", "desiredSize", "maxSize"))
    if low is not None and high is not None and low > high:
        return f"Minimum capacity {low} can't be greater than maximum size {high}"
    if wanted is not None and high is not None and wanted > high:
        return f"desired capacity {wanted} can't be greater than max size {high}"
    if wanted is not None and low is not None and wanted < low:
        return f"Minimum capacity {low} can't be greater than desired size {wanted}"
    return None


RULES: Final = (
    Rule("CreateCluster", "InvalidParameterException", _version),
    Rule("CreateCluster", "InvalidParameterException", matches("roleArn", _ROLE, _ROLE_TEXT)),
    Rule("CreateCluster", "InvalidParameterException", _zones),
    Rule("UpdateClusterVersion", "ResourceInUseException", _active("name")),
    Rule("UpdateClusterVersion", "InvalidParameterException", _version),
    Rule("UpdateClusterVersion", "InvalidParameterException", _step),
    Rule("UpdateClusterConfig", "ResourceInUseException", _active("name")),
    Rule("CreateNodegroup", "InvalidRequestException", _active("clusterName")),
    Rule("CreateNodegroup", "InvalidParameterException", matches("nodeRole", _ROLE, _ROLE_TEXT)),
    Rule("CreateNodegroup UpdateNodegroupConfig", "InvalidParameterException", _scaling),
    Rule("DeleteCluster", "ResourceInUseException", _going),
)
