import { useState } from "react";
import { Button } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { cleared, isChosen, toggled } from "@/kit/model/query";
import { HEALTH_ORDER, healthOf, SYNCS, syncOf } from "@/kit/model/status";
import { HealthStatus, SyncStatus } from "@/kit/status";
import type { Counts, Facet } from "../model/wire";

const FEW = 8;
const TITLES: Record<Facet, string> = { health: "Health", sync: "Sync", project: "Project", cluster: "Cluster" };
const FIXED: Partial<Record<Facet, readonly string[]>> = { health: HEALTH_ORDER, sync: SYNCS };

interface FacetsProps {
  counts: Counts;
  query: string;
  onQuery: (query: string) => void;
}

/** Filters with how many each would show. They write the query, so that what is chosen can be read, kept and sent. */
export function Facets(props: FacetsProps) {
  return (
    <aside aria-label="Filters" className="hidden w-56 shrink-0 overflow-y-auto border-r border-line p-3 md:block">
      {(Object.keys(TITLES) as Facet[]).map((facet) => (
        <FacetGroup key={facet} facet={facet} {...props} />
      ))}
    </aside>
  );
}

function FacetGroup({ facet, counts, query, onQuery }: FacetsProps & { facet: Facet }) {
  const [whole, setWhole] = useState(false);
  const values = valuesOf(facet, counts);
  const shown = whole ? values : values.filter(([value], place) => place < FEW || isChosen(query, facet, value));
  if (values.length === 0) return null;
  return (
    <fieldset className="mb-4 min-w-0">
      <legend className="mb-1 flex w-full items-center justify-between text-sm font-semibold">
        {TITLES[facet]}
        {values.some(([value]) => isChosen(query, facet, value)) && (
          <Button look="quiet" className="h-6 px-1.5 text-xs" onClick={() => onQuery(cleared(query, facet))}>
            Clear
          </Button>
        )}
      </legend>
      {shown.map(([value, count]) => (
        <div key={value} className="flex items-center justify-between gap-2">
          <Checkbox
            label={<FacetValue facet={facet} value={value} />}
            checked={isChosen(query, facet, value)}
            onToggle={() => onQuery(toggled(query, facet, value))}
          />
          <span className="text-xs text-soft tabular-nums">{count.toLocaleString("en")}</span>
        </div>
      ))}
      {values.length > FEW && (
        <Button look="quiet" className="h-6 px-1 text-xs" onClick={() => setWhole(!whole)}>
          {whole ? "Fewer" : `${values.length - FEW} more`}
        </Button>
      )}
    </fieldset>
  );
}

function valuesOf(facet: Facet, counts: Counts): [value: string, count: number][] {
  const fixed = FIXED[facet];
  const counted = counts[facet];
  if (!fixed) return Object.entries(counted).sort(([one], [other]) => one.localeCompare(other));
  return fixed.filter((value) => value !== "Blocked" || counted[value]).map((value) => [value, counted[value] ?? 0]);
}

function FacetValue({ facet, value }: { facet: Facet; value: string }) {
  if (facet === "health") return <HealthStatus status={healthOf(value)} />;
  if (facet === "sync") return <SyncStatus status={syncOf(value)} />;
  return <span className="break-all">{value}</span>;
}
