import { CircleCheck, CircleDashed, CircleEllipsis, CircleHelp, type LucideIcon, OctagonX } from "lucide-react";
import { StatusMark } from "@/kit/status";
import type { Step, StepState } from "../model/connection";

const LOOKS: Record<StepState, [LucideIcon, string, string]> = {
  waiting: [CircleDashed, "text-soft", "Not yet"],
  running: [CircleEllipsis, "text-progressing", "Trying"],
  done: [CircleCheck, "text-healthy", "Yes"],
  failed: [OctagonX, "text-degraded", "No"],
  unknown: [CircleHelp, "text-unknown", "Not known"],
};

/** How far it got, each step with what was said to it. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ol
      aria-label="Connection test"
      aria-live="polite"
      className="mt-4 flex flex-col gap-1.5 border-line border-t pt-3"
    >
      {steps.map(({ id, title, state, said }) => {
        const [icon, colour, word] = LOOKS[state];
        return (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 text-sm">
            <StatusMark icon={icon} colour={colour} word={word} className="w-24" />
            <span className="flex-1">{title}</span>
            {said && <span className="basis-full break-words pl-27 text-soft text-xs">{said}</span>}
          </li>
        );
      })}
    </ol>
  );
}
