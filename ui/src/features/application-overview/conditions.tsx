import { OctagonX, TriangleAlert } from "lucide-react";
import { Ago } from "@/kit/ago";
import { Command } from "@/kit/command-line";
import { told } from "./model/conditions";
import type { WireCondition } from "./model/wire";

/** What is wrong or may be, in words, with what to do about it. */
export function Conditions({ conditions, name }: { conditions: readonly WireCondition[]; name: string }) {
  if (conditions.length === 0) return null;
  return (
    <section aria-label="Conditions" className="flex flex-col gap-2">
      {told(conditions, name).map((each) => {
        const Icon = each.bad ? OctagonX : TriangleAlert;
        return (
          <article
            key={`${each.type}${each.message}`}
            aria-label={each.title}
            className={`flex gap-3 rounded-lg border bg-surface p-(--pad) ${each.bad ? "border-degraded" : "border-line"}`}
          >
            <Icon aria-hidden size={20} className={`mt-0.5 shrink-0 ${each.bad ? "text-degraded" : "text-missing"}`} />
            <div className="flex min-w-0 flex-1 flex-col items-start gap-1">
              <h3 className="font-medium">{each.title}</h3>
              <p className="text-sm break-words">{each.message}</p>
              {each.advice && <p className="text-sm text-soft">{each.advice}</p>}
              <Command line={each.command} />
            </div>
            <span className="text-xs text-soft">{each.since && <Ago at={each.since} />}</span>
          </article>
        );
      })}
    </section>
  );
}
