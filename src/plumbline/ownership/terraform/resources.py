"""One resource of Terraform as something that can be owned: an object in a cluster, a Helm release, or outside."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import Json
from plumbline.kube.names import GroupKind, GroupVersion, Ref
from plumbline.ownership.external import Described, Partial, resource
from plumbline.ownership.refs import release_ref
from plumbline.ownership.scopes import Scopes
from plumbline.ownership.terraform.kinds import kind_of_type
from plumbline.ownership.values import ClusterObject, Resource, Unnamed

_MANIFESTS: Final = frozenset({"kubernetes_manifest", "kubernetes_manifest_v1"})
_SCOPES: Final = Scopes()
_DEFAULT: Final = "default"


def terraform_resource(described: Described, cluster: str = "") -> Resource:
    """What *described* is about; objects are taken to be in *cluster*, as HCL does not say which one that is."""
    if described.type in _MANIFESTS:
        return _from_manifest(described, cluster)
    if described.type == "helm_release":
        return _release(described, cluster)
    kind = kind_of_type(described.type)
    if kind is None:
        return resource(described)
    metadata = described.attributes.get("metadata")
    if isinstance(metadata, list) and metadata:
        metadata = metadata[0]
    return _object(described, kind, metadata, cluster)


def _from_manifest(described: Described, cluster: str) -> Resource:
    manifest = described.attributes.get("manifest")
    # State keeps it as a value with its type beside it.
    if isinstance(manifest, dict) and isinstance(manifest.get("value"), dict) and "apiVersion" not in manifest:
        manifest = manifest["value"]
    if not isinstance(manifest, dict):
        return Unnamed(described.type, described.address)
    version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return Unnamed(described.type, described.address)
    return _object(described, GroupKind(GroupVersion.parse(version).group, kind), manifest.get("metadata"), cluster)


def _object(described: Described, kind: GroupKind, metadata: Json, cluster: str) -> Resource:
    fields: Mapping[str, Json] = metadata if isinstance(metadata, dict) else {}
    name, namespace = fields.get("name"), fields.get("namespace") or ""
    if not _SCOPES.namespaced(kind):
        namespace = ""
    elif not namespace:
        namespace = _DEFAULT
    if isinstance(name, str) and name and isinstance(namespace, str):
        return ClusterObject(Ref(*kind, namespace, name), cluster)
    return Unnamed(described.type, described.address, _pattern(name), assigned=not name)


def _release(described: Described, cluster: str) -> Resource:
    name, namespace = described.attributes.get("name"), described.attributes.get("namespace") or _DEFAULT
    if isinstance(name, str) and name and isinstance(namespace, str):
        return ClusterObject(release_ref(namespace, name), cluster)
    return Unnamed(described.type, described.address, _pattern(name))


def _pattern(name: Json) -> str:
    return name.pattern if isinstance(name, Partial) else name if isinstance(name, str) and name else "*"
