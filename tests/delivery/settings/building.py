"""ConfigMaps and Secrets as the API server has them."""

from base64 import b64encode

from plumbline.base.json import encode
from plumbline.delivery.settings import Sources, read_settings


def config_map(entries, name="argocd-cm", version="1"):
    return {"kind": "ConfigMap", "metadata": {"name": name, "uid": "u", "resourceVersion": version}, "data": entries}


def secret(entries, name="argocd-secret", version="1", **metadata):
    data = {key: b64encode(value.encode()).decode() for key, value in entries.items()}
    return {
        "kind": "Secret",
        "metadata": {"name": name, "uid": "u", "resourceVersion": version, **metadata},
        "data": data,
    }


def settings(entries=None, **parameters):
    """From argocd-cm with *entries*."""
    return read_settings(Sources(control_plane=config_map(entries or {}), **parameters))


def cluster_secret(name="east", server="https://east.example.com", config=None, **more):
    entries = {"name": name, "server": server, **more}
    if config is not None:
        entries["config"] = encode(config).decode()
    return secret(entries, name=f"cluster-{name}", labels={"argocd.argoproj.io/secret-type": "cluster", "tier": "prod"})


CA, CERT, KEY = (b64encode(text.encode()).decode() for text in ("the ca", "the certificate", "the key"))
