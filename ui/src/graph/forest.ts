import type { Health } from "@/kit/model/status";
import { attentionOf, type GraphObject, worseOf } from "./object";

/** An object with all that hangs from it. */
export interface Branch<T extends GraphObject = GraphObject> {
  object: T;
  children: Branch<T>[];
  /** The most that it, or anything below it, wants to be looked at. */
  attention: number;
  /** The worst health of it and of anything below it; nothing where nobody has any. */
  worst: Health | undefined;
  /** How many objects it is, itself included. */
  size: number;
  /** Whether it is what somebody looks for, not only on the way to it. */
  matched: boolean;
}

/**
 * Everything below *root*: each object hangs from the first of its parents that is there, and from the root if none is. Objects that own each other
 * in a circle hang from the root as well, so that nothing is lost.
 */
export function grown<T extends GraphObject>(root: T, objects: readonly T[]): Branch<T> {
  const branches = new Map<string, Branch<T>>([[root.key, leaf(root)]]);
  for (const object of objects) if (!branches.has(object.key)) branches.set(object.key, leaf(object));
  const hangs = new Map<string, string>();
  for (const { object } of branches.values()) {
    if (object.key === root.key) continue;
    const parent = object.parents.find((key) => branches.has(key) && !isBelow(key, object.key, hangs)) ?? root.key;
    hangs.set(object.key, parent);
    branches.get(parent)?.children.push(branches.get(object.key) as Branch<T>);
  }
  return summed(branches.get(root.key) as Branch<T>);
}

const leaf = <T extends GraphObject>(object: T): Branch<T> => ({
  object,
  children: [],
  attention: attentionOf(object),
  worst: object.health,
  size: 1,
  matched: true,
});

function isBelow(key: string, above: string, hangs: ReadonlyMap<string, string>): boolean {
  for (let at: string | undefined = key; at !== undefined; at = hangs.get(at)) if (at === above) return true;
  return false;
}

/** Every branch, those above before those below. */
export function everyBranch<T extends GraphObject>(root: Branch<T>): Branch<T>[] {
  const found = [root];
  // The list grows while it is read, which a chain of any length survives.
  for (const branch of found) for (const child of branch.children) found.push(child);
  return found;
}

function summed<T extends GraphObject>(root: Branch<T>): Branch<T> {
  for (const branch of everyBranch(root).reverse()) {
    for (const child of branch.children) {
      branch.size += child.size;
      branch.attention = Math.max(branch.attention, child.attention);
      branch.worst = worseOf(branch.worst, child.worst);
    }
  }
  return root;
}

export interface Filter {
  kinds?: readonly string[] | undefined;
  health?: readonly string[] | undefined;
  text?: string | undefined;
}

export const isFiltering = ({ kinds, health, text }: Filter): boolean =>
  Boolean(kinds?.length || health?.length || text?.trim());

/** What fits, with all that is above it. Nothing but the root where nothing fits. */
export function filtered<T extends GraphObject>(root: Branch<T>, filter: Filter): Branch<T> {
  if (!isFiltering(filter)) return root;
  const kept = new Map<string, Branch<T>>();
  for (const branch of everyBranch(root).reverse()) {
    const children = branch.children.flatMap((child) => kept.get(child.object.key) ?? []);
    const matched = branch !== root && fits(branch.object, filter);
    if (!matched && children.length === 0 && branch !== root) continue;
    const own = leaf(branch.object);
    // What is looked for wants to be looked at, however well it is.
    kept.set(branch.object.key, { ...own, children, matched, attention: Math.max(own.attention, matched ? 1 : 0) });
  }
  return summed(kept.get(root.object.key) as Branch<T>);
}

function fits(object: GraphObject, { kinds, health, text }: Filter): boolean {
  if (kinds?.length && !kinds.includes(object.kind)) return false;
  if (health?.length && !health.includes(object.health ?? "")) return false;
  const wanted = text?.trim().toLowerCase().split(/\s+/) ?? [];
  const said = `${object.kind}/${object.name} ${object.namespace} ${object.group}`.toLowerCase();
  return wanted.every((word) => said.includes(word));
}

/** What the rest waits for: the deepest of those that fare so, and one that says why if any does. The worst, if no health is named. */
export function rootCause<T extends GraphObject>(root: Branch<T>, health = root.worst): T | undefined {
  if (health === undefined || health === "Healthy") return undefined;
  const ill = everyBranch(root)
    .slice(1)
    .reverse()
    .map((branch) => branch.object)
    .filter((object) => object.health === health);
  return ill.find((object) => object.message) ?? ill[0];
}
