"""Tags that upstream puts on everything that takes tags: they say whose it is."""

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Managed


def default_tags(managed: Managed) -> dict[str, str]:
    ref = managed.ref
    tags = {"crossplane-kind": str(GroupKind(ref.group, ref.kind)).lower(), "crossplane-name": ref.name}
    if managed.config:
        tags["crossplane-providerconfig"] = managed.config
    if ref.namespace:
        tags["crossplane-namespace"] = ref.namespace
        said = ((managed.object.get("spec") or {}).get("providerConfigRef") or {}).get("kind")
        if said:
            tags["crossplane-providerconfig-kind"] = str(said)
    return tags
