"""Every manifest is created on the real server without being kept, and ours must be what it answers.

What other parts of a server add is left out by a table with a reason for each row.
"""

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.conformance.differential.normaliser import Difference, compare
from tests.conformance.real import RealCluster

from plumbline.apiserver.defaults import defaulted
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.documents import load_documents
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.typed import typed_form

pytestmark = pytest.mark.conformance

CASES = Path(__file__).parents[2] / "apiserver" / "defaults"
RESOURCES = {resource.kind: resource for resource in builtin_resources()}


class Excluded(NamedTuple):
    kind: str
    paths: tuple[str, ...]
    """Slashes between fields; a star for every item of a list."""
    reason: str


_JOB_LABELS = ("controller-uid", "job-name", "batch.kubernetes.io|controller-uid", "batch.kubernetes.io|job-name")

EXCLUDED = (
    Excluded("*", ("metadata/uid", "metadata/creationTimestamp", "metadata/generation"), "made when it is stored"),
    Excluded("*", ("metadata/managedFields",), "tracked by writes"),
    Excluded("*", ("metadata/namespace",), "taken from the URL"),
    Excluded("Pod", ("spec/preemptionPolicy", "spec/priority"), "admission: Priority"),
    Excluded("Pod", ("spec/tolerations",), "admission: DefaultTolerationSeconds"),
    Excluded("Pod", ("status/phase", "status/qosClass"), "strategy: a new pod is pending, in a class of service"),
    Excluded("Namespace", ("spec/finalizers",), "strategy: every namespace is finalized"),
    Excluded("Node", ("spec/taints",), "admission: TaintNodesByCondition"),
    Excluded("PersistentVolume", ("metadata/finalizers",), "admission: StorageObjectInUseProtection"),
    Excluded("PersistentVolume", ("status/lastPhaseTransitionTime",), "strategy: the phase has a time"),
    Excluded("PersistentVolumeClaim", ("metadata/finalizers",), "admission: StorageObjectInUseProtection"),
    Excluded("PersistentVolumeClaim", ("spec/dataSourceRef",), "strategy: copied from dataSource"),
    Excluded("VolumeAttributesClass", ("metadata/finalizers",), "admission: StorageObjectInUseProtection"),
    Excluded(
        "Service",
        ("spec/clusterIP", "spec/clusterIPs", "spec/ipFamilies", "spec/ipFamilyPolicy", "spec/ports/*/nodePort"),
        "allocators",
    ),
    Excluded("Job", ("spec/selector",), "strategy: a job selects its own pods"),
    Excluded("Job", tuple(f"metadata/labels/{each}" for each in _JOB_LABELS), "strategy: labels of a job"),
    Excluded("Job", tuple(f"spec/template/metadata/labels/{each}" for each in _JOB_LABELS), "strategy: the same"),
    Excluded(
        "DaemonSet",
        ("metadata/annotations/deprecated.daemonset.template.generation",),
        "strategy: counted when the template changes",
    ),
    Excluded("APIService", ("status/conditions",), "strategy: a local one is available"),
    Excluded("CertificateSigningRequest", ("spec/username", "spec/groups", "spec/extra"), "strategy: who asks"),
    Excluded("ResourceSlice", ("spec/devices/*/taints/*/timeAdded",), "the server's clock"),
)


def _documents(path: Path) -> list[JsonObject]:
    return [document.value for document in load_documents(path.read_text())]


def _label(obj: JsonObject) -> str:
    name = obj["metadata"].get("name") or obj["metadata"]["generateName"]
    return f"{obj['kind']}.{GroupVersionKind.of(obj).version}:{name}"


MANIFESTS = [obj for path in sorted((CASES / "manifests").glob("*.yaml")) for obj in _documents(path)]
WRITES = _documents(CASES / "subresources.yaml")
NAMED_LATER = "not-named-yet-"
"""Its label follows its name, which the server has drawn by the time that it answers."""


@pytest.mark.parametrize("obj", MANIFESTS, ids=_label)
def test_a_created_object_has_the_servers_defaults(real_cluster, obj):
    answer = real_cluster.post(_collection(obj), obj, dryRun="All")
    assert answer.status == 201, answer.body
    theirs = answer.body
    if obj["metadata"].get("generateName") == NAMED_LATER:
        theirs = {**theirs, "metadata": {"generateName": NAMED_LATER}}
    assert _differences(_ours(obj), theirs) == []


