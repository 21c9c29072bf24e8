import type { Approval, Entry } from "./wire";

/** One thing that happened, and who did it. */
export interface Happening {
  id: string;
  at: string;
  by: string;
  said: string;
  comment: string;
}

/** What was meant and then done is one thing; what was only meant is said to be so. */
function doneOnce(history: readonly Entry[]): Happening[] {
  const settled = new Set(history.filter((each) => each.kind !== "intended").map(nameOf));
  return history
    .filter((each) => each.kind !== "intended" || !settled.has(nameOf(each)))
    .map((each) => ({
      id: String(each.id),
      at: each.at,
      by: each.by,
      said: `${each.summary || each.verb}${each.kind === "performed" ? "" : ` (${each.kind})`}`,
      comment: "",
    }));
}

const nameOf = ({ by, verb, summary, at }: Entry): string =>
  `${by} ${verb} ${summary} ${at.slice(0, "2026-01-01T00".length)}`;

type Word = Approval & { plan?: string };

/** The journal and what people said about plans, the newest first. */
export function happenings(history: readonly Entry[], words: readonly Word[]): Happening[] {
  const said = words.map((word) => ({
    id: `${word.by} ${word.at}`,
    at: word.at,
    by: `person:${word.by}`,
    said: `${word.decision === "Reject" ? "Rejected" : "Approved"} plan ${(word.plan ?? "").slice(0, 12)}`,
    comment: word.comment ?? "",
  }));
  return [...doneOnce(history), ...said].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
