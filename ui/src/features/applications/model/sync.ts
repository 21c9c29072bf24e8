import type { Application } from "./wire";

export interface SyncOptions {
  dryRun: boolean;
  prune: boolean;
}

/** What a sync would do, or why it may not be done. */
export interface Outcome {
  key: string;
  name: string;
  refused: string;
  changes: number;
  prunes: number;
}

export function outcomeOf(key: string, application: Application): Outcome {
  const out = (application.status?.resources ?? []).filter((resource) => resource.status === "OutOfSync");
  const prunes = out.filter((resource) => resource.requiresPruning).length;
  return { key, name: application.metadata.name, refused: "", changes: out.length - prunes, prunes };
}

export const refusedOutcome = (key: string, name: string, refused: string): Outcome => ({
  key,
  name,
  refused,
  changes: 0,
  prunes: 0,
});

/** One sentence for all of them. */
export function summary(outcomes: readonly Outcome[], { dryRun, prune }: SyncOptions): string {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  const refused = outcomes.filter((each) => each.refused).length;
  const accepted = outcomes.length - refused;
  const prunes = sum((each) => each.prunes);
  return [
    dryRun ? `${counted(accepted, "application")} can be synced` : `${counted(accepted, "sync")} started`,
    `${counted(
      sum((each) => each.changes),
      "object",
    )} ${dryRun ? "would be" : "to be"} created or changed`,
    prunes > 0 && (prune ? `${counted(prunes, "object")} pruned` : `${counted(prunes, "object")} left to prune`),
    refused > 0 && `${refused} refused`,
  ]
    .filter(Boolean)
    .join("; ");
}

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
