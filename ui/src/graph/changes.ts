import type { Health } from "@/kit/model/status";
import type { GraphObject } from "./object";

export type Healths = ReadonlyMap<string, Health | undefined>;

export const healthsOf = (objects: Iterable<GraphObject>): Healths =>
  new Map([...objects].map((object) => [object.key, object.health]));

/** Who fares otherwise than before, as sentences; the worst first. What is new is news only where it is ill. */
export function healthChanges(before: Healths, objects: readonly GraphObject[]): string[] {
  return objects
    .filter(
      ({ key, health }) =>
        health !== undefined && (before.has(key) ? before.get(key) !== health : health === "Degraded"),
    )
    .sort((one, other) => Number(other.health === "Degraded") - Number(one.health === "Degraded"))
    .map(({ kind, name, health }) => `${kind} ${name} is ${health}`);
}
