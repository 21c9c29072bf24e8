"""Terraform objects (infra.contrib.fluxcd.io): what their inventory says they made."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.object import Object
from plumbline.ownership.external import Described
from plumbline.ownership.terraform.resources import terraform_resource
from plumbline.ownership.values import Claim, ClusterObject, Owner, Source

GROUP: Final = "infra.contrib.fluxcd.io"


def learn_terraform(obj: JsonObject, cluster: str = "") -> list[Claim]:
    """The things in the inventory, which is there only where the object asks for one; its state knows more."""
    view = Object(obj)
    if (view.group_kind.group, view.kind) != (GROUP, "Terraform"):
        return []
    inventory = view.status.get("inventory")
    entries = inventory.get("entries") if isinstance(inventory, dict) else None
    owner = Owner.of("terraform", view.ref, cluster)
    source = Source(object=ClusterObject(view.ref, cluster), said="status.inventory")
    claims = []
    for entry in entries if isinstance(entries, list) else ():
        name, type_, id_ = (entry.get(field) if isinstance(entry, dict) else None for field in ("n", "t", "id"))
        if isinstance(name, str) and isinstance(type_, str) and isinstance(id_, str):
            described = Described(type_, f"{type_}.{name}", _attributes(type_, id_), id_)
            claims.append(Claim(terraform_resource(described, cluster), owner, source, since=view.creation_timestamp))
    return claims


def _attributes(type_: str, id_: str) -> JsonObject:
    """What the id of something in a cluster says: NAMESPACE/NAME, or all of it as `apiVersion=v1,kind=…`."""
    if not type_.startswith("kubernetes_"):
        return {}
    if "=" in id_:
        said = dict(part.partition("=")[::2] for part in id_.split(","))
        metadata = {field: said.get(field, "") for field in ("name", "namespace")}
        return {"manifest": {"apiVersion": said.get("apiVersion"), "kind": said.get("kind"), "metadata": metadata}}
    namespace, _, name = id_.rpartition("/")
    return {"metadata": {"name": name, "namespace": namespace}}
