"""Applications of odd shapes, for Argo CD and for us alike. Data."""

from types import MappingProxyType
from typing import Any, NamedTuple

from plumbline.base.json import JsonObject

from .hands import config_map, job, pod

STRICT = {
    "sourceRepos": ["*"],
    "destinations": [{"namespace": "forbidden-*", "server": "*"}],
    "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
}
LAMP = {"apiVersion": "lit.example.org/v1", "kind": "Lamp", "metadata": {"name": "lamp"}}
ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "odd-reader"},
    "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}, "stringData": {"a": "1"}}


class Odd(NamedTuple):
    name: str
    why: str
    objects: tuple[JsonObject, ...] = ()
    then: tuple[JsonObject, ...] | None = None
    """What a second commit has instead; None where there is none."""
    spec: JsonObject = MappingProxyType({})
    sync: JsonObject = MappingProxyType({"prune": True})
    files: JsonObject = MappingProxyType({})
    before: tuple[JsonObject, ...] = ()
    """What is in the namespace already."""
    drift: tuple[tuple[str, str, Any], ...] = ()
    """Kind (as in its URL), name, merge patch: what somebody does by hand after the first sync."""
    namespace: bool = True


def deployment(image="web:1", replicas=0, selector="web", **annotations) -> JsonObject:
    container = {"name": "web", "image": image}
    template = {"metadata": {"labels": {"app": selector}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": selector}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", **annotations}, "spec": spec}


def policy(*options: str, **more) -> JsonObject:
    return {"syncPolicy": {"syncOptions": list(options), **more}}


