"""Ids that say more than a name: ARNs, queue URLs, ARM ids and Google's resource paths, taken apart."""

import re
from typing import Final, NamedTuple

from plumbline.ownership.external.azure import TYPES as ARM_TYPES
from plumbline.ownership.external.gcp import PATHS as GOOGLE_PATHS
from plumbline.ownership.external.rules import rule_of_arn

LONGEST: Final = 2048
"""No cloud gives longer ids; longer texts are not looked at."""

_ARN: Final = re.compile(r"arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):([0-9]{12}|aws)?:(.+)", re.DOTALL)
_QUEUE: Final = re.compile(
    r"https://(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com(?:\.cn)?/([0-9]{12})/(\S+)"
)
_ARM: Final = re.compile(
    r"/subscriptions/([^/]+)/resourcegroups/([^/]+)(?:/providers/([^/]+)/([^/]+)/([^/]+))?", re.IGNORECASE
)
_GOOGLE: Final = re.compile(r"(?:https://www\.googleapis\.com/[a-z]+/v[0-9a-z]+/)?projects/([^/]+)/(.+)")
_SECRET_SUFFIX: Final = re.compile(r"-[A-Za-z0-9]{6}")
_LAST_SEGMENT: Final = ("aws_iam_role", "aws_iam_policy", "aws_iam_user", "aws_iam_group", "aws_iam_instance_profile")
_ARN_PARTS: Final = 2


class Known(NamedTuple):
    type: str
    id: str
    region: str = ""
    account: str = ""


def taken_apart(text: str) -> Known | None:
    """What *text* says of itself; None where it is a plain name, or in a form that nobody here knows."""
    if len(text) > LONGEST:
        return None
    if text.startswith("arn:"):
        return _from_arn(text)
    if match := _QUEUE.fullmatch(text):
        return Known("aws_sqs_queue", match[4], match[1] or match[2], match[3])
    if match := _ARM.fullmatch(text):
        return _from_arm(match)
    if match := _GOOGLE.fullmatch(text):
        return _from_google(match[1], match[2].split("/"))
    return None


def _from_arn(text: str) -> Known | None:
    match = _ARN.fullmatch(text)
    if match is None:
        return None
    _, service, region, account, resource = match.groups()
    found = rule_of_arn(f"{service}:{resource}")
    if found is None:
        return Known(f"arn:{service}", resource, region, account or "")
    rule, name = found
    return Known(rule.type, _name_in_arn(rule.type, name), region, account or "")


def _name_in_arn(type_: str, name: str) -> str:
    if type_ in _LAST_SEGMENT:
        return name.rpartition("/")[2]
    if type_ in {"aws_eks_node_group", "aws_eks_addon"}:
        return ":".join(name.split("/")[:_ARN_PARTS])
    if type_ == "aws_secretsmanager_secret" and _SECRET_SUFFIX.fullmatch(name[-7:]):
        return name[:-7]
    if type_ == "aws_cloudwatch_log_group":
        return name.removesuffix(":*")
    # What follows belongs to a part of it: an index of a table, an object in a bucket, a version of a function.
    if type_ in {"aws_dynamodb_table", "aws_s3_bucket"}:
        return name.partition("/")[0]
    return name.partition(":")[0] if type_ == "aws_lambda_function" else name


def _from_arm(match: re.Match[str]) -> Known | None:
    subscription, group, namespace, collection, name = match.groups()
    if namespace is None:
        return Known("azurerm_resource_group", group, "", subscription)
    type_ = ARM_TYPES.get(f"{namespace}/{collection}".lower())
    if type_ is None:
        return Known(f"azure:{namespace}/{collection}".lower(), f"{group}/{name}".lower(), "", subscription)
    in_group = type_ in {"azurerm_kubernetes_cluster", "azurerm_virtual_network"}
    return Known(type_, f"{group}/{name}" if in_group else name, "", subscription)


def _from_google(project: str, steps: list[str]) -> Known | None:
    if steps[0] == "global":
        steps = steps[1:]
    within = dict(zip(steps[::2], steps[1::2], strict=False))
    region = within.get("locations") or within.get("regions") or ""
    collection, name = ("", "", *steps)[-2:]
    types = GOOGLE_PATHS.get(collection)
    if types is None or len(steps) % 2:
        return None
    type_ = types.get("locations" if region else "", types[""])
    if type_ == "google_sql_database":
        return Known(type_, f"{within.get('instances', '')}/{name}", "", project)
    return Known(type_, name, region, project)
