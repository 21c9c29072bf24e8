"""Where a cloud shows something to people, for kinds of which that is known. Pure.

Addresses are made of names that come from objects, so that all of them are quoted; nothing else goes in.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from plumbline.base.json import JsonObject
from plumbline.composition.parts import below
from plumbline.kube.names import GroupVersionKind

_AWS: Final = "https://{region}.console.aws.amazon.com/{path}"
_AWS_PATHS: Final[Mapping[tuple[str, str], str]] = {
    ("dynamodb", "Table"): "dynamodbv2/home?region={region}#table?name={id}",
    ("ec2", "Instance"): "ec2/home?region={region}#InstanceDetails:instanceId={id}",
    ("ec2", "SecurityGroup"): "ec2/home?region={region}#SecurityGroup:groupId={id}",
    ("ec2", "Subnet"): "vpcconsole/home?region={region}#SubnetDetails:subnetId={id}",
    ("ec2", "VPC"): "vpcconsole/home?region={region}#VpcDetails:VpcId={id}",
    ("eks", "Cluster"): "eks/home?region={region}#/clusters/{id}",
    ("elasticache", "ReplicationGroup"): "elasticache/home?region={region}#/redis/{id}",
    ("iam", "Role"): "iam/home#/roles/details/{id}",
    ("lambda", "Function"): "lambda/home?region={region}#/functions/{id}",
    ("rds", "Cluster"): "rds/home?region={region}#database:id={id};is-cluster=true",
    ("rds", "Instance"): "rds/home?region={region}#database:id={id};is-cluster=false",
    ("s3", "Bucket"): "s3/buckets/{id}?region={region}",
    ("sqs", "Queue"): "sqs/v3/home?region={region}#/queues/{id}",
}
_GCP: Final[Mapping[tuple[str, str], str]] = {
    ("cloudplatform", "ServiceAccount"): "iam-admin/serviceaccounts/details/{id}?project={project}",
    ("compute", "Network"): "networking/networks/details/{id}?project={project}",
    ("container", "Cluster"): "kubernetes/clusters/details/{location}/{id}/details?project={project}",
    ("pubsub", "Topic"): "cloudpubsub/topic/detail/{id}?project={project}",
    ("sql", "DatabaseInstance"): "sql/instances/{id}/overview?project={project}",
    ("storage", "Bucket"): "storage/browser/{id}?project={project}",
}
_SUBSCRIPTION: Final = "/subscriptions/"
_LONGEST: Final = 2048


def console(gvk: GroupVersionKind, external: str, obj: JsonObject) -> str:
    """Empty where nobody knows."""
    if not external or len(external) > _LONGEST:
        return ""
    service = gvk.group.partition(".")[0]
    said = below(obj, "spec", "forProvider")
    if ".aws." in f".{gvk.group}":
        return _in_aws(_AWS_PATHS.get((service, gvk.kind), ""), external, str(said.get("region") or ""))
    if ".gcp." in f".{gvk.group}":
        return _in_gcp(_GCP.get((service, gvk.kind), ""), external, obj, said)
    if ".azure." in f".{gvk.group}":
        return _in_azure(obj)
    return ""


def _in_aws(path: str, external: str, region: str) -> str:
    if not path or ("{region}" in path and not region):
        return ""
    known = {"id": quote(external, safe=""), "region": quote(region or "us-east-1", safe="")}
    return _AWS.format(region=known["region"], path=path.format(**known))


def _in_gcp(path: str, external: str, obj: JsonObject, said: JsonObject) -> str:
    project = str(said.get("project") or below(obj, "status", "atProvider").get("project") or "")
    if not path or not project:
        return ""
    last = external.rstrip("/").rpartition("/")[2]
    location = str(said.get("location") or said.get("region") or "")
    known = {"id": last, "project": project, "location": location}
    return "https://console.cloud.google.com/" + path.format(
        **{key: quote(value, safe="") for key, value in known.items()}
    )


def _in_azure(obj: JsonObject) -> str:
    found = below(obj, "status", "atProvider").get("id")
    if not isinstance(found, str) or not found.startswith(_SUBSCRIPTION) or len(found) > _LONGEST:
        return ""
    return f"https://portal.azure.com/#resource{quote(found, safe='/')}"
