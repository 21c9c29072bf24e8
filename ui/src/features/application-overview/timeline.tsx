import { CircleCheck, CircleDashed, CircleEllipsis, type LucideIcon, OctagonX } from "lucide-react";
import { Ago } from "@/kit/ago";
import { type MomentState, timeline } from "./model/timeline";
import type { RevisionMetadata, WholeApplication } from "./model/wire";

const LOOKS: Record<MomentState, [LucideIcon, colour: string]> = {
  done: [CircleCheck, "text-healthy"],
  running: [CircleEllipsis, "text-progressing"],
  failed: [OctagonX, "text-degraded"],
  waiting: [CircleDashed, "text-unknown"],
};

interface TimelineProps {
  application: WholeApplication;
  commit: RevisionMetadata | undefined;
}

/** Change, rollout, health, from left to right. */
export function Timeline({ application, commit }: TimelineProps) {
  return (
    <ol aria-label="From the change to its health" className="grid gap-3 md:grid-cols-3">
      {timeline(application, commit).map((moment) => {
        const [Icon, colour] = LOOKS[moment.state];
        return (
          <li key={moment.step} className="flex min-w-0 gap-3 rounded-lg border border-line bg-surface p-(--pad)">
            <Icon aria-hidden size={20} className={`mt-0.5 shrink-0 ${colour}`} />
            <div className="min-w-0 flex-1">
              <p className="flex items-baseline gap-2 text-xs text-soft">
                {moment.step}
                <span className="flex-1" />
                {moment.at && <Ago at={moment.at} />}
              </p>
              <p className="font-medium break-words">{moment.title}</p>
              {moment.detail && <p className="text-sm break-words text-soft">{moment.detail}</p>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
