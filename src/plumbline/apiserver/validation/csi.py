"""The kinds of storage.k8s.io: classes of storage, attachments, and what drivers say about themselves."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required, too_long
from plumbline.apiserver.validation.checks import (
    choice_errors,
    collected,
    csi_driver_name_errors,
    immutable,
    meta,
    meta_update,
    nonnegative,
    qualified_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.names import byte_count, out_of_range
from plumbline.apiserver.validation.resourcenames import nonnegative_quantity_errors
from plumbline.apiserver.validation.selectors import (
    bad_label_selector,
    label_selector_errors,
    topology_term_errors,
)
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text, texts
from plumbline.apiserver.validation.volumes import inline_volume_errors
from plumbline.base.json import JsonObject
from plumbline.kube.equality import identical

_PARAMETERS_BYTES: Final = 256 * 1024
_MOST_PARAMETERS: Final = 512
_ERROR_BYTES: Final = 1024
_NODE_ID_BYTES: Final = 256
_SHORTEST_TOKEN_S: Final = 600
_LONGEST_TOKEN_S: Final = 2**32
_SHORTEST_PERIOD_S: Final = 10


def _provisioner_errors(field: str, name: str) -> Iterator[FieldError]:
    if name:
        yield from qualified_errors(field, name.lower())
    else:
        yield required(field)


def _parameter_errors(parameters: JsonObject, *, needed: bool) -> Iterator[FieldError]:
    if len(parameters) > _MOST_PARAMETERS:
        yield too_long("parameters", _MOST_PARAMETERS)
        return
    if "" in parameters:
        yield invalid("parameters", "", "field can not be empty.")
    if _text_bytes(parameters) > _PARAMETERS_BYTES:
        yield too_long("parameters", _PARAMETERS_BYTES)
    if needed and not parameters:
        yield required("parameters", "must contain at least one key/value pair")


def _text_bytes(texts_by_key: JsonObject) -> int:
    return sum(byte_count(key) + byte_count(text(value)) for key, value in texts_by_key.items())


@collected
def storage_class_created(class_: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False)
    yield from _provisioner_errors("provisioner", text(class_.get("provisioner")))
    yield from _parameter_errors(mapping(class_.get("parameters")), needed=False)
    if policy := class_.get("reclaimPolicy"):
        yield from choice_errors("reclaimPolicy", policy, ("Delete", "Retain"))
    mode = class_.get("volumeBindingMode")
    if mode is None:
        yield required("volumeBindingMode")
    yield from choice_errors("volumeBindingMode", mode, ("Immediate", "WaitForFirstConsumer"))
    yield from _topology_errors(mappings(class_.get("allowedTopologies")))


def _topology_errors(topologies: list[JsonObject]) -> Iterator[FieldError]:
    seen: list[dict[str, set[str]]] = []
    for index, term in enumerate(topologies):
        yield from topology_term_errors(term, f"allowedTopologies[{index}]")
        expressions = mappings(term.get("matchLabelExpressions"))
        wanted = {text(each.get("key")): set(texts(each.get("values"))) for each in expressions}
        # Upstream compares with as many empty terms as there are terms, too.
        repeats = seen.count(wanted) + (0 if wanted else len(topologies))
        yield from (duplicate(f"allowedTopologies[{index}].matchLabelExpressions", "") for _ in range(repeats))
        seen.append(wanted)


@collected
def storage_class_updated(class_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from storage_class_created(class_)
    yield from meta_update(class_, old)
    if not identical(mapping(class_.get("parameters")), mapping(old.get("parameters"))):
        shown = go_form(class_.get("parameters"), "{s")
        yield invalid("parameters", shown, "field is immutable")
    yield from immutable("provisioner", text(class_.get("provisioner")), text(old.get("provisioner")))
    for name in ("reclaimPolicy", "volumeBindingMode"):
        yield from immutable(name, class_.get(name), old.get(name))


@collected
def attributes_class_created(class_: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False)
    yield from _provisioner_errors("driverName", text(class_.get("driverName")))
    yield from _parameter_errors(mapping(class_.get("parameters")), needed=True)


@collected
def attributes_class_updated(class_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(class_, old)
    if text(class_.get("driverName")) != text(old.get("driverName")):
        yield forbidden("driverName", "updates to driverName are forbidden.")
    if mapping(class_.get("parameters")) != mapping(old.get("parameters")):
        yield forbidden("parameters", "updates to parameters are forbidden.")
    yield from attributes_class_created(class_)


@collected
def attachment_created(attachment: JsonObject) -> Iterator[FieldError]:
    spec, status = mapping(attachment.get("spec")), mapping(attachment.get("status"))
    yield from meta(attachment, namespaced=False)
    yield from csi_driver_name_errors("spec.attacher", text(spec.get("attacher")))
    source = mapping(spec.get("source"))
    yield from _attached_errors(source)
    yield from subdomain_errors("spec.nodeName", text(spec.get("nodeName")))
    if _text_bytes(mapping(status.get("attachmentMetadata"))) > _PARAMETERS_BYTES:
        yield too_long("status.attachmentMetadata", _PARAMETERS_BYTES)
    for name in ("attachError", "detachError"):
        yield from _volume_error_errors(mapping(status.get(name)), f"status.{name}")
    if isinstance(volume := source.get("persistentVolumeName"), str):
        yield from subdomain_errors("spec.source.persistentVolumeName", volume)


def _attached_errors(source: JsonObject) -> Iterator[FieldError]:
    field, one = "spec.source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        yield required(field, one)
    elif inline is not None and name is not None:
        yield forbidden(field, one)
    elif name == "":
        yield required(f"{field}.persistentVolumeName", "must specify non empty persistentVolumeName")
    elif inline is not None:
        yield from inline_volume_errors(mapping(inline), f"{field}.inlineVolumeSpec")


def _volume_error_errors(error: JsonObject, field: str) -> Iterator[FieldError]:
    if byte_count(text(error.get("message"))) > _ERROR_BYTES:
        # The server tells the limit of another field.
        yield too_long(f"{field}.message", _PARAMETERS_BYTES)
    code = integer(error.get("errorCode"))
    if code is not None and code < 0:
        yield invalid(f"{field}.errorCode", code, out_of_range(0, 2**31 - 1))


@collected
def attachment_updated(attachment: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from attachment_created(attachment)
    spec, old_spec = (go_form(each.get("spec"), "VolumeAttachmentSpec") for each in (attachment, old))
    yield from immutable("spec", spec, old_spec)


def _driver_spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    for name, shown in (("attachRequired", "attachedRequired"), ("podInfoOnMount", ""), ("storageCapacity", "")):
        if spec.get(name) is None:
            yield required(f"spec.{shown or name}")
    policies = ("File", "None", "ReadWriteOnceWithFSType")
    yield from choice_errors("spec.fsGroupPolicy", spec.get("fsGroupPolicy"), policies)
    requests = mappings(spec.get("tokenRequests"))
    yield from _token_errors(requests)
    for mode in texts(spec.get("volumeLifecycleModes")):
        yield from choice_errors("spec.volumeLifecycleModes", mode, ("Persistent", "Ephemeral"))
    if spec.get("seLinuxMount") is None:
        yield required("spec.seLinuxMount")
    period_s = integer(spec.get("nodeAllocatableUpdatePeriodSeconds"))
    if period_s is not None and period_s < _SHORTEST_PERIOD_S:
        detail = f"must be greater than or equal to {_SHORTEST_PERIOD_S} seconds"
        yield invalid("spec.nodeAllocatableUpdatePeriodSeconds", period_s, detail)
    secrets = spec.get("serviceAccountTokenInSecrets")
    if secrets is not None and not requests:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield invalid("spec.serviceAccountTokenInSecrets", secrets, detail)


def _token_errors(requests: list[JsonObject]) -> Iterator[FieldError]:
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        at, audience = f"spec.tokenRequests[{index}]", text(request.get("audience"))
        if audience in audiences:
            yield duplicate(f"{at}.audience", audience)
            continue
        audiences.add(audience)
        expiration_s = integer(request.get("expirationSeconds"))
        if expiration_s is not None:
            yield from expiration_errors(f"{at}.expirationSeconds", expiration_s)


def expiration_errors(field: str, expiration_s: int) -> Iterator[FieldError]:
    """Complaints about how long a service account's token shall live."""
    if expiration_s < _SHORTEST_TOKEN_S:
        yield invalid(field, expiration_s, "may not specify a duration less than 10 minutes")
    if expiration_s > _LONGEST_TOKEN_S:
        yield invalid(field, expiration_s, "may not specify a duration larger than 2^32 seconds")


