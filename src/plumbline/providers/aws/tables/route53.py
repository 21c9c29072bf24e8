"""Names of hosts."""

from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.compare import same
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Call, Codec, Key, Read, Table, Tags, Update

_OWN_TYPES: Final = ("NS", "SOA")
_ZONE: Final = {"ResourceType": "hostedzone", "ResourceId": "$name"}


def _short_id(found: JsonObject, _: Scene) -> JsonObject:
    """Zones are called `/hostedzone/Z1` in answers and `Z1` everywhere else."""
    zone = found["HostedZone"]
    return {**found, "HostedZone": {**zone, "Id": zone["Id"].rpartition("/")[2]}}


async def _empty_zone(scene: Scene) -> None:
    """A zone goes only without records but its own; `forceDestroy` takes the others away."""
    if not scene.wanted.get("forceDestroy"):
        return
    listed = await scene.account.pages("route53", "ListResourceRecordSets", {"HostedZoneId": scene.name})
    name = str(scene.wanted.get("name"))
    others = [
        item
        for item in listed["ResourceRecordSets"]
        if item["Type"] not in _OWN_TYPES or not same(name, item["Name"], "dns")
    ]
    for start in range(0, len(others), 100):
        changes = [{"Action": "DELETE", "ResourceRecordSet": item} for item in others[start : start + 100]]
        await scene.call("ChangeResourceRecordSets", {"HostedZoneId": scene.name, "ChangeBatch": {"Changes": changes}})


ZONE: Final = Table(
    service="route53", kind="Zone", plural="zones", regional=False, external_name="assigned", called="HostedZone.Id", prefix="/hostedzone/",
    find=Read("ListHostedZonesByName", {"DNSName": "$.name"}, at="HostedZones[].Id"),
    create=Call("CreateHostedZone", {"CallerReference": "$token", "Name": "$.name"}),
    reads=(Read("GetHostedZone", {"Id": "$name"}),), seen=_short_id,
    updates=(Update("UpdateHostedZoneComment", {"Id": "$name"}, fields="comment", names={"comment": "Comment"}),),
    delete=Call("DeleteHostedZone", {"Id": "$name"}), before_delete=_empty_zone,
    settable="comment", fixed="name delegationSetId vpc", unread="vpc delegationSetId", required="name",
    names={"comment": "HostedZoneConfig.Comment", "vpc": "VPC"}, found={"comment": "HostedZone.Config.Comment", "name": "HostedZone.Name"},
    same={"name": "dns"}, local="forceDestroy", switches="forceDestroy",
    tags=Tags(member="", read=Read("ListTagsForResource", _ZONE, at="ResourceTagSet.Tags", into="Tags"),
              write=Call("ChangeTagsForResource", _ZONE | {"AddTags": "$tags"}), erase=Call("ChangeTagsForResource", _ZONE | {"RemoveTagKeys": "$keys"})),
    arn_form="arn:$partition:route53:::hostedzone/$name",
    extra={"zoneId": "_.name", "nameServers": "DelegationSet.NameServers", "primaryNameServer": "DelegationSet.NameServers[0]"},
    holds="a zone",
)  # fmt: skip

_POLICIES: Final = {
    "weightedRoutingPolicy": ("Weight", "weight"),
    "latencyRoutingPolicy": ("Region", "region"),
    "failoverRoutingPolicy": ("Failover", "type"),
}


def _one(value: Json) -> JsonObject:
    return value[0] if isinstance(value, list) and value else value or {}


def record_set(wanted: JsonObject) -> JsonObject:
    """The record as AWS has it."""
    record: JsonObject = {"Name": wanted["name"], "Type": wanted["type"]}
    if wanted.get("records"):
        record |= {
            "TTL": int(wanted.get("ttl", 300)),
            "ResourceRecords": [{"Value": _quoted(value, wanted)} for value in wanted["records"]],
        }
    if alias := _one(wanted.get("alias")):
        record["AliasTarget"] = {
            "DNSName": alias["name"], "HostedZoneId": alias["zoneId"], "EvaluateTargetHealth": bool(alias.get("evaluateTargetHealth"))
        }  # fmt: skip
    for field, (member, inner) in _POLICIES.items():
        if policy := _one(wanted.get(field)):
            record[member] = int(policy[inner]) if member == "Weight" else policy[inner]
    if place := _one(wanted.get("geolocationRoutingPolicy")):
        members = {"continent": "ContinentCode", "country": "CountryCode", "subdivision": "SubdivisionCode"}
        record["GeoLocation"] = {members[name]: value for name, value in place.items() if value}
    for field, member in (("setIdentifier", "SetIdentifier"), ("healthCheckId", "HealthCheckId")):
        if wanted.get(field):
            record[member] = wanted[field]
    return record


