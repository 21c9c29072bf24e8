import { type Branch, everyBranch } from "@/graph/forest";
import { isStateful } from "./kinds";
import type { Resource } from "./resource";

/**
 * How much stands between a wish and its effect: nothing; some seconds in which it can be taken back; a question that says what happens; the
 * name typed by hand.
 */
export type Friction = "none" | "undo" | "confirm" | "type";

export interface Weighed {
  friction: Friction;
  /** What will happen, in a sentence. */
  effect: string;
  /** What goes along, worst first. */
  losses: readonly Resource[];
}

/** More than so many at once, and nobody looks at each. */
const MANY = 10;
const HARMLESS = new Set(["refresh", "reconcile", "resume", "unpause", "pause", "retry"]);

export function weighDeletion(branch: Branch<Resource>): Weighed {
  const { object } = branch;
  const all = everyBranch(branch).map((each) => each.object);
  const precious = all.filter((each) => isStateful(each.kind) || each.infrastructure);
  const losses = [...precious, ...all.filter((each) => !precious.includes(each))].filter((each) => each !== object);
  const named = `${object.kind} ${object.name}`;
  if (precious.length > 0) {
    return {
      friction: "type",
      effect: `${named} is deleted, and what it holds cannot be made again from Git.`,
      losses,
    };
  }
  if (all.length > MANY)
    return { friction: "type", effect: `${named} is deleted with ${losses.length} objects.`, losses };
  if (object.kind === "Pod" && object.parents.length > 0) {
    return { friction: "undo", effect: `${named} is deleted; its owner starts another one.`, losses };
  }
  const along = losses.length > 0 ? ` with ${losses.length} ${losses.length === 1 ? "object" : "objects"}` : "";
  return { friction: "confirm", effect: `${named} is deleted${along}.${again(object)}`, losses };
}

const again = (object: Resource): string => {
  if (object.sync) return " The next sync makes it again, for Git asks for it.";
  return object.parents.length > 0 ? " Its owner may make it again." : "";
};

export function weighAction(action: string, branch: Branch<Resource>): Weighed {
  const pods = everyBranch(branch).filter((each) => each.object.kind === "Pod");
  const { kind, name } = branch.object;
  if (HARMLESS.has(action)) return { friction: "none", effect: `${action} ${kind} ${name}`, losses: [] };
  const touched = pods.length > 0 ? `, which runs ${pods.length} ${pods.length === 1 ? "pod" : "pods"}` : "";
  return {
    friction: isStateful(kind) || branch.object.infrastructure ? "type" : "confirm",
    effect: `“${action}” for ${kind} ${name}${touched}.`,
    losses: [],
  };
}
