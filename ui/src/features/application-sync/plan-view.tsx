import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Checkbox } from "@/kit/checkbox";
import { countsText, type Plan, type PlanRow, type PlanWave, rowKey } from "./model/plan";

const LOOKS: Record<string, string> = {
  create: "text-healthy",
  update: "text-progressing",
  replace: "text-outofsync",
  recreate: "text-degraded",
  prune: "text-degraded",
};

interface PlanViewProps {
  plan: Plan;
  stale: boolean;
  only: readonly string[];
  onOnly: (keys: string[]) => void;
}

/** What a sync would do: what can be lost on top, then waves in the order in which they are done. */
export function PlanView({ plan, stale, only, onOnly }: PlanViewProps) {
  const toggle = (key: string, on: boolean) => onOnly(on ? [...only, key] : only.filter((each) => each !== key));
  if (plan.refused) {
    return (
      <p role="alert" className="text-degraded">
        There can be no such sync: {plan.refused}
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-3" aria-busy={stale}>
      <p role="status" className="font-medium">
        {countsText(plan.counts) || "There is nothing to do"}
        {plan.revisions?.length ? ` · ${plan.revisions.map((each) => each.slice(0, 7)).join(", ")}` : ""}
        {stale && " · planning anew"}
      </p>
      {plan.risky.length > 0 && (
        <section aria-label="At risk" className="rounded-lg border border-degraded p-3">
          <h2 className="flex items-center gap-1.5 text-sm font-medium text-degraded">
            <TriangleAlert aria-hidden size={16} /> What would be lost
          </h2>
          <ul>
            {plan.risky.map((row) => (
              <li key={rowKey(row)} className="text-sm">
                {row.kind} {row.namespace && `${row.namespace}/`}
                {row.name}: <strong className="font-medium">{row.verb}</strong>, and with it {row.risk}
              </li>
            ))}
          </ul>
        </section>
      )}
      <ol className="flex flex-col gap-2" aria-label="Waves">
        {plan.waves.map((wave) => (
          <Wave key={`${wave.phase}/${wave.wave}`} wave={wave} only={only} onToggle={toggle} />
        ))}
      </ol>
      {plan.truncated && (
        <p className="text-sm text-soft">There are more objects than are listed; the counts are whole.</p>
      )}
    </div>
  );
}

interface WaveProps {
  wave: PlanWave;
  only: readonly string[];
  onToggle: (key: string, on: boolean) => void;
}

function Wave({ wave, only, onToggle }: WaveProps) {
  const [all, setAll] = useState(false);
  const rows = wave.rows.filter((row) => all || row.verb !== "unchanged");
  const rest = wave.rows.length - wave.rows.filter((row) => row.verb !== "unchanged").length;
  return (
    <li className="rounded-lg border border-line bg-surface p-3">
      <h2 className="text-sm font-medium">
        {wave.phase} · wave {wave.wave} <span className="font-normal text-soft">{countsText(wave.counts)}</span>
      </h2>
      <ul className="mt-1">
        {rows.map((row) => (
          <Row key={rowKey(row)} row={row} chosen={only.includes(rowKey(row))} onToggle={onToggle} />
        ))}
      </ul>
      {rest > 0 && (
        <button
          type="button"
          aria-expanded={all}
          className="min-h-6 text-sm text-soft underline"
          onClick={() => setAll(!all)}
        >
          {all ? "Without" : "With"} {rest} unchanged
        </button>
      )}
    </li>
  );
}

function Row({
  row,
  chosen,
  onToggle,
}: {
  row: PlanRow;
  chosen: boolean;
  onToggle: (key: string, on: boolean) => void;
}) {
  const title = `${row.kind} ${row.namespace ? `${row.namespace}/` : ""}${row.name}`;
  return (
    <li className="flex flex-wrap items-center gap-x-3 text-sm">
      {row.verb === "hook" ? (
        <span className="min-w-6" />
      ) : (
        <Checkbox label={`Only ${title}`} hidden checked={chosen} onToggle={(on) => onToggle(rowKey(row), on)} />
      )}
      <span className={`w-20 ${LOOKS[row.verb] ?? "text-soft"}`}>{row.verb}</span>
      <span>{title}</span>
      {row.note && <span className="text-soft">{row.note}</span>}
    </li>
  );
}
