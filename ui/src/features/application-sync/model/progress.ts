import { objectKey } from "@/diff/names";
import type { OperationState, ResourceResult } from "./application";
import type { Plan, PlanRow } from "./plan";

export type LaneState = "waiting" | "running" | "done" | "failed";

export interface LaneRow {
  key: string;
  title: string;
  state: LaneState;
  message: string;
}

export interface Lane {
  key: string;
  title: string;
  done: number;
  total: number;
  state: LaneState;
  rows: LaneRow[];
}

const FAILED = ["SyncFailed", "Failed", "Error"];

function stateOf({ status = "", hookPhase = "" }: ResourceResult, over: boolean): LaneState {
  if (FAILED.includes(status) || FAILED.includes(hookPhase)) return "failed";
  // What was applied last is not waited for: it still says that it runs when all is over.
  if (hookPhase === "Running") return over ? "done" : "running";
  return status || hookPhase === "Succeeded" ? "done" : "running";
}

const titleOf = ({ kind, namespace, name }: { kind: string; namespace?: string; name: string }) =>
  `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

function laneRow(row: ResourceResult, over: boolean): LaneRow {
  return { key: objectKey(row), title: titleOf(row), state: stateOf(row, over), message: row.message ?? "" };
}

const waiting = (row: PlanRow): LaneRow => ({
  key: objectKey(row),
  title: titleOf(row),
  state: "waiting",
  message: "",
});

/** With ApplyOutOfSyncOnly what is unchanged is not touched at all. */
const skipped = (row: PlanRow): LaneRow => ({ ...waiting(row), state: "done", message: "unchanged" });

/** How far each wave is. Without the plan it was begun with only phases can be told apart. */
export function lanesOf(operation: OperationState, plan: Plan | undefined): Lane[] {
  const results = operation.syncResult?.resources ?? [];
  const over = operation.phase === "Succeeded";
  if (!plan || plan.waves.length === 0) return byPhase(results, over);
  const told = new Map(results.map((each) => [`${each.syncPhase ?? ""}/${objectKey(each)}`, each]));
  const lanes = plan.waves.map((wave) => {
    const rows = wave.rows
      .filter((row) => row.verb !== "keep")
      .map((row) => {
        const result = told.get(`${wave.phase}/${objectKey(row)}`);
        told.delete(`${wave.phase}/${objectKey(row)}`);
        return result ? laneRow(result, over) : row.verb === "unchanged" && over ? skipped(row) : waiting(row);
      });
    return lane(`${wave.phase} · wave ${wave.wave}`, rows);
  });
  const others = byPhase([...told.values()], over).map((each) => ({
    ...each,
    key: `other-${each.key}`,
    title: `${each.title} · not in the plan`,
  }));
  return [...lanes.filter((each) => each.total > 0), ...others];
}

function byPhase(results: readonly ResourceResult[], over: boolean): Lane[] {
  const phases = [...new Set(results.map((each) => each.syncPhase || "Sync"))];
  return phases.map((phase) =>
    lane(
      phase,
      results.filter((each) => (each.syncPhase || "Sync") === phase).map((each) => laneRow(each, over)),
    ),
  );
}

function lane(title: string, rows: LaneRow[]): Lane {
  const count = (state: LaneState) => rows.filter((row) => row.state === state).length;
  const [done, failed] = [count("done"), count("failed")];
  const state = failed ? "failed" : done === rows.length ? "done" : done || count("running") ? "running" : "waiting";
  // What failed or still runs is what people look for.
  const order: LaneState[] = ["failed", "running", "waiting", "done"];
  const sorted = rows.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  return { key: title, title, done, total: rows.length, state, rows: sorted };
}

/** One sentence about the operation. */
export function operationSentence(operation: OperationState): string {
  const { phase = "", message = "", retryCount = 0 } = operation;
  const what = operation.operation?.sync?.dryRun ? "The dry run" : "The sync";
  const again = retryCount > 0 ? ` (tried again ${retryCount} times)` : "";
  switch (phase) {
    case "Running":
      return `${what} is under way${again}: ${message || "it begins"}`;
    case "Terminating":
      return `${what} is being ended`;
    case "Succeeded":
      return `${what} succeeded${again}`;
    case "Failed":
    case "Error":
      return `${what} failed${again}: ${message}`;
    default:
      return `${what} is about to begin`;
  }
}
