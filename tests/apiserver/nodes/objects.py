"""Objects that the tests of this room make."""


def pod(name: str = "p", *, annotations: dict[str, str] | None = None, labels: dict[str, str] | None = None, **spec):
    spec.setdefault("containers", [{"name": "c", "image": "nginx"}])
    metadata = {"name": name, "namespace": "default"}
    if annotations:
        metadata["annotations"] = {f"sim.plumbline.dev/{key}": value for key, value in annotations.items()}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def container(name: str = "c", image: str = "nginx", **more):
    return {"name": name, "image": image, **more}


def service(name: str = "s", **spec):
    spec.setdefault("selector", {"app": "a"})
    spec.setdefault("ports", [{"port": 80}])
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def claim(name: str = "data", *, class_: str | None = "standard", size: str = "1Gi", **spec):
    spec.setdefault("accessModes", ["ReadWriteOnce"])
    if class_ is not None:
        spec["storageClassName"] = class_
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"resources": {"requests": {"storage": size}}, **spec},
    }


def volume(name: str, *, size: str = "1Gi", class_: str = "manual", **spec):
    spec.setdefault("accessModes", ["ReadWriteOnce"])
    made = {"capacity": {"storage": size}, "storageClassName": class_, "csi": {"driver": "d", "volumeHandle": name}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {"persistentVolumeReclaimPolicy": "Retain", **made, **spec},
    }


def storage_class(name: str, **more):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}, **more}


def mounting(claim_name: str, name: str = "p", **more):
    return pod(name, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim_name}}], **more)


def deployment(name: str = "web", *, replicas: int = 2, annotations: dict[str, str] | None = None, **resources):
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "nginx", "resources": resources}]},
    }
    metadata = {"name": name, "namespace": "default", "annotations": annotations or {}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def secret(name: str, **values: str):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "default"},
        "stringData": values,
    }


def config_map(name: str, **values: str):
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": values}
