"""Route 53: names of zones and records, and what a change may hold."""

import ipaddress
import re
from typing import Any, Final

from plumbline.providers.sandbox.calls import Call, Refusal, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, matches

_LABEL: Final = r"[A-Za-z0-9_!\"#$%&'()+,/:;<=>?@\[\]^`{|}~*\\-]{1,63}"
_DOMAIN: Final = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}\.?")
_LONGEST: Final = 255
_ZONE: Final = r"(?=.{1,255}$)(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?"
_LONGEST_TTL: Final = 2_147_483_647


def _changes(call: Call, world: World) -> Objection:
    zone = world.found("hosted-zone", str(call["HostedZoneId"]).rpartition("/")[2])
    apex = str(zone["name"]).rstrip(".").lower() if zone is not None else ""
    for change in (call["ChangeBatch"] or {}).get("Changes") or ():
        record = change.get("ResourceRecordSet") or {}
        fault = _fault(record, apex)
        if fault:
            return fault if isinstance(fault, Refusal) else f"[{fault}]"
    return None


def _fault(record: dict[str, Any], apex: str) -> Objection:
    name, kind = str(record.get("Name", "")), str(record.get("Type", ""))
    bare = name.rstrip(".").lower()
    if not _DOMAIN.fullmatch(name) or len(name) > _LONGEST:
        return f"FATAL problem: UnsupportedCharacter (Value contains unsupported characters) encountered with '{name}'"
    if apex and bare != apex and not bare.endswith("." + apex):
        return f"RRSet with DNS name {name} is not permitted in zone {apex}."
    if kind == "CNAME" and bare == apex:
        return f"RRSet of type CNAME with DNS name {name} is not permitted at apex in zone {apex}."
    values = [str(each.get("Value", "")) for each in record.get("ResourceRecords") or ()]
    if record.get("AliasTarget"):
        return (
            "Invalid request: an alias has neither TTL nor records" if values or record.get("TTL") is not None else None
        )
    if not values or record.get("TTL") is None:
        return Refusal(
            "InvalidInput", "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords]]"
        )
    return _fault_of_values(kind, name, values, int(record["TTL"]))


def _fault_of_values(kind: str, name: str, values: list[str], ttl: int) -> Objection:
    if not 0 <= ttl <= _LONGEST_TTL:
        return f"Invalid TTL {ttl} for '{name}'"
    if len(values) != len(set(values)):
        return f"Duplicate Resource Record: '{values[0]}'"
    if kind == "CNAME" and len(values) > 1:
        return f"CNAME record '{name}' must have exactly one value"
    wrong = next((value for value in values if not _spelled(kind, value)), None)
    return (
        None
        if wrong is None
        else f"Invalid Resource Record: 'FATAL problem: {kind}RRDATAIllegal encountered with '{wrong}''"
    )


def _spelled(kind: str, value: str) -> bool:
    try:
        match kind:
            case "A":
                ipaddress.IPv4Address(value)
            case "AAAA":
                ipaddress.IPv6Address(value)
            case "CNAME" | "NS" | "PTR":
                return bool(_DOMAIN.fullmatch(value))
            case "MX":
                return bool(re.fullmatch(r"\d{1,5} \S+", value))
            case "SRV":
                return bool(re.fullmatch(r"\d{1,5} \d{1,5} \d{1,5} \S+", value))
            case "TXT" | "SPF":
                return bool(re.fullmatch(r'"(?:[^"\\]|\\.){0,255}"(?: "(?:[^"\\]|\\.){0,255}")*', value))
    except ValueError:
        return False
    return True


RULES: Final = (
    Rule("CreateHostedZone", "InvalidDomainName", matches("Name", _ZONE, "{value} is not a valid domain name")),
    Rule("ChangeResourceRecordSets", "InvalidChangeBatch", _changes),
)
