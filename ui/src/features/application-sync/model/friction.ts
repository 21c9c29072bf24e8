import { type Plan, prunedRows } from "./plan";

/** How much a person has to do before something begins: as much as can be lost by it. */
export type Friction = { step: "none" } | { step: "tick"; sentence: string } | { step: "type"; sentence: string };

const MANY = 10;
/** What the server says of an object with nothing in it that Git could not make again. */
const ONLY_THE_OBJECT = /^the object/;

/** Nothing to lose: nothing to do. A few objects: tick. Many, all, or what holds something: type the name. */
export function frictionOf(plan: Plan, options: { prune: boolean; force: boolean }): Friction {
  const prunes = options.prune ? (plan.counts.prune ?? 0) : 0;
  const holding = plan.risky.filter((row) => row.risk && !ONLY_THE_OBJECT.test(row.risk));
  const kept = Object.entries(plan.counts).reduce((sum, [verb, count]) => (verb === "prune" ? sum : sum + count), 0);
  const objects = (count: number) => `${count.toLocaleString("en")} object${count === 1 ? "" : "s"}`;
  if (prunes > 0 && kept === 0) {
    return {
      step: "type",
      sentence: `Everything goes: Git asks for nothing any more, and ${objects(prunes)} would be deleted.`,
    };
  }
  const [first] = holding;
  if (first) {
    return {
      step: "type",
      sentence: `${first.kind} ${first.name} is not only an object: ${first.risk} would be lost with it.`,
    };
  }
  if (prunes > MANY) return { step: "type", sentence: `${objects(prunes)} would be deleted.` };
  if (prunes > 0) {
    const names = prunedRows(plan).map((row) => `${row.kind} ${row.name}`);
    return { step: "tick", sentence: `Delete ${names.join(", ") || objects(prunes)}.` };
  }
  if (plan.risky.length > 0) {
    return { step: "tick", sentence: `${objects(plan.risky.length)} would be deleted and made again.` };
  }
  if (options.force) return { step: "tick", sentence: "What cannot be changed would be deleted and made again." };
  return { step: "none" };
}

export const overcome = (friction: Friction, done: { ticked: boolean; typed: string }, name: string): boolean =>
  friction.step === "none" || (friction.step === "tick" ? done.ticked : done.typed.trim() === name);
