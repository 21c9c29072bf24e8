"""Terraform objects, Secrets and ConfigMaps for tests."""

import base64

from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.read import read
from plumbline.terraform.inputs import Terms
from plumbline.terraform.work import Output

TERMS = Terms(Plaintext("a key of the installation"))


def terraform(spec=None, *, name="net", namespace="team-a", status=None, **metadata):
    obj = {
        "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
        "kind": "Terraform",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}", "generation": 1, **metadata},
        "spec": {"interval": "1m", "sourceRef": {"kind": "GitRepository", "name": "infra"}, **(spec or {})},
    }
    if status is not None:
        obj["status"] = status
    return read(TERRAFORM, obj)


def secret(values, name="s", namespace="team-a", **rest):
    data = {
        key: base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()
        for key, value in values.items()
    }
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "resourceVersion": "1", **rest}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}


def config_map(data, name="c", namespace="team-a", binary=None, **rest):
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "resourceVersion": "1", **rest}
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    if binary:
        obj["binaryData"] = {key: base64.b64encode(value).decode() for key, value in binary.items()}
    return obj


def output(value, type_='"string"', *, sensitive=False):
    return Output(type=type_, value=Plaintext(value), sensitive=sensitive)


class Cluster:
    """A reader over objects that are at hand, which counts."""

    def __init__(self, *objects):
        self._objects = {
            (each["kind"], each["metadata"]["namespace"], each["metadata"]["name"]): each for each in objects
        }
        self.asked = []

    async def secret(self, namespace, name):
        return self._get("Secret", namespace, name)

    async def config_map(self, namespace, name):
        return self._get("ConfigMap", namespace, name)

    def _get(self, *key):
        self.asked.append(key)
        return self._objects.get(key)