@collected
def driver_created(driver: JsonObject) -> Iterator[FieldError]:
    yield from meta(driver, namespaced=False)
    yield from _driver_spec_errors(mapping(driver.get("spec")))


@collected
def driver_updated(driver: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, old_spec = mapping(driver.get("spec")), mapping(old.get("spec"))
    yield from meta_update(driver, old)
    yield from _driver_spec_errors(spec)
    yield from immutable("spec.attachedRequired", spec.get("attachRequired"), old_spec.get("attachRequired"))
    modes, former = (each.get("volumeLifecycleModes") for each in (spec, old_spec))
    yield from immutable("spec.volumeLifecycleModes", modes, former)


@collected
def csi_node_created(node: JsonObject) -> Iterator[FieldError]:
    yield from meta(node, namespaced=False)
    names: set[str] = set()
    for index, driver in enumerate(mappings(mapping(node.get("spec")).get("drivers"))):
        at, name = f"spec.drivers[{index}]", text(driver.get("name"))
        yield from csi_driver_name_errors(f"{at}.name", name)
        node_id = text(driver.get("nodeID"))
        if not node_id:
            yield required(f"{at}.nodeID")
        if byte_count(node_id) > _NODE_ID_BYTES:
            yield invalid(f"{at}.nodeID", node_id, f"must be {_NODE_ID_BYTES} characters or less")
        count = integer(mapping(driver.get("allocatable")).get("count"))
        yield from nonnegative(f"{at}.allocatable.count", count or 0)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        yield from _topology_key_errors(texts(driver.get("topologyKeys")), at)


def _topology_key_errors(keys: list[str], field: str) -> Iterator[FieldError]:
    for index, key in enumerate(keys):
        if not key:
            yield required(field)
        if key in keys[:index]:
            yield duplicate(field, key)
        yield from qualified_errors(field, key)


@collected
def csi_node_updated(node: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from csi_node_created(node)
    drivers = mappings(mapping(node.get("spec")).get("drivers"))
    for former in mappings(mapping(old.get("spec")).get("drivers")):
        for driver in drivers:
            if text(driver.get("name")) == text(former.get("name")):
                forms = (go_form({**each, "allocatable": None}, "CSINodeDriver") for each in (driver, former))
                yield from immutable("spec.drivers", *forms)


def _capacity_errors(capacity: JsonObject, *, old_values: bool) -> Iterator[FieldError]:
    yield from meta(capacity, namespaced=True)
    yield from label_selector_errors(capacity.get("nodeTopology"), "nodeTopology", old_values=old_values)
    yield from subdomain_errors("storageClassName", text(capacity.get("storageClassName")))
    if (amount := capacity.get("capacity")) is not None:
        yield from nonnegative_quantity_errors("capacity", amount)


@collected
def capacity_created(capacity: JsonObject) -> Iterator[FieldError]:
    yield from _capacity_errors(capacity, old_values=False)


@collected
def capacity_updated(capacity: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _capacity_errors(capacity, old_values=bad_label_selector(old.get("nodeTopology")))
    yield from meta_update(capacity, old)
    topology, former = (go_form(each.get("nodeTopology"), "*@LabelSelector") for each in (capacity, old))
    yield from immutable("nodeTopology", topology, former)
    yield from immutable("storageClassName", text(capacity.get("storageClassName")), text(old.get("storageClassName")))


CREATE: Final = {
    "CSIDriver": driver_created,
    "CSINode": csi_node_created,
    "CSIStorageCapacity": capacity_created,
    "StorageClass": storage_class_created,
    "VolumeAttachment": attachment_created,
    "VolumeAttributesClass": attributes_class_created,
}
UPDATE: Final = {
    "CSIDriver": driver_updated,
    "CSINode": csi_node_updated,
    "CSIStorageCapacity": capacity_updated,
    "StorageClass": storage_class_updated,
    "VolumeAttachment": attachment_updated,
    "VolumeAttributesClass": attributes_class_updated,
}
STATUS_UPDATE: Final = {"VolumeAttachment": attachment_updated}
