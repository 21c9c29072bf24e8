import { HEALTH_ORDER, type Health, type Sync } from "@/kit/model/status";

/** What a graph is drawn of: anything that has a place below something else. */
export interface GraphObject {
  /** The same object has the same key in every update. */
  key: string;
  group: string;
  kind: string;
  namespace: string;
  name: string;
  /** Nothing for kinds that are neither well nor ill, such as a ConfigMap. */
  health?: Health | undefined;
  /** Only for what Git asks for. */
  sync?: Sync | undefined;
  message: string;
  /** Keys of what it belongs to, the closest first. Those that are not in the graph do not count. */
  parents: readonly string[];
}

/** How much it wants to be looked at: 0 is well, and the worst health is the highest. */
export function attentionOf({ health, sync }: Pick<GraphObject, "health" | "sync">): number {
  const ill = health === undefined ? 0 : HEALTH_ORDER.length - 1 - HEALTH_ORDER.indexOf(health);
  const differs = sync === "OutOfSync" || sync === "Blocked" ? 1 : 0;
  return Math.max(ill, differs);
}

/** The worse of two; whoever has no health does not count. */
export function worseOf(one: Health | undefined, other: Health | undefined): Health | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return HEALTH_ORDER.indexOf(one) <= HEALTH_ORDER.indexOf(other) ? one : other;
}

/** Two kinds of the same name in different groups are not alike. */
export const kindOf = ({ group, kind }: Pick<GraphObject, "group" | "kind">): string =>
  group ? `${kind}.${group}` : kind;
