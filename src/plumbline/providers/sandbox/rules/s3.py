"""S3: names of buckets, which all of AWS shares, and settings of buckets. Uniqueness and emptiness moto knows itself."""

import ipaddress
import re
from typing import Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.policies import document
from plumbline.providers.sandbox.rules.rule import Objection, Rule, one_of, value_at

_LABELS: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]")
_PREFIXES: Final = ("xn--", "sthree-", "amzn-s3-demo-")
_SUFFIXES: Final = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")
_TAGS: Final = 50


def well_named(name: str) -> bool:
    if not _LABELS.fullmatch(name) or ".." in name or name.startswith(_PREFIXES) or name.endswith(_SUFFIXES):
        return False
    try:
        ipaddress.IPv4Address(name)
    except ValueError:
        return True
    return False


def _name(call: Call, _: World) -> Objection:
    return None if well_named(str(call["Bucket"] or "")) else "The specified bucket is not valid."


def _location(call: Call, _: World) -> Objection:
    place = value_at(call.params, "CreateBucketConfiguration.LocationConstraint") or ""
    if call.region == "us-east-1":
        return None
    if place == call.region or (place == "EU" and call.region == "eu-west-1"):
        return None
    shown = place or "unspecified"
    return f"The {shown} location constraint is incompatible for the region specific endpoint this request was sent to."


def _first_region(call: Call, _: World) -> Objection:
    place = value_at(call.params, "CreateBucketConfiguration.LocationConstraint")
    return "The specified location-constraint is not valid" if place == "us-east-1" else None


def _tags(call: Call, _: World) -> Objection:
    keys = [str(tag.get("Key", "")) for tag in value_at(call.params, "Tagging.TagSet") or ()]
    if len(keys) != len(set(keys)):
        return "Cannot provide multiple Tags with the same key"
    if any(key.startswith("aws:") for key in keys):
        return "System tags cannot be added/updated by requester"
    return "Bucket tag count cannot be greater than 50" if len(keys) > _TAGS else None


_XML: Final = "The XML you provided was not well-formed or did not validate against our published schema"
_ALGORITHM: Final = "ServerSideEncryptionConfiguration.Rules.ApplyServerSideEncryptionByDefault.SSEAlgorithm"

RULES: Final = (
    Rule("CreateBucket", "InvalidBucketName", _name),
    Rule("CreateBucket", "InvalidLocationConstraint", _first_region),
    Rule("CreateBucket", "IllegalLocationConstraintException", _location),
    Rule(
        "PutBucketVersioning", "MalformedXML", one_of("VersioningConfiguration.Status", ("Enabled", "Suspended"), _XML)
    ),
    Rule("PutBucketEncryption", "MalformedXML", one_of(_ALGORITHM, ("AES256", "aws:kms", "aws:kms:dsse"), _XML)),
    Rule("PutBucketTagging", "InvalidTag", _tags),
    Rule("PutBucketPolicy", "MalformedPolicy", document("Policy", "resource")),
)
