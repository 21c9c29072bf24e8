"""What each room has to be allowed, rule by rule, and why. A table: a rule that nobody needs is one too many.

They count where delivery is left out. Delivery writes whatever Git says, which only the right to everything covers.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.kinds.externalsecrets import EXTERNAL_SECRETS_KINDS
from plumbline.kinds.kind import Kind

READ: Final = ("get", "list", "watch")
WRITE: Final = (*READ, "create", "update", "patch", "delete")
_RECORD: Final = (*READ, "update", "patch")
"""Finalizers and annotations; whoever made the object deletes it."""
_RBAC: Final = "rbac.authorization.k8s.io"
_CORE: Final = ""


class Rule(NamedTuple):
    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    why: str
    names: tuple[str, ...] = ()

    def reading(self) -> "Rule | None":
        """As much of it as somebody needs who only looks."""
        verbs = tuple(verb for verb in (READ if self.verbs == ("*",) else self.verbs) if verb in READ)
        return self._replace(verbs=verbs) if verbs else None

    def manifest(self) -> JsonObject:
        named = {"resourceNames": list(self.names)} if self.names else {}
        return {
            "apiGroups": list(self.groups),
            "resources": list(self.resources),
            **named,
            "verbs": list(self.verbs),
        }


def _kinds(group: str, *plurals: str, verbs: tuple[str, ...] = _RECORD, why: str) -> Rule:
    """Finalizers are named for clusters that ask for the right to block an owner's deletion."""
    parts = tuple(f"{plural}{part}" for plural in plurals for part in ("", "/status", "/finalizers"))
    return Rule((group,), parts, verbs, why)


def _grouped(kinds: Iterable[Kind[Any, Any]]) -> dict[str, tuple[str, ...]]:
    """Plurals by group."""
    found: dict[str, tuple[str, ...]] = {}
    for kind in kinds:
        found[kind.group] = (*found.get(kind.group, ()), kind.plural)
    return found


READ_EVERYTHING: Final = Rule(("*",), ("*",), READ, "Git and compositions may name any kind, and each is compared with what is there")  # fmt: skip
EVERYTHING: Final = Rule(("*",), ("*",), ("*",), "Delivery writes whatever Git says, roles and kinds included")

OWN: Final = (
    Rule(("coordination.k8s.io",), ("leases",), ("create",), "the first replica makes the Lease"),
    Rule(("coordination.k8s.io",), ("leases",), ("get", "update"), "one replica leads", ("plumbline",)),
    Rule((_CORE,), ("configmaps",), READ, "settings are followed"),
    Rule((_CORE,), ("secrets",), READ, "accounts, repositories and clusters are Secrets with labels"),
    Rule((_CORE,), ("secrets",), ("create",), "the first password, the key of digests, what is known of sessions"),
    Rule((_CORE,), ("secrets",), ("patch",), "passwords, tokens and sessions", ("argocd-secret", "plumbline-sessions")),
    Rule((_CORE,), ("namespaces",), ("get",), "whether it is there is asked at every start"),
    Rule(("argoproj.io",), ("appprojects",), ("get", "create"), "the project `default`, where it is missing"),
)
"""In the namespace of the installation, also while it observes: without these nobody leads, and nobody logs in."""

BASE: Final = (
    Rule(("apiextensions.k8s.io",), ("customresourcedefinitions",), ("get",), "whether our kinds are as they should be"),
    Rule(("argoproj.io",), ("applications", "appprojects"), READ, "pages and settings are about them"),
    Rule(("plumbline.dev",), ("mandates",), ("get",), "what was handed over"),
    Rule((_CORE,), ("events",), ("create",), "what happened to an object is told beside it"),
    Rule((_RBAC,), ("clusterroles", "clusterrolebindings"), ("get",), "roles for people are made where they are missing"),
)  # fmt: skip

_ASKED: Final = Rule(("admissionregistration.k8s.io",), ("validatingwebhookconfigurations",), ("get", "create", "patch"), "the API server is told what to ask us")  # fmt: skip

