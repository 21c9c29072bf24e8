"""The marks of Helm and Flux."""

from typing import Final

from plumbline.kube.names import Ref
from plumbline.ownership.learn.facts import Facts
from plumbline.ownership.refs import release_ref
from plumbline.ownership.values import Claim, Owner, Source

RELEASE_NAME: Final = "meta.helm.sh/release-name"
RELEASE_NAMESPACE: Final = "meta.helm.sh/release-namespace"
_FLUX: Final = (
    ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
)


def packaged(facts: Facts) -> list[Claim]:
    """The Helm release or the Flux object that says it made this one.

    Children carry copies of the marks. What Flux releases through Helm has the marks of both and is Flux's.
    """
    if facts.owners:
        return []
    claims = [claim for group, kind in _FLUX for claim in _flux(facts, group, kind)]
    return claims or _helm(facts)


def _flux(facts: Facts, group: str, kind: str) -> list[Claim]:
    name, namespace = facts.labels.get(f"{group}/name", ""), facts.labels.get(f"{group}/namespace", "")
    if not name or not namespace:
        return []
    owner = Owner.of("flux", Ref(group, kind, namespace, name))
    source = Source(object=facts.object, said=f"labels {group}/name and namespace")
    return [Claim(facts.object, owner, source, since=facts.created)]


def _helm(facts: Facts) -> list[Claim]:
    name, namespace = facts.annotations.get(RELEASE_NAME, ""), facts.annotations.get(RELEASE_NAMESPACE, "")
    if not name or not namespace:
        return []
    owner = Owner.of("helm", release_ref(namespace, name), facts.object.cluster)
    source = Source(object=facts.object, said=f"annotation {RELEASE_NAME}")
    return [Claim(facts.object, owner, source, since=facts.created)]
