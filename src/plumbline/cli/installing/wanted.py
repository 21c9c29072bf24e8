"""What somebody wants of an installation, and the names that its objects share."""

from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kinds.rooms import EVERY_ROOM

NAME: Final = "plumbline"
SELECTOR: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/component": "controller"}
"""Of our pods, for good: a Deployment cannot change its own."""

Mode: TypeAlias = Literal["observe", "adopt", "enforce"]
"""Only look; write what is handed over; write everything."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    image: str
    version: str
    namespace: str = "argocd"
    mode: Mode = "observe"
    only: frozenset[str] = EVERY_ROOM
    replicas: int = 1
    runner_image: str = ""
    """Of the Jobs that run Terraform; the same one if empty."""
    key_namespace: str = "kube-system"
    certificates: str = ""
    """Secret with the certificate of the admission port; made at every start where there is none."""
    journal: str = ""
    """Secret with the address of a PostgreSQL for the journal."""
    claim: str = ""
    """PersistentVolumeClaim for what is kept outside of the cluster's API."""
    priority_class: str = ""
    api_servers: tuple[str, ...] = ()
    """Networks that API servers are in; anywhere, where none is named."""
    login_commands: frozenset[str] = frozenset()
    """Commands that cluster Secrets may have run to log in."""
    login_hosts: frozenset[str] = frozenset()
    """Servers, beside those of AWS, that our login to EKS may go to."""
    plugins: bool = False
    """Whether there is a folder for the sockets of plugins in sidecars."""

    @property
    def writes(self) -> bool:
        return self.mode != "observe"

    @property
    def seals(self) -> bool:
        return "secrets" in self.only

    @property
    def asked(self) -> bool:
        """Whether there is something that API servers could ask us."""
        return self.writes and not self.only.isdisjoint({"composition", "terraform"})

    @property
    def admits(self) -> bool:
        """Whether they can: replicas that each made a certificate would not know each other's."""
        return self.asked and (self.replicas == 1 or bool(self.certificates))


def metadata(wanted: Wanted, name: str, *, namespaced: bool = True) -> JsonObject:
    place = {"namespace": wanted.namespace} if namespaced else {}
    return {"name": name, **place, "labels": labels(wanted)}


def labels(wanted: Wanted) -> JsonObject:
    return {**SELECTOR, "app.kubernetes.io/part-of": NAME, "app.kubernetes.io/version": wanted.version}
