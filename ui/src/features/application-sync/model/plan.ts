import { objectKey } from "@/diff/names";

/** What `GET applications/NAME/plan` answers. */
export interface PlanRow {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  /** create, update, replace, recreate, prune, keep, hook or unchanged. */
  verb: string;
  phase?: string;
  wave?: number;
  /** What is lost. */
  risk?: string;
  note?: string;
}

export interface PlanWave {
  phase: string;
  wave: number;
  counts: Record<string, number>;
  rows: PlanRow[];
}

export interface Plan {
  revisions?: string[];
  refused?: string;
  counts: Record<string, number>;
  risky: PlanRow[];
  waves: PlanWave[];
  truncated?: boolean;
}

export const VERBS = ["create", "update", "replace", "recreate", "prune", "keep", "hook", "unchanged"] as const;
export type Verb = (typeof VERBS)[number];

/** Each verb as what happens to so many objects. */
const SAID: Record<Verb, string> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  recreate: "deleted and made again",
  prune: "pruned",
  keep: "kept though no longer in Git",
  hook: "run as a hook",
  unchanged: "unchanged",
};

export const countsText = (counts: Readonly<Record<string, number>>): string =>
  VERBS.filter((verb) => counts[verb])
    .map((verb) => `${counts[verb]?.toLocaleString("en")} ${SAID[verb]}`)
    .join(", ");

const CHANGING: readonly Verb[] = ["create", "update", "replace", "recreate", "prune", "hook"];

/** Whether a sync would change anything at all. */
export const changes = (plan: Plan): boolean => CHANGING.some((verb) => plan.counts[verb]);

/** Rows of a phase may have the same object as those of another. */
export const rowKey = (row: PlanRow): string => `${row.phase ?? ""}/${objectKey(row)}`;

const rowsOf = (plan: Plan): PlanRow[] => plan.waves.flatMap((wave) => wave.rows);

export const prunedRows = (plan: Plan): PlanRow[] => rowsOf(plan).filter((row) => row.verb === "prune");

/** Whether two plans do the same: who agreed to one has agreed to the other. */
export function samePlan(one: Plan, other: Plan): boolean {
  return fingerprint(one) === fingerprint(other);
}

function fingerprint(plan: Plan): string {
  const rows = rowsOf(plan).map((row) => [rowKey(row), row.verb, row.wave, row.risk]);
  return JSON.stringify([plan.revisions, plan.refused ?? "", Object.entries(plan.counts).sort(), rows]);
}
