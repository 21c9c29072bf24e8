import { CircleCheck, CircleDashed, CircleEllipsis, OctagonX } from "lucide-react";
import { Button } from "@/kit/button";
import { Loading } from "@/kit/state";
import { StatusMark } from "@/kit/status";
import { useTerminating } from "./api";
import type { OperationState } from "./model/application";
import type { Named } from "./model/named";
import type { Plan } from "./model/plan";
import { type Lane, type LaneState, lanesOf, operationSentence } from "./model/progress";

const MARKS: Record<LaneState, { icon: typeof CircleCheck; colour: string; word: string }> = {
  waiting: { icon: CircleDashed, colour: "text-soft", word: "waits" },
  running: { icon: CircleEllipsis, colour: "text-progressing", word: "under way" },
  done: { icon: CircleCheck, colour: "text-healthy", word: "done" },
  failed: { icon: OctagonX, colour: "text-degraded", word: "failed" },
};
const SHOWN = 50;

interface ProgressProps {
  application: Named;
  state: OperationState | undefined;
  /** What it was begun with, where that was here. */
  plan: Plan | undefined;
}

/** The operation as it goes: one lane for each wave. */
export function Progress({ application, state, plan }: ProgressProps) {
  const terminating = useTerminating(application);
  if (!state) return <Loading sentence="The sync is being asked for." />;
  const by = state.operation?.initiatedBy;
  return (
    <section aria-label="Operation" className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className="flex-1 font-medium">
          {operationSentence(state)}
        </p>
        {state.phase === "Running" && (
          <Button look="danger" disabled={terminating.isPending} onClick={() => terminating.mutate(undefined)}>
            Terminate
          </Button>
        )}
      </div>
      {by && (
        <p className="text-sm text-soft">Begun {by.automated ? "automatically" : `by ${by.username || "somebody"}`}</p>
      )}
      {terminating.error && (
        <p role="alert" className="text-sm text-degraded">
          {terminating.error.message}
        </p>
      )}
      <ol aria-label="Progress by wave" className="flex flex-col gap-2">
        {lanesOf(state, plan).map((lane) => (
          <LaneView key={lane.key} lane={lane} />
        ))}
      </ol>
    </section>
  );
}

function LaneView({ lane }: { lane: Lane }) {
  const rows = lane.rows.slice(0, SHOWN);
  return (
    <li>
      <div className="flex items-center gap-3 text-sm">
        <span className="font-medium">{lane.title}</span>
        <StatusMark {...MARKS[lane.state]} />
        <progress
          aria-label={`${lane.title}: ${lane.done} of ${lane.total}`}
          value={lane.done}
          max={Math.max(lane.total, 1)}
          className="h-1.5 flex-1 accent-(--accent)"
        />
        <span className="text-soft">
          {lane.done} of {lane.total}
        </span>
      </div>
      <details open={lane.state === "running" || lane.state === "failed"}>
        <summary className="min-h-6 text-sm text-soft">Objects</summary>
        <ul>
          {rows.map((row) => (
            <li key={row.key} className="flex flex-wrap gap-x-3 text-sm">
              <StatusMark {...MARKS[row.state]} className="w-24" />
              <span>{row.title}</span>
              <span className="text-soft">{row.message}</span>
            </li>
          ))}
        </ul>
        {lane.rows.length > SHOWN && <p className="text-sm text-soft">and {lane.rows.length - SHOWN} more</p>}
      </details>
    </li>
  );
}
