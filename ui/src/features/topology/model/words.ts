import type { GraphObject } from "@/graph/object";
import type { Seen } from "@/graph/sight";

/** What a thing in the graph is called. */
export function titleOf(seen: Seen): string {
  if (seen.branch) return seen.branch.object.name;
  const kind = seen.kind.split(".")[0] || "objects";
  return `${seen.members?.length ?? 0} × ${kind}`;
}

/** What stands below the name: the reason of what is wrong, or else the kind. */
export function detailOf(object: GraphObject): string {
  const ill = object.health !== undefined && object.health !== "Healthy";
  return ill && object.message ? `${object.kind} · ${object.message}` : object.kind;
}