@pytest.mark.parametrize("write", WRITES, ids=lambda write: _label(write["object"]))
def test_what_is_written_through_a_subresource_has_the_servers_defaults(real_cluster, write):
    obj, part = write["object"], write["part"]
    first = {name: value for name, value in obj.items() if name != "status"}
    first["spec"] = {name: value for name, value in obj["spec"].items() if name != "ephemeralContainers"}
    held = _created_or_found(real_cluster, first)
    metadata = {**obj["metadata"], "resourceVersion": held["metadata"]["resourceVersion"]}
    path = f"{_collection(obj)}/{metadata['name']}/{write['subresource']}".rstrip("/")
    answer = real_cluster.put(path, _carried(held, {**obj, "metadata": metadata}, part), dryRun="All")
    assert answer.status == 200, answer.body
    kind = {"kind": obj["kind"]}
    assert _differences({**kind, part: _ours(obj)[part]}, {**kind, part: answer.body[part]}) == []


def test_a_token_request_has_the_servers_defaults(real_cluster):
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "asked-for-a-token"}}
    assert real_cluster.post(_collection(account), account).fine
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {}, "spec": {}}
    answer = real_cluster.post(f"{_collection(account)}/asked-for-a-token/token", asked)
    assert answer.status == 201, answer.body
    theirs = {**answer.body["spec"], "audiences": None}  # filled in by the issuer
    assert _ours(asked)["spec"] == theirs


def test_every_exclusion_is_needed(real_cluster):
    """An exclusion that nothing needs any more would hide a difference some day."""
    needed = {row for obj in MANIFESTS for row in _rows_needed(real_cluster, obj)}
    assert {row for row in EXCLUDED if row.kind != "*"} - needed == set()


def _rows_needed(cluster: RealCluster, obj: JsonObject) -> set[Excluded]:
    rows = [row for row in EXCLUDED if row.kind == obj["kind"]]
    if not rows:
        return set()
    theirs, ours = cluster.post(_collection(obj), obj, dryRun="All").body, _ours(obj)
    return {row for row in rows if any(_without(ours, p) != ours or _without(theirs, p) != theirs for p in row.paths)}


def _carried(held: JsonObject, obj: JsonObject, part: str) -> JsonObject:
    """Of a spec that is written a second time, what the server has filled in must stay."""
    if part != "spec" or obj["kind"] != "Pod":
        return obj
    return {**held, "spec": {**held["spec"], "ephemeralContainers": obj["spec"]["ephemeralContainers"]}}


def _created_or_found(cluster: RealCluster, obj: JsonObject) -> JsonObject:
    path = _collection(obj)
    answer = cluster.post(path, obj)
    if answer.status == 409:
        answer = cluster.get(f"{path}/{obj['metadata']['name']}")
    assert answer.fine, answer.body
    return answer.body


def _collection(obj: JsonObject) -> str:
    resource = RESOURCES[GroupVersionKind.of(obj)]
    scope = "/namespaces/default" if resource.namespaced else ""
    return f"{resource.name.root}{scope}/{resource.plural}"


def _ours(obj: JsonObject) -> JsonObject:
    kind = GroupVersionKind.of(obj)
    shape = builtin_shape(kind)
    assert shape is not None, kind
    return defaulted(kind, typed_form(obj, shape))


def _differences(ours: JsonObject, theirs: JsonObject) -> list[Difference]:
    for row in EXCLUDED:
        if row.kind in ("*", theirs["kind"]):
            for path in row.paths:
                ours, theirs = _without(ours, path), _without(theirs, path)
    found: list[Difference] = []
    compare("", ours, theirs, found)
    return found


def _without(node: Json, path: str) -> Json:
    """*node* without what is at *path*, and without maps of names that this leaves empty."""
    first, _, rest = path.partition("/")
    name = first.replace("|", "/")
    if first == "*":
        return [_without(item, rest) for item in node] if isinstance(node, list) else node
    if not isinstance(node, dict) or name not in node:
        return node
    below = _without(node[name], rest) if rest else None
    if below is None or (below == {} and name in ("labels", "annotations")):
        return {key: value for key, value in node.items() if key != name}
    return {**node, name: below}
