"""Volumes of pods: one source each, under a name that containers mount it by."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import csi_driver_name_errors
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import byte_count, dns_label, dns_subdomain, out_of_range
from plumbline.apiserver.validation.pods.choices import PULL_POLICIES, chosen_errors, optional_errors
from plumbline.apiserver.validation.pods.claims import claim_template_errors
from plumbline.apiserver.validation.pods.paths import descending_errors, mode_errors, upward_errors
from plumbline.apiserver.validation.pods.projections import downward_errors, key_to_path_errors, projected_errors
from plumbline.apiserver.validation.pods.resources import quantity
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text
from plumbline.apiserver.validation.volumesources import flocker_errors
from plumbline.base.json import JsonObject

SourceRule = Callable[[JsonObject, str], Iterator[FieldError]]

_HOST_PATH_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_iqn: Final = re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)\Z", re.ASCII).search
_eui: Final = re.compile(r"eui.[A-Za-z0-9]{16}").fullmatch
_naa: Final = re.compile(r"naa.[A-Za-z0-9]{32}").fullmatch
_ISCSI_NAME_BYTES: Final = 64
_LARGEST_LUN: Final = 255
_LARGEST_PARTITION: Final = 255
_LONGEST_TENANT: Final = 64
_HOST_PORTS: Final = "must be a host:port pair or multiple pairs separated by commas"


class Owner(NamedTuple):
    """The pod that the volumes belong to, as far as it is known: a template has no name and asks for less."""

    name: str = ""
    is_pod: bool = False


NOBODY: Final = Owner()


def volume_errors(
    volumes: list[JsonObject], field: str, owner: Owner
) -> tuple[dict[str, JsonObject], list[FieldError]]:
    """Which volumes can be mounted, and what is wrong with the others."""
    errors: list[FieldError] = []
    sound: dict[str, JsonObject] = {}
    created = {f"{owner.name}-{text(each.get('name'))}" for each in volumes if each.get("ephemeral") is not None}
    for index, volume in enumerate(volumes):
        at, name = f"{field}[{index}]", text(volume.get("name"))
        found = list(_source_errors(volume, name, at, owner))
        if not name:
            found.append(required(f"{at}.name"))
        elif faults := dns_label(name):
            found += faulty(f"{at}.name", name, faults)
        if name in sound:
            found.append(duplicate(f"{at}.name", name))
        if found:
            errors += found
        else:
            sound[name] = volume
        claim = text(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
        if owner.name and claim in created:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            errors.append(invalid(f"{at}.persistentVolumeClaim.claimName", claim, detail))
    return sound, errors


def _source_errors(volume: JsonObject, name: str, at: str, owner: Owner) -> Iterator[FieldError]:
    given = [source for source in volume if source in _SOURCES and volume[source] is not None]
    if not given:
        yield required(at, "must specify a volume type")
        return
    if len(given) > 1:
        given.sort(key=_ORDER.__getitem__)
    first = given[0]
    held = mapping(volume[first])
    if first == "image" and owner.is_pod and not held.get("reference"):
        yield required(f"{at}.image.reference")
    yield from _SOURCES[first](held, f"{at}.{_FIELDS.get(first, first)}")
    if first == "ephemeral" and owner.name and name:
        yield from _created_claim_errors(name, owner, at)
    elif first == "iscsi" and held.get("initiatorName") is not None:
        yield from _iscsi_name_errors(text(held.get("targetPortal")), name, at)
    for other in given[1:]:
        yield forbidden(f"{at}.{_SECOND_FIELDS.get(other, other)}", "may not specify more than 1 volume type")


def _created_claim_errors(name: str, owner: Owner, at: str) -> Iterator[FieldError]:
    claim = f"{owner.name}-{name}"
    for fault in dns_subdomain(claim):
        yield invalid(f"{at}.name", name, f'PVC name "{claim}": {fault}')


def _iscsi_name_errors(portal: str, name: str, at: str) -> Iterator[FieldError]:
    if byte_count(f"{name}:{portal}") > _ISCSI_NAME_BYTES:
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters"
            " if iscsi.initiatorName is specified."
        )
        yield invalid(f"{at}.name", name, detail)


def _needing(*names: str) -> SourceRule:
    """A rule for sources of which nothing is asked but that some fields are there."""

    def rule(source: JsonObject, at: str) -> Iterator[FieldError]:
        return (required(f"{at}.{name}") for name in names if not source.get(name))

    return rule


def _empty_dir_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    size = quantity(source.get("sizeLimit"))
    if size is not None and size.digits < 0:
        yield forbidden(f"{at}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _host_path_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    path = text(source.get("path"))
    if not path:
        yield required(f"{at}.path")
        return
    yield from upward_errors(path, f"{at}.path")
    yield from optional_errors(source.get("type"), f"{at}.type", _HOST_PATH_TYPES)


def _git_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    if not source.get("repository"):
        yield required(f"{at}.repository")
    yield from descending_errors(text(source.get("directory")), f"{at}.directory")


def _disk_errors(name: str) -> SourceRule:
    def rule(source: JsonObject, at: str) -> Iterator[FieldError]:
        if not source.get(name):
            yield required(f"{at}.{name}")
        partition = number(source.get("partition"))
        if not 0 <= partition <= _LARGEST_PARTITION:
            yield invalid(f"{at}.partition", partition, out_of_range(1, _LARGEST_PARTITION))

    return rule


def _keys_errors(name: str) -> SourceRule:
    """The rule of Secrets and ConfigMaps, which the field *name* names."""

    def rule(source: JsonObject, at: str) -> Iterator[FieldError]:
        if not source.get(name):
            yield required(f"{at}.{name}")
        yield from mode_errors(source.get("defaultMode"), f"{at}.defaultMode")
        for index, item in enumerate(mappings(source.get("items"))):
            yield from key_to_path_errors(item, f"{at}.items[{index}]")

    return rule


def _nfs_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    path = text(source.get("path"))
    if not source.get("server"):
        yield required(f"{at}.server")
    if not path:
        yield required(f"{at}.path")
    if not path.startswith("/"):
        yield invalid(f"{at}.path", path, "must be an absolute path")


def _iscsi_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    if not source.get("targetPortal"):
        yield required(f"{at}.targetPortal")
    name = text(source.get("iqn"))
    yield from _initiator_errors(name, f"{at}.iqn") if name else [required(f"{at}.iqn")]
    lun = number(source.get("lun"))
    if not 0 <= lun <= _LARGEST_LUN:
        yield invalid(f"{at}.lun", lun, out_of_range(0, _LARGEST_LUN))
    asked = source.get("chapAuthDiscovery") is True or source.get("chapAuthSession") is True
    if asked and source.get("secretRef") is None:
        yield required(f"{at}.secretRef")
    if source.get("initiatorName") is not None:
        yield from _initiator_errors(text(source["initiatorName"]), f"{at}.initiatorname")


def _initiator_errors(name: str, field: str) -> Iterator[FieldError]:
    shape = {"iqn": _iqn, "eui": _eui, "naa": _naa}.get(name[:3])
    if shape is None:
        yield invalid(field, name, "must be valid format starting with iqn, eui, or naa")
    elif not shape(name):
        yield invalid(field, name, "must be valid format")


def _cinder_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    if not source.get("volumeID"):
        yield required(f"{at}.volumeID")
    yield from _secret_ref_errors(source, at)


def _secret_ref_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    ref = source.get("secretRef")
    if isinstance(ref, dict) and not ref.get("name"):
        yield required(f"{at}.secretRef.name")


def _quobyte_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    registry = text(source.get("registry"))
    if not registry:
        yield required(f"{at}.registry", _HOST_PORTS)
    elif byte_count(text(source.get("tenant"))) > _LONGEST_TENANT:
        yield required(f"{at}.tenant", "must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.split(","):
            if not re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*", pair):
                yield invalid(f"{at}.registry", registry, _HOST_PORTS)
    if not source.get("volume"):
        yield required(f"{at}.volume")


def _fc_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    targets, ids, lun = source.get("targetWWNs"), source.get("wwids"), integer(source.get("lun"))
    if not targets and not ids:
        yield required(f"{at}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if targets and ids:
        yield invalid(f"{at}.targetWWNs", targets, "targetWWNs and wwids can not be specified simultaneously")
    if not targets:
        return
    if lun is None:
        yield required(f"{at}.lun", "lun is required if targetWWNs is specified")
    elif not 0 <= lun <= _LARGEST_LUN:
        yield invalid(f"{at}.lun", lun, out_of_range(0, _LARGEST_LUN))


def _flex_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    if not source.get("driver"):
        yield required(f"{at}.driver")
    for key in mapping(source.get("options")):
        if f".{key.partition('/')[0].lower()}".endswith((".kubernetes.io", ".k8s.io")):
            yield invalid(f"{at}.options[{key}]", key, "kubernetes.io and k8s.io namespaces are reserved")


def _azure_disk_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    uri, kind = text(source.get("diskURI")), source.get("kind")
    for name in ("diskName", "diskURI"):
        if not source.get(name):
            yield required(f"{at}.{name}")
    yield from optional_errors(source.get("cachingMode"), f"{at}.cachingMode", ("None", "ReadOnly", "ReadWrite"))
    yield from optional_errors(kind, f"{at}.kind", ("Dedicated", "Managed", "Shared"))
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        group = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
        yield not_supported(f"{at}.diskURI", uri, (group,))
    if kind is not None and kind != "Managed" and not uri.startswith("https://"):
        blob = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
        yield not_supported(f"{at}.diskURI", uri, (blob,))


def _storageos_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    name, space = text(source.get("volumeName")), text(source.get("volumeNamespace"))
    yield from faulty(f"{at}.volumeName", name, dns_label(name)) if name else [required(f"{at}.volumeName")]
    if space:
        yield from faulty(f"{at}.volumeNamespace", space, dns_label(space))
    yield from _secret_ref_errors(source, at)


def _csi_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    yield from csi_driver_name_errors(f"{at}.driver", text(source.get("driver")))
    ref = source.get("nodePublishSecretRef")
    if isinstance(ref, dict):
        name = text(ref.get("name"))
        yield from (
            faulty(f"{at}.name", name, dns_subdomain(name)) if name else [required(f"{at}.nodePublishSecretRef.name")]
        )


def _ephemeral_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    template = source.get("volumeClaimTemplate")
    if isinstance(template, dict):
        yield from claim_template_errors(template, f"{at}.volumeClaimTemplate")
    else:
        yield required(f"{at}.volumeClaimTemplate")


def _image_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    yield from chosen_errors(source.get("pullPolicy"), f"{at}.pullPolicy", PULL_POLICIES)


_SOURCES: Final[dict[str, SourceRule]] = {
    "emptyDir": _empty_dir_errors,
    "hostPath": _host_path_errors,
    "gitRepo": _git_errors,
    "gcePersistentDisk": _disk_errors("pdName"),
    "awsElasticBlockStore": _disk_errors("volumeID"),
    "secret": _keys_errors("secretName"),
    "nfs": _nfs_errors,
    "iscsi": _iscsi_errors,
    "glusterfs": _needing("endpoints", "path"),
    "flocker": flocker_errors,
    "persistentVolumeClaim": _needing("claimName"),
    "rbd": _needing("monitors", "image"),
    "cinder": _cinder_errors,
    "cephfs": _needing("monitors"),
    "quobyte": _quobyte_errors,
    "downwardAPI": downward_errors,
    "fc": _fc_errors,
    "flexVolume": _flex_errors,
    "configMap": _keys_errors("name"),
    "azureFile": _needing("secretName", "shareName"),
    "vsphereVolume": _needing("volumePath"),
    "photonPersistentDisk": _needing("pdID"),
    "portworxVolume": _needing("volumeID"),
    "azureDisk": _azure_disk_errors,
    "storageos": _storageos_errors,
    "projected": projected_errors,
    "scaleIO": _needing("gateway", "system", "volumeName"),
    "csi": _csi_errors,
    "ephemeral": _ephemeral_errors,
    "image": _image_errors,
}
"""In the order in which upstream looks for them: the first one counts."""
_ORDER: Final = {name: position for position, name in enumerate(_SOURCES)}
_FIELDS: Final = {"gcePersistentDisk": "persistentDisk"}
_SECOND_FIELDS: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
