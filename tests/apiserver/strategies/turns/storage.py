"""Volumes and claims of them."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script
from tests.apiserver.strategies.turns.samples import PVC, changed, claim, made, patched

SCRIPTS: Mapping[str, Script] = {
    "sources of claims": [
        made(PVC, claim("a", dataSource={"kind": "PersistentVolumeClaim", "name": "x"})),
        made(PVC, claim("b", dataSourceRef={"kind": "Thing", "name": "x", "apiGroup": "y.io"})),
        made(PVC, claim("c", dataSource={"kind": "Thing", "name": "x", "apiGroup": "y.io"})),
        made(PVC, claim("d", dataSourceRef={"kind": "Thing", "name": "x", "apiGroup": "y.io", "namespace": "other"})),
        made(
            PVC, claim("e", dataSource={"kind": "VolumeSnapshot", "name": "x", "apiGroup": "snapshot.storage.k8s.io"})
        ),
        made(
            PVC,
            claim(
                "f",
                metadata={"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
                resources={"requests": {"storage": "1500m"}},
            ),
        ),
    ],
    "claims that would grow": [
        made(PVC, claim("a", storageClassName="none-such")),
        patched(f"{PVC}/a", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}),
        patched(f"{PVC}/a/status", {"status": {"phase": "Bound"}}),
        patched(f"{PVC}/a", {"spec": {"volumeName": "v"}}),
        patched(f"{PVC}/a", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}),
    ],
    "volumes and their phases": [
        made(
            "/api/v1/persistentvolumes",
            {
                "metadata": {"name": "{ns}"},
                "spec": {
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteOnce"],
                    "hostPath": {"path": "/x"},
                    "persistentVolumeReclaimPolicy": "Recycle",
                },
            },
        ),
        patched("/api/v1/persistentvolumes/{ns}/status", {"status": {"phase": "Available"}}),
        changed("/api/v1/persistentvolumes/{ns}/status", lambda obj: {**obj, "status": {"phase": "Available"}}),
        patched(
            "/api/v1/persistentvolumes/{ns}/status",
            {"status": {"phase": "Bound", "lastPhaseTransitionTime": "2020-01-01T00:00:00Z"}},
        ),
    ],
}