def _quoted(value: str, wanted: JsonObject) -> str:
    return f'"{value}"' if wanted["type"] in {"TXT", "SPF"} and not value.startswith('"') else value


def _batch(action: str, record: JsonObject) -> JsonObject:
    return {"ChangeBatch": {"Changes": [{"Action": action, "ResourceRecordSet": record}]}}


def _creation(scene: Scene) -> JsonObject:
    return _batch("UPSERT" if scene.wanted.get("allowOverwrite") else "CREATE", record_set(scene.wanted))


def _this_record(found: JsonObject, scene: Scene) -> JsonObject | None:
    """AWS lists from the name on: the first one is another one where there is none."""
    wanted = scene.wanted
    alike = same(wanted.get("name"), found["Name"].replace("\\\\052", "*"), "dns") and found["Type"] == wanted.get(
        "type"
    )
    return found if alike and found.get("SetIdentifier") == wanted.get("setIdentifier") else None


async def _delete_record(scene: Scene) -> None:
    """AWS wants to be told exactly what it has."""
    answer = await scene.call("ListResourceRecordSets", await scene.params(_THIS))
    found = next(iter(answer["ResourceRecordSets"]), None)
    record = _this_record(found, scene) if found else None
    if record is not None:
        await scene.call(
            "ChangeResourceRecordSets", {"HostedZoneId": scene.wanted["zoneId"], **_batch("DELETE", record)}
        )


def _values(found: JsonObject) -> Json:
    values = [item["Value"] for item in found.get("ResourceRecords", ())]
    return [value.strip('"') if found["Type"] in {"TXT", "SPF"} else value for value in values]


def _alias(found: JsonObject) -> Json:
    target = found.get("AliasTarget") or {}
    names = {"DNSName": "name", "HostedZoneId": "zoneId", "EvaluateTargetHealth": "evaluateTargetHealth"}
    return {names[member]: value.rstrip(".") if member == "DNSName" else value for member, value in target.items()}


def _policy(field: str) -> Codec:
    member, inner = _POLICIES[field]
    return Codec(_FREE, lambda *_: {}, lambda found: {inner: found[member]} if found.get(member) is not None else None)


_FREE: Final[JsonObject] = {"x-kubernetes-preserve-unknown-fields": True}
_TEXTS: Final[JsonObject] = {"type": "array", "items": {"type": "string"}}
_IN_ZONE: Final = {"HostedZoneId": "$.zoneId"}
_THIS: Final = {
    "HostedZoneId": "$.zoneId", "StartRecordName": "$.name", "StartRecordType": "$.type", "StartRecordIdentifier": "$.setIdentifier",
    "MaxItems": "1",
}  # fmt: skip

RECORD: Final = Table(
    service="route53", kind="Record", plural="records", versions=("v1beta2", "v1beta1"), regional=False,
    external_name="assigned", key=Key(joined="zoneId name type setIdentifier"),
    create=Call("ChangeResourceRecordSets", _IN_ZONE), creation=_creation, exists="InvalidChangeBatch",
    reads=(Read("ListResourceRecordSets", _THIS, at="ResourceRecordSets[0]"),),
    seen=_this_record,
    updates=(Update("ChangeResourceRecordSets", _IN_ZONE, build=lambda _, wanted: _batch("UPSERT", record_set(wanted)),
                    fields="ttl records alias healthCheckId weightedRoutingPolicy latencyRoutingPolicy failoverRoutingPolicy"),),
    delete=Call(""), before_delete=_delete_record,
    settable="ttl records alias healthCheckId weightedRoutingPolicy latencyRoutingPolicy failoverRoutingPolicy",
    fixed="name type setIdentifier geolocationRoutingPolicy", unread="geolocationRoutingPolicy",
    local="zoneId allowOverwrite", switches="allowOverwrite", numbers="ttl", words="name type setIdentifier healthCheckId",
    maps="geolocationRoutingPolicy", required="name type",
    names={"name": "Name", "type": "Type"}, found={"ttl": "TTL"}, same={"name": "dns"},
    codecs={"records": Codec(_TEXTS, lambda *_: {}, _values), "alias": Codec(_FREE, lambda *_: {}, _alias),
            **{field: _policy(field) for field in _POLICIES}},
    extra={"fqdn": "Name"},
    references=(Reference("zoneId", GroupKind("route53.aws.upbound.io", "Zone")),),
)  # fmt: skip

TABLES: Final = (ZONE, RECORD)
