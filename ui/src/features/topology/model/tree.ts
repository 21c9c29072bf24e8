import type { Application } from "@/features/applications/model/wire";
import { type Branch, grown } from "@/graph/forest";
import { healthOf, type Sync, syncOf } from "@/kit/model/status";
import { BARE, type Resource, refKey, resourceOf } from "./resource";
import type { WireNode, WireTree } from "./wire";

/** All objects of an application, hanging from the application itself. */
export function treeOf(application: Application, tree: WireTree): Branch<Resource> {
  const root = rootOf(application);
  const synced = new Map(
    (application.status?.resources ?? []).map((each) => [refKey(each), each.status ? syncOf(each.status) : undefined]),
  );
  const resource = (node: WireNode, orphaned: boolean) => joined(node, synced.get(refKey(node)), orphaned);
  return grown(root, [
    ...(tree.nodes ?? []).map((node) => resource(node, false)),
    ...(tree.orphanedNodes ?? []).map((node) => resource(node, true)),
  ]);
}

function rootOf({ metadata, status = {} }: Application): Resource {
  return {
    ...BARE,
    key: "application",
    group: "argoproj.io",
    kind: "Application",
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    health: healthOf(status.health?.status),
    sync: syncOf(status.sync?.status),
    message: status.health?.message ?? "",
    uid: metadata.uid ?? "",
    createdAt: metadata.creationTimestamp ?? "",
  };
}

function joined(node: WireNode, sync: Sync | undefined, orphaned: boolean): Resource {
  const health = node.health?.status ? healthOf(node.health.status) : undefined;
  return { ...resourceOf(node, orphaned), health, sync };
}