SCALED = ("apis/apps/v1/deployments", "web", {"spec": {"replicas": 2}})
ODD = (
    Odd("plain", "two objects", (config_map("a"), SECRET)),
    Odd("unchanged", "a second sync of the same", (config_map("a"), deployment()), then=(config_map("a"), deployment())),
    Odd("roles", "roles are reconciled before they are applied", (ROLE,), then=({**ROLE, "rules": []},)),
    Odd("weights", "hooks in waves of their own", (config_map("a"), pod("late", hook="PreSync", wave="2"), pod("early", hook="PreSync", wave="-2"), pod("mid", hook="Sync"), pod("post", hook="PostSync"))),
    Odd("several-phases", "one hook of two phases", (config_map("a"), pod("both", hook="PreSync,PostSync"))),
    Odd("hook-gone", "hooks that are deleted when they succeed", (config_map("a"), pod("gone", hook="PreSync", policy="HookSucceeded"))),
    Odd("hook-fails", "a failed hook ends the sync", (config_map("a"), pod("bad", 1, hook="PreSync"))),
    Odd("hook-remedy", "a failed hook and its remedy", (config_map("a"), pod("bad", 1, hook="PreSync"), pod("sorry", hook="SyncFail"))),
    Odd("post-fails", "everything is applied, and yet it failed", (config_map("a"), job("bad", 1, hook="PostSync"))),
    Odd("generated", "a hook that asks for a name", (config_map("a"), {**pod("x", hook="PreSync"), "metadata": {"generateName": "gen-", "annotations": {"argocd.argoproj.io/hook": "PreSync"}}})),
    Odd("skip", "never applied", (config_map("a"), config_map("never", hook="Skip"))),
    Odd("helm-hooks", "hooks in Helm's words", (config_map("a"), pod("pre", helm_hook="pre-install,pre-upgrade", helm_weight="-5", helm_policy="hook-succeeded"), pod("post", helm_hook="post-install"), pod("test", helm_hook="test"))),
    Odd("prune-false", "what leaves Git and must not go", (config_map("a"), config_map("b", options="Prune=false")), then=(config_map("a"),)),
    Odd("no-prune", "what leaves Git while nobody prunes", (config_map("a"), config_map("b")), then=(config_map("a"),), sync={}),
    Odd("extraneous", "what leaves Git and does not count", (config_map("a"), config_map("b", compare="IgnoreExtraneous")), then=(config_map("a"),), sync={}),
    Odd("pruned", "what leaves Git goes", (config_map("a"), config_map("b")), then=(config_map("a"),)),
    Odd("prune-last", "pruning after everything else", (config_map("a"), config_map("b", wave="-1")), then=(config_map("a", "2"),), spec=policy("PruneLast=true")),
    Odd("unknown-kind", "a kind that nobody defined", (config_map("a"), LAMP)),
    Odd("unknown-kind-later", "the same, without a dry run", (config_map("a"), {**LAMP, "metadata": {"name": "lamp", "annotations": {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}}})),
    Odd("unknown-version", "a version that is not served", (config_map("a"), {**deployment(), "apiVersion": "apps/v1beta1"})),
    Odd("twice", "one object in two files", (config_map("a", "1"), config_map("a", "2"))),
    Odd("cluster-kind", "a kind without namespaces, in one", ({**ROLE, "metadata": {"name": "odd-cluster", "namespace": "elsewhere"}},)),
    Odd("elsewhere", "an object in a namespace that is not there", ({**config_map("a"), "metadata": {"name": "a", "namespace": "nowhere"}},)),
    Odd("homeless", "a destination that is not there", (config_map("a"),), namespace=False),
    Odd("housed", "a namespace with labels, made for it", (config_map("a"),), spec=policy("CreateNamespace=true", managedNamespaceMetadata={"labels": {"team": "x"}}), namespace=False),
    Odd("broken", "a file that is no YAML", files={"a.yaml": "a: [b\n"}),
    Odd("kindless", "a document without a kind", files={"a.yaml": "apiVersion: v1\nmetadata: {name: a}\n"}),
    Odd("nameless", "an object without a name", ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}},)),
    Odd("empty", "a folder without manifests", files={"README.md": "nothing here\n"}),
    Odd("listed", "a List of objects", ({"apiVersion": "v1", "kind": "List", "items": [config_map("a"), config_map("b")]},)),
    Odd("mistyped", "a field of the wrong type", (config_map("a"), {**deployment(), "spec": {**deployment()["spec"], "replicas": "many"}})),
    Odd("misspelt", "a field that does not exist", (config_map("a"), {**deployment(), "spec": {**deployment()["spec"], "replica": 1}})),
    Odd("refused", "what the server refuses", (config_map("a"), {**config_map("b"), "metadata": {"name": "Not_A_Name"}})),
    Odd("immutable", "a field that cannot change", (deployment(),), then=(deployment(selector="other"),)),
    Odd("recreated", "unless it is made anew", (deployment(),), then=(deployment(selector="other"),), spec=policy("Force=true", "Replace=true")),
    Odd("replaced", "put in place of what is there", (config_map("a", options="Replace=true"),), then=(config_map("a", "2", options="Replace=true"),)),
    Odd("server-side", "applied on the server's side", (deployment(), SECRET), then=(deployment("web:2"), SECRET), spec=policy("ServerSideApply=true")),
    Odd("changed-only", "only what differs", (config_map("a"), config_map("b")), then=(config_map("a"), config_map("b", "2")), spec=policy("ApplyOutOfSyncOnly=true")),
    Odd("no-such-project", "a project that nobody made", (config_map("a"),), spec={"project": "ghost"}),
    Odd("forbidden-kind", "a kind that the project forbids", (config_map("a"), SECRET), spec={"project": "strict"}),
    Odd("forbidden-cluster-kind", "so are those without namespaces", (config_map("a"), {**ROLE, "metadata": {"name": "odd-strict"}}), spec={"project": "strict"}),
    Odd("not-permitted", "a destination that the project forbids", (config_map("a"),), spec={"project": "strict"}),
    Odd("no-such-cluster", "a cluster that nobody knows", (config_map("a"),), spec={"destination": {"server": "https://192.0.2.1", "namespace": "x"}}),
    Odd("no-such-path", "a folder that is not there", spec={"source": {"path": "not-there"}}),
    Odd("no-such-branch", "a revision that is not there", (config_map("a"),), spec={"source": {"targetRevision": "ghost"}}),
    Odd("no-source", "neither path nor chart", spec={"source": {"path": ""}}),
    Odd("drifted", "a change by hand", (deployment(),), drift=(SCALED,)),
    Odd("ignored-pointer", "a change that is ignored", (deployment(),), drift=(SCALED,), spec={"ignoreDifferences": [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]}),
    Odd("ignored-jq", "in jq's words", (deployment(),), drift=(SCALED,), spec={"ignoreDifferences": [{"group": "apps", "kind": "Deployment", "jqPathExpressions": [".spec.replicas"]}]}),
    Odd("ignored-manager", "because of who did it", (deployment(),), drift=(SCALED,), spec={"ignoreDifferences": [{"group": "*", "kind": "*", "managedFieldsManagers": ["conformance"]}]}),
    Odd("respected", "and not applied over either", (deployment(),), then=(deployment("web:2"),), drift=(SCALED,), spec={**policy("RespectIgnoreDifferences=true"), "ignoreDifferences": [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]}),
    Odd("broken-jq", "an expression that is none", (deployment(),), spec={"ignoreDifferences": [{"group": "apps", "kind": "Deployment", "jqPathExpressions": [".spec["]}]}),
    Odd("shared-one", "two applications of one object", ({**config_map("shared"), "metadata": {"name": "shared", "namespace": "common"}},)),
    Odd("shared-two", "the other of the two", (config_map("a"),), then=({**config_map("shared"), "metadata": {"name": "shared", "namespace": "common"}},), spec=policy("FailOnSharedResource=true")),
    Odd("rehearsed", "a dry run", (config_map("a"), deployment()), sync={"dryRun": True}),
    Odd("chosen", "some of the objects", (config_map("a"), config_map("b")), sync={"resources": [{"kind": "ConfigMap", "name": "b"}]}),
    Odd("chosen-none", "none of the objects", (config_map("a"),), sync={"resources": [{"kind": "ConfigMap", "name": "ghost"}]}),
    Odd("applied-only", "without hooks", (config_map("a"), pod("pre", hook="PreSync")), sync={"syncStrategy": {"apply": {}}}),
    Odd("job-fails", "a resource that fails in the first of two waves", (job("bad", 1), config_map("a", wave="1"))),
    Odd("found", "objects that were there before", (config_map("a", "2"),), before=(config_map("a"),)),
    Odd("no-validation", "a field that does not exist, and nobody minds", (config_map("a"), {**deployment(), "spec": {**deployment()["spec"], "replica": 1}}), spec=policy("Validate=false")),
    Odd("suspended", "a job that waits", ({**job("wait"), "spec": {**job("wait")["spec"], "suspend": True}},)),
)  # fmt: skip
