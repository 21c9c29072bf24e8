import type { GraphObject } from "@/graph/object";
import type { Seen } from "@/graph/sight";
import type { WireTree } from "./wire";

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

/** Which kinds the server could not look at, so that some may be missing, and why the first of them could not be. */
export function unseenOf({ unseen = [] }: WireTree): string {
  const [first] = unseen;
  if (!first) return "";
  const kinds = [...new Set(unseen.map((each) => each.kind))];
  const rest = kinds.length > 1 ? ` and ${kinds.length - 1} more` : "";
  return `${kinds[0]}${rest} could not be listed: ${first.why}`;
}
