import { Ago } from "@/kit/ago";
import { Command } from "@/kit/command-line";
import { releases } from "./model/timeline";
import type { Deployed } from "./model/wire";

const SHOWN = 5;

/** What was live before, in short. */
export function Releases({ history, name }: { history: readonly Deployed[]; name: string }) {
  if (history.length === 0) return null;
  return (
    <section aria-label="Latest releases" className="flex flex-col items-start gap-2">
      <h3 className="font-medium">Latest releases</h3>
      <ol className="w-full divide-y divide-line text-sm">
        {releases(history, SHOWN).map((each) => (
          <li key={each.id} className="flex min-h-8 flex-wrap items-center gap-x-4">
            <code className="font-mono">{each.revision || "unknown"}</code>
            <Ago at={each.at} />
            <span className="text-soft">{[each.took && `took ${each.took}`, each.by].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ol>
      <Command line={`plumb app history ${name}`} />
    </section>
  );
}