COMPOSITION: Final = (
    Rule(("apiextensions.crossplane.io", "pkg.crossplane.io", "protection.crossplane.io"), ("*",), WRITE, "Crossplane's own kinds, and revisions of them"),
    Rule(("apiextensions.k8s.io",), ("customresourcedefinitions",), WRITE, "definitions and providers bring kinds"),
    Rule((_RBAC,), ("clusterroles",), ("get", "create", "update", "patch", "delete", "escalate"), "each definition brings roles for its kinds, which nobody can hold before they exist"),
    Rule((_CORE,), ("secrets",), WRITE, "connection details"),
    Rule((_CORE,), ("namespaces",), READ, "what goes down with its namespace is told from what was deleted by itself"),
    _ASKED,
)  # fmt: skip

TERRAFORM: Final = (
    _kinds("infra.contrib.fluxcd.io", "terraforms", why="plans, approvals and how runs went"),
    _kinds("source.toolkit.fluxcd.io", "gitrepositories", why="which commit they are at"),
    Rule(("source.toolkit.fluxcd.io",), ("buckets", "externalartifacts", "ocirepositories"), ("get",), "files of sources that Flux looks after"),
    Rule(("plumbline.dev",), ("planapprovals", "terraformpolicies"), READ, "who agreed to what, and what needs nobody"),
    Rule((_CORE,), ("secrets",), ("*",), "plans, outputs, orders and reports; and what `tf-runner` is given cannot be more than this"),
    Rule(("coordination.k8s.io",), ("leases",), ("*",), "locks of states; the same"),
    Rule((_CORE,), ("configmaps",), WRITE, "plans to be read, and outputs that are no secret"),
    Rule((_CORE,), ("serviceaccounts",), ("get", "create"), "`tf-runner`, where no account is named and it is missing"),
    Rule((_RBAC,), ("roles", "rolebindings"), ("get", "create"), "the same"),
    Rule(("batch",), ("jobs",), (*READ, "create", "patch", "delete"), "runs"),
    Rule((_CORE,), ("pods",), ("list",), "why a run did not begin, or how it ended"),
    _ASKED,
)  # fmt: skip

SECRETS: Final = (
    _kinds("bitnami.com", "sealedsecrets", why="whether it could be opened"),
    *(_kinds(group, *plurals, verbs=WRITE, why="how fetching went; some of them are made of others") for group, plurals in _grouped(EXTERNAL_SECRETS_KINDS).items()),
    Rule((_CORE,), ("secrets",), WRITE, "what is opened or fetched becomes a Secret; sealing keys are Secrets"),
    Rule((_CORE,), ("configmaps", "serviceaccounts"), ("get",), "certificates, templates and accounts that stores name"),
    Rule((_CORE,), ("serviceaccounts/token",), ("create",), "stores sign in as the account that they name"),
    Rule((_CORE,), ("namespaces",), (*READ, "patch"), "which of them a store or a secret is for; the mark that upstream left on them goes"),
)  # fmt: skip

ROOMS: Final = {"composition": COMPOSITION, "terraform": TERRAFORM, "secrets": SECRETS}


def provided() -> Rule:
    """The kinds of every provider of ours. None of them is there before somebody uses it."""
    from plumbline.base.clock import SystemClock  # noqa: PLC0415 - only where delivery is left out
    from plumbline.managed.manifests import config_kinds  # noqa: PLC0415 - same
    from plumbline.providers import aws, azure, gcp, sql  # noqa: PLC0415 - same
    from plumbline.providers.kubernetes.kinds import GROUP, NAMESPACED_GROUP  # noqa: PLC0415 - same

    clock = SystemClock()
    kinds = (
        *aws.kinds(aws.Clients()),
        *gcp.kinds(gcp.Connections(clock)),
        *azure.kinds(azure.Connections(clock)),
        *sql.kinds(sql.Servers()),
    )
    groups = {GROUP, NAMESPACED_GROUP, *(kind.group for kind in kinds)}
    groups |= {each.group for kind in kinds for each in config_kinds(kind.provider, namespaced=kind.namespaced)}
    return Rule(tuple(sorted(groups)), ("*",), WRITE, "managed resources, and how clouds are reached")
