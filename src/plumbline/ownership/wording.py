"""Claims in words, and what can be done about one too many."""

from plumbline.base.json import JsonObject
from plumbline.ownership.values import Claim, ClusterObject, External, Owner, Resource, Source


def resource_json(resource: Resource) -> JsonObject:
    if isinstance(resource, ClusterObject):
        return {"object": resource.ref._asdict(), "cluster": resource.cluster}
    if isinstance(resource, External):
        named: JsonObject = {"external": resource.type, "id": resource.id}
        return named | {
            key: value for key, value in (("region", resource.region), ("account", resource.account)) if value
        }
    return {"external": resource.type, "pattern": resource.pattern, "assigned": resource.assigned}


def owner_json(owner: Owner) -> JsonObject:
    return {"engine": owner.engine, "name": owner.name}


def claim_json(claim: Claim) -> JsonObject:
    said: JsonObject = {
        "resource": resource_json(claim.resource),
        "owner": owner_json(claim.owner),
        "strength": claim.strength,
        "source": _source(claim.source),
    }
    return said | ({"since": claim.since} if claim.since else {})


def _source(source: Source) -> JsonObject:
    if source.file:
        found: JsonObject = {"file": source.file, "line": source.line}
    else:
        found = {"object": str(source.object)} if source.object else {}
    return found | {key: value for key, value in (("commit", source.commit), ("said", source.said)) if value}


def way_out(claim: Claim) -> str:
    """How this side of a conflict gives the thing up without destroying it."""
    match claim.owner.engine:
        case "terraform":
            return "Terraform: put a `removed` block with `destroy = false` in place of the resource block, and apply"
        case "crossplane":
            return 'Crossplane: set spec.managementPolicies to ["Observe"], or delete it with deletionPolicy Orphan'
        case "claim" | "composite" | "composition":
            return 'Crossplane: let the Composition\'s template only observe (managementPolicies ["Observe"])'
        case "application":
            return "Application: annotate it with argocd.argoproj.io/sync-options Prune=false, sync, then remove the manifest"
        case "secret":
            return "SealedSecret or ExternalSecret: let its template or creationPolicy leave the Secret unowned, then remove it"
        case "flux":
            return "Flux: annotate it with kustomize.toolkit.fluxcd.io/prune disabled, then remove the manifest"
        case "helm":
            return "Helm: annotate it with helm.sh/resource-policy keep, upgrade, then drop it from the chart"
        case _:
            return f"{claim.owner}: remove the manifest"
