"""Where the content of a PersistentVolume lives: the one source it must have, by kind of storage."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import (
    choice_errors,
    csi_driver_name_errors,
    label_errors,
    required_name_errors,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import byte_count, dns_label, out_of_range
from plumbline.apiserver.validation.shapes import integer, mapping, number, text, texts
from plumbline.base.json import JsonObject

Check = Callable[[JsonObject, str], Iterator[FieldError]]

_MOST: Final = 255
_LONGEST_PORTAL: Final = 64
_TENANT_BYTES: Final = 64
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
_iqn: Final = re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\t\n\f\r ]+)$").search
_eui: Final = re.compile(r"eui.[A-Za-z0-9]{16}").fullmatch
_naa: Final = re.compile(r"naa.[A-Za-z0-9]{32}").fullmatch
_INITIATORS: Final = {"iqn": _iqn, "eui": _eui, "naa": _naa}
_MANAGED_DISK: Final = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_DISK: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def _needing(*names: str) -> Check:
    """A source of which nothing is asked but that these fields are there."""

    def check(source: JsonObject, field: str) -> Iterator[FieldError]:
        yield from (required(f"{field}.{name}") for name in names if not source.get(name))

    return check


def backstep_errors(field: str, path: str) -> Iterator[FieldError]:
    if ".." in path.split("/"):
        yield invalid(field, path, "must not contain '..'")


def _host_path(source: JsonObject, field: str) -> Iterator[FieldError]:
    path = text(source.get("path"))
    if not path:
        yield required(f"{field}.path")
        return
    yield from backstep_errors(f"{field}.path", path)
    yield from choice_errors(f"{field}.type", source.get("type"), _HOST_PATH_TYPES)


def _partitioned(name: str) -> Check:
    def check(source: JsonObject, field: str) -> Iterator[FieldError]:
        if not source.get(name):
            yield required(f"{field}.{name}")
        partition = number(source.get("partition"))
        if not 0 <= partition <= _MOST:
            yield invalid(f"{field}.partition", partition, out_of_range(1, _MOST))

    return check


def _glusterfs(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _needing("endpoints", "path")(source, field)
    namespace = source.get("endpointsNamespace")
    if namespace == "":
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        yield invalid(f"{field}.endpointsNamespace", "", detail)
    elif isinstance(namespace, str):
        yield from label_errors(f"{field}.endpointsNamespace", namespace)


def flocker_errors(source: JsonObject, field: str) -> Iterator[FieldError]:
    name, uuid = text(source.get("datasetName")), text(source.get("datasetUUID"))
    if not name and not uuid:
        yield required(field, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid(field, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield invalid(f"{field}.datasetName", name, "must not contain '/'")


def _nfs(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _needing("server", "path")(source, field)
    path = text(source.get("path"))
    if not path.startswith("/"):
        yield invalid(f"{field}.path", path, "must be an absolute path")


def _quobyte(source: JsonObject, field: str) -> Iterator[FieldError]:
    registry, pairs = text(source.get("registry")), "must be a host:port pair or multiple pairs separated by commas"
    if not registry:
        yield required(f"{field}.registry", pairs)
    elif byte_count(text(source.get("tenant"))) > _TENANT_BYTES:
        yield required(f"{field}.tenant", "must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.split(","):
            if not _host_port(pair):
                yield invalid(f"{field}.registry", registry, pairs)
    if not source.get("volume"):
        yield required(f"{field}.volume")


_host_port: Final = re.compile(r"(\[[^\[\]]*\]|[^\[\]:]*):[^\[\]:]*").fullmatch


def _iscsi(volume: str) -> Check:
    def check(source: JsonObject, field: str) -> Iterator[FieldError]:
        portal, initiator = text(source.get("targetPortal")), source.get("initiatorName")
        if not portal:
            yield required(f"{field}.targetPortal")
        if initiator is not None and byte_count(f"{volume}:{portal}") > _LONGEST_PORTAL:
            detail = (
                "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters"
                " if iscsi.initiatorName is specified."
            )
            yield invalid(f"{field}.targetportal", portal, detail)
        yield from _initiator_errors(f"{field}.iqn", text(source.get("iqn")))
        lun = number(source.get("lun"))
        if not 0 <= lun <= _MOST:
            yield invalid(f"{field}.lun", lun, out_of_range(0, _MOST))
        secret = source.get("secretRef")
        if secret is None and (source.get("chapAuthDiscovery") or source.get("chapAuthSession")):
            yield required(f"{field}.secretRef")
        if secret is not None and not mapping(secret).get("name"):
            yield required(f"{field}.secretRef.name")
        if isinstance(initiator, str):
            yield from _initiator_errors(f"{field}.initiatorname", initiator, needed=False)

    return check


def _initiator_errors(field: str, name: str, *, needed: bool = True) -> Iterator[FieldError]:
    if not name and needed:
        yield required(field)
        return
    matches = _INITIATORS.get(name[:3])
    if matches is None or not matches(name):
        yield invalid(field, name, "must be valid format")


def _cinder(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _needing("volumeID")(source, field)
    yield from _secret_errors(source, field)


def _secret_errors(source: JsonObject, field: str) -> Iterator[FieldError]:
    if isinstance(secret := source.get("secretRef"), dict):
        yield from _needing("name", "namespace")(secret, f"{field}.secretRef")


def _fc(source: JsonObject, field: str) -> Iterator[FieldError]:
    names, wide = texts(source.get("targetWWNs")), texts(source.get("wwids"))
    if not names and not wide:
        yield required(f"{field}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if names and wide:
        yield invalid(f"{field}.targetWWNs", names, "targetWWNs and wwids can not be specified simultaneously")
    lun = integer(source.get("lun"))
    if names and lun is None:
        yield required(f"{field}.lun", "lun is required if targetWWNs is specified")
    elif names and lun is not None and not 0 <= lun <= _MOST:
        yield invalid(f"{field}.lun", lun, out_of_range(0, _MOST))


def _flex(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _needing("driver")(source, field)
    for key in mapping(source.get("options")):
        owner = f".{key.partition('/')[0].lower()}"
        if owner.endswith((".kubernetes.io", ".k8s.io")):
            yield invalid(f"{field}.options[{key}]", key, "kubernetes.io and k8s.io namespaces are reserved")


def _azure_file(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _needing("secretName", "shareName")(source, field)
    if source.get("secretNamespace") == "":
        yield required(f"{field}.secretNamespace")


def _azure_disk(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _needing("diskName", "diskURI")(source, field)
    kind, uri = source.get("kind"), text(source.get("diskURI"))
    yield from choice_errors(f"{field}.cachingMode", source.get("cachingMode"), ("None", "ReadOnly", "ReadWrite"))
    yield from choice_errors(f"{field}.kind", kind, ("Dedicated", "Managed", "Shared"))
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        yield not_supported(f"{field}.diskURI", uri, (_MANAGED_DISK,))
    if kind not in (None, "Managed") and not uri.startswith("https://"):
        yield not_supported(f"{field}.diskURI", uri, (_BLOB_DISK,))


def _local(source: JsonObject, field: str) -> Iterator[FieldError]:
    if path := text(source.get("path")):
        yield from backstep_errors(f"{field}.path", path)
    else:
        yield required(f"{field}.path")


def _storage_os(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from required_name_errors(f"{field}.volumeName", text(source.get("volumeName")), dns_label)
    if namespace := text(source.get("volumeNamespace")):
        yield from faulty(f"{field}.volumeNamespace", namespace, dns_label(namespace))
    yield from _secret_errors(source, field)


_CSI_SECRETS: Final = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)


def _csi(source: JsonObject, field: str) -> Iterator[FieldError]:
    yield from csi_driver_name_errors(f"{field}.driver", text(source.get("driver")))
    if not source.get("volumeHandle"):
        yield required(f"{field}.volumeHandle")
    for name in _CSI_SECRETS:
        if isinstance(secret := source.get(name), dict):
            at = f"{field}.{name}"
            yield from required_name_errors(f"{at}.name", text(secret.get("name")))
            yield from required_name_errors(f"{at}.namespace", text(secret.get("namespace")), dns_label)


class _Source(NamedTuple):
    """Under which names complaints about a source and about one too many come."""

    field: str
    check: Check
    inside: str = ""
    beside: str = ""


def _sources(volume: str) -> tuple[_Source, ...]:
    return (
        _Source("hostPath", _host_path),
        _Source("gcePersistentDisk", _partitioned("pdName"), inside="persistentDisk"),
        _Source("awsElasticBlockStore", _partitioned("volumeID")),
        _Source("glusterfs", _glusterfs),
        _Source("flocker", flocker_errors),
        _Source("nfs", _nfs),
        _Source("rbd", _needing("monitors", "image")),
        _Source("quobyte", _quobyte),
        _Source("cephfs", _needing("monitors"), beside="cephFS"),
        _Source("iscsi", _iscsi(volume)),
        _Source("cinder", _cinder),
        _Source("fc", _fc),
        _Source("flexVolume", _flex),
        _Source("azureFile", _azure_file),
        _Source("vsphereVolume", _needing("volumePath")),
        _Source("photonPersistentDisk", _needing("pdID")),
        _Source("portworxVolume", _needing("volumeID")),
        _Source("azureDisk", _azure_disk),
        _Source("scaleIO", _needing("gateway", "system", "volumeName")),
        _Source("local", _local),
        _Source("storageos", _storage_os),
        _Source("csi", _csi),
    )


SOURCE_NAMES: Final = tuple(source.field for source in _sources(""))


def source_errors(spec: JsonObject, volume: str, field: str) -> Iterator[FieldError]:
    """Complaints about the sources of the PersistentVolume named *volume*."""
    found = 0
    for source in _sources(volume):
        held = spec.get(source.field)
        if not isinstance(held, dict):
            continue
        if found and source.field != "flexVolume":
            yield forbidden(f"{field}.{source.beside or source.field}", "may not specify more than 1 volume type")
            continue
        found += 1
        yield from source.check(held, f"{field}.{source.inside or source.field}")
        if source.field == "local" and not isinstance(spec.get("nodeAffinity"), dict):
            yield required(f"{field}.nodeAffinity", "Local volume requires node affinity")
    if not found:
        yield required(field, "must specify a volume type")
