"""What a run is in a cluster: a Secret with the order, a Job that carries it out, and Secrets with the report. Pure."""

from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from typing import Any, Final, NamedTuple

from plumbline.base.errors import Corrupted
from plumbline.base.json import JsonObject
from plumbline.kernel.cache import Key
from plumbline.kinds.flux.terraform import TERRAFORM, TerraformSpec
from plumbline.kinds.read import read
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.plans.storage import label
from plumbline.terraform.runs.values import Order
from plumbline.terraform.runs.wire import Written, written_order

JOBS: Final = GroupVersionResource("batch", "v1", "jobs")
PODS: Final = GroupVersionResource("", "v1", "pods")
SECRETS: Final = GroupVersionResource("", "v1", "secrets")

RUN: Final = "plumbline.dev/run"
"""Label of everything that belongs to a run: its id."""
OBJECT: Final = "plumbline.dev/terraform"
"""Label of the same: the name of the object, shortened where it has to be."""
OPERATION: Final = "plumbline.dev/operation"
REVISION: Final = "plumbline.dev/source-revision"
KEPT: Final = "plumbline.dev/kept"
"""On a Job that stays for a look until the next run begins."""
TAKEN_IN: Final = "plumbline.dev/taken-in"
"""On a Job whose report was."""
CLAIMED: Final = "plumbline.dev/runner"
"""On an order: the one process that carries it out."""
DIGEST: Final = "plumbline.dev/report-digest"
PIECES: Final = "plumbline.dev/report-pieces"
CONTAINER: Final = "tf-runner"
_KEY: Final = "content"
_USER: Final = 65532
_LONGEST: Final = 63
_UUID: Final = 36
_SLACK_S: Final = 600.0
"""For a node to be found, an image to be pulled, and the end."""
_OF_PODS: Final = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "initContainers",
    "hostAliases",
    "priorityClassName",
)
_OF_CONTAINERS: Final = ("env", "envFrom", "resources")
_WRITABLE: Final = {"tmp": "/tmp", "home": "/home/runner"}  # noqa: S108 - of the pod's own, and empty


class Run(NamedTuple):
    """One run, as the names of its objects say."""

    key: Key
    id: str

    @property
    def name(self) -> str:
        """Of the Job; as much of the object's name as leaves room for the id."""
        begin = self.key[1].replace(".", "-")[: _LONGEST - _UUID - 1].rstrip("-")
        return f"{begin}-{self.id}"

    @property
    def job(self) -> Target:
        return Target(JOBS, self.key[0], self.name)

    @property
    def order(self) -> Target:
        return Target(SECRETS, self.key[0], f"{self.name}-order")

    def report(self, piece: int = 0) -> Target:
        return Target(SECRETS, self.key[0], f"{self.name}-report{f'-{piece}' if piece else ''}")

    @property
    def labels(self) -> dict[str, str]:
        return {RUN: self.id, OBJECT: label(self.key[1])}

    @property
    def where(self) -> str:
        return f"Job {self.name} (`kubectl logs -n {self.key[0]} job/{self.name}`)"


def run_of(order: Order) -> Run:
    return Run(order.key, order.id)


def order_secret(order: Order) -> JsonObject:
    run = run_of(order)
    metadata = {"labels": run.labels, "ownerReferences": _owners(order)}
    return _secret(run.order, metadata, written_order(order))


def report_secrets(run: Run, written: Written, owners: list[JsonObject]) -> list[JsonObject]:
    """The one that says that all of it is there comes last."""
    said = {DIGEST: written.digest, PIECES: str(len(written.pieces))}
    made = [
        _secret(
            run.report(at),
            {"labels": run.labels, "ownerReferences": owners, **({} if at else {"annotations": said})},
            piece,
        )
        for at, piece in enumerate(written.pieces)
    ]
    return [*made[1:], made[0]]


