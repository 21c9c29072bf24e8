"""All of it, in the order in which a cluster has to hear of it. Pure: the same question has the same answer, byte for byte."""

from typing import Any

from plumbline.base.json import JsonObject
from plumbline.cli.installing.reach import network_policy, services
from plumbline.cli.installing.rights import rights
from plumbline.cli.installing.wanted import Wanted, labels
from plumbline.cli.installing.workload import deployment, disruptions
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.flux import FLUX_KINDS
from plumbline.kinds.kind import Kind
from plumbline.kinds.mandate import MANDATE
from plumbline.kinds.secrets import SECRETS_KINDS
from plumbline.kinds.terraform import TERRAFORM_KINDS


def manifests(wanted: Wanted) -> list[JsonObject]:
    """Everything but the kinds."""
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": wanted.namespace, "labels": {"app.kubernetes.io/part-of": labels(wanted)["app.kubernetes.io/part-of"]}},
    }  # fmt: skip
    return [
        namespace,
        *rights(wanted),
        *services(wanted),
        network_policy(wanted),
        *disruptions(wanted),
        deployment(wanted),
    ]


def definitions(only: frozenset[str]) -> list[JsonObject]:
    """The kinds of *only* these rooms, and what every installation has: Applications and projects, and the Mandate."""
    rooms: dict[str, tuple[Kind[Any, Any], ...]] = {
        "composition": CROSSPLANE_KINDS,
        "terraform": (*FLUX_KINDS, *TERRAFORM_KINDS),
        "secrets": SECRETS_KINDS,
    }
    chosen = [kind for room, kinds in rooms.items() if room in only for kind in kinds]
    return [crd_manifest(kind) for kind in (APPLICATION, APP_PROJECT, MANDATE, *chosen)]
