"""Who a pod of a StatefulSet is: its ordinal, its name, its labels and its claims."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.kinds import REVISION_LABEL
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.templates import pod_from_template
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

POD_NAME_LABEL: Final = "statefulset.kubernetes.io/pod-name"
INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"
_named: Final = re.compile(r"(.*)-([0-9]+)").fullmatch
_LARGEST: Final = 2**31 - 1
_DIGITS: Final = 10


class Identity(NamedTuple):
    parent: str
    ordinal: int
    """-1 where the name has none."""


def identity_of(name: str) -> Identity:
    parts = _named(name)
    if parts is None:
        return Identity("", -1)
    ordinal = int(parts[2]) if len(parts[2].lstrip("0")) <= _DIGITS else _LARGEST + 1
    return Identity(parts[1], ordinal if ordinal <= _LARGEST else -1)


def ordinal_of(pod: Pod) -> int:
    return identity_of(pod.name).ordinal


def first_ordinal(owner: Object) -> int:
    return int((owner.spec.get("ordinals") or {}).get("start") or 0)


def replicas_of(owner: Object) -> int:
    replicas = owner.spec.get("replicas")
    return 1 if replicas is None else int(replicas)


def ordinals(owner: Object) -> range:
    first = first_ordinal(owner)
    return range(first, first + replicas_of(owner))


def pod_name(owner: Object, ordinal: int) -> str:
    return f"{owner.name}-{ordinal}"


def claim_templates(owner: Object) -> list[JsonObject]:
    return list(owner.spec.get("volumeClaimTemplates") or ())


def claim_name(owner: Object, template: JsonObject, ordinal: int) -> str:
    return f"{Object(template).name}-{owner.name}-{ordinal}"


def claims_of(owner: Object, ordinal: int) -> Iterator[JsonObject]:
    """The claims that the pod of *ordinal* needs, as they are to be created."""
    wanted = (owner.spec.get("selector") or {}).get("matchLabels") or {}
    for template in claim_templates(owner):
        described = Object(template)
        metadata: JsonObject = {"name": claim_name(owner, template, ordinal), "namespace": owner.namespace}
        labels = {**described.labels, **wanted}
        if labels:
            metadata["labels"] = labels
        if described.annotations:
            metadata["annotations"] = dict(described.annotations)
        yield {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": metadata,
            "spec": described.spec,
        }


def new_pod(owner: Object, ordinal: int, revision: str) -> JsonObject:
    """The pod of *ordinal* in the template that *owner* has, under the name of that *revision*."""
    pod = pod_from_template(owner.spec.get("template") or {}, owner)
    name = pod_name(owner, ordinal)
    metadata = pod["metadata"]
    labels = {**(metadata.get("labels") or {}), **identity_labels(owner, ordinal), REVISION_LABEL: revision}
    spec = {**pod["spec"], "hostname": name}
    if owner.spec.get("serviceName"):
        spec["subdomain"] = owner.spec["serviceName"]
    described = {**pod, "metadata": {**metadata, "name": name, "labels": labels}, "spec": spec}
    return with_storage(owner, ordinal, described)


def identity_labels(owner: Object, ordinal: int) -> dict[str, str]:
    return {POD_NAME_LABEL: pod_name(owner, ordinal), INDEX_LABEL: str(ordinal)}


def with_storage(owner: Object, ordinal: int, pod: JsonObject) -> JsonObject:
    """*pod* that mounts its own claims in place of volumes of those names."""
    own = {Object(template).name: claim_name(owner, template, ordinal) for template in claim_templates(owner)}
    if not own:
        return pod
    mounted = [{"name": name, "persistentVolumeClaim": {"claimName": claim}} for name, claim in own.items()]
    others = [volume for volume in pod["spec"].get("volumes") or () if volume.get("name") not in own]
    return {**pod, "spec": {**pod["spec"], "volumes": [*mounted, *others]}}


def identity_matches(owner: Object, pod: Pod) -> bool:
    parent, ordinal = identity_of(pod.name)
    named = ordinal >= 0 and parent == owner.name and pod.name == pod_name(owner, ordinal)
    return named and pod.labels.get(POD_NAME_LABEL) == pod.name


def storage_matches(owner: Object, pod: Pod) -> bool:
    ordinal = ordinal_of(pod)
    mounted = {each.name: each.persistent_volume_claim for each in pod.spec.volumes or ()}

    def matches(template: JsonObject) -> bool:
        source = mounted.get(Object(template).name)
        return source is not None and source.claim_name == claim_name(owner, template, ordinal)

    return all(map(matches, claim_templates(owner)))