def content_of(secret: JsonObject) -> bytes:
    """Raises Corrupted."""
    entries = secret.get("data")
    text = entries.get(_KEY) if isinstance(entries, dict) else None
    try:
        return b64decode(text, validate=True) if isinstance(text, str) else b""
    except NoBase64:
        raise Corrupted(f"Secret {secret['metadata'].get('name')} cannot be read", why="it holds no base64") from None


def job(order: Order, image: str) -> JsonObject:
    """Runs one command once, as the object's account, with what the object says about its pods."""
    run = run_of(order)
    spec, template = _read(order)
    metadata = template.get("metadata") or {}
    labels = {
        "app.kubernetes.io/name": "tf-runner",
        "app.kubernetes.io/created-by": "tf-controller",
        f"{TERRAFORM.group}/terraform": order.key[0],
        **run.labels,
    }
    annotations = {OPERATION: order.operation, REVISION: order.revision}
    if not spec.always_cleanup_runner_pod:
        annotations[KEPT] = "true"
    pod_annotations = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false", **(metadata.get("annotations") or {})}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": run.name,
            "namespace": order.key[0],
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": _owners(order),
        },
        "spec": {
            "backoffLimit": 0,
            "completions": 1,
            "parallelism": 1,
            "podReplacementPolicy": "Failed",
            "activeDeadlineSeconds": int(order.deadline_s + _SLACK_S),
            "template": {
                "metadata": {"labels": {**(metadata.get("labels") or {}), **labels}, "annotations": pod_annotations},
                "spec": _pod(run, spec, template.get("spec") or {}, image),
            },
        },
    }


def _pod(run: Run, spec: TerraformSpec, said: JsonObject, image: str) -> JsonObject:
    grace_s = max(0, spec.runner_termination_grace_period_seconds)
    own = [{"name": name, "emptyDir": {}} for name in _WRITABLE]
    return {
        **{name: said[name] for name in _OF_PODS if said.get(name)},
        "restartPolicy": "Never",
        "serviceAccountName": spec.service_account_name,
        "terminationGracePeriodSeconds": grace_s,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumes": [*own, *(said.get("volumes") or ())],
        "containers": [_container(run, grace_s, said, image)],
    }


def _container(run: Run, grace_s: int, said: JsonObject, image: str) -> JsonObject:
    mounts = [{"name": name, "mountPath": path} for name, path in _WRITABLE.items()]
    order = f"{run.key[0]}/{run.order.name}"
    confined = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    env = [{"name": "HOME", "value": _WRITABLE["home"]}, *(said.get("env") or ())]
    return {
        "name": CONTAINER,
        "image": said.get("image") or image,
        "command": ["plumb", "runner", "--order", order, "--grace", str(grace_s)],
        **{name: said[name] for name in _OF_CONTAINERS if said.get(name)},
        "env": env,
        "securityContext": {**confined, **(said.get("securityContext") or {})},
        "volumeMounts": [*mounts, *(said.get("volumeMounts") or ())],
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _read(order: Order) -> tuple[TerraformSpec, JsonObject]:
    """What the object says, typed, and of its pods as it was written: only the cluster knows all that pods can have."""
    assert order.object is not None  # noqa: S101 - whoever orders says for which object
    said = (order.object.get("spec") or {}).get("runnerPodTemplate")
    return read(TERRAFORM, order.object).spec, said if isinstance(said, dict) else {}


def _owners(order: Order) -> list[JsonObject]:
    assert order.object is not None  # noqa: S101 - as above
    metadata: Any = order.object["metadata"]
    version = TERRAFORM.gvk.api_version
    return [{"apiVersion": version, "kind": TERRAFORM.kind, "name": metadata["name"], "uid": metadata["uid"]}]


def _secret(target: Target, metadata: JsonObject, content: bytes) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": target.name, "namespace": target.namespace, **metadata},
        "type": "Opaque",
        "data": {_KEY: b64encode(content).decode()},
    }
