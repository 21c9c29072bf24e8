import { Link } from "@tanstack/react-router";
import type { Resource } from "@/features/topology/model/resource";
import type { Branch } from "@/graph/forest";
import { HealthStatus } from "@/kit/status";
import { fine, kindCounts } from "./model/summary";

interface KindSummaryProps {
  namespace: string;
  name: string;
  tree: Branch<Resource>;
}

/** What it is made of, by kind; each leads to the graph with nothing else in it. */
export function KindSummary({ namespace, name, tree }: KindSummaryProps) {
  const counts = kindCounts(tree);
  if (counts.length === 0) return null;
  return (
    <section aria-label="What it is made of">
      <h3 className="mb-2 font-medium">
        {tree.size - 1} objects{counts.every(fine) && ", none in trouble"}
      </h3>
      <ul className="flex flex-wrap gap-2">
        {counts.map((each) => (
          <li
            key={each.kind}
            className="flex items-center gap-x-3 rounded-md border border-line bg-surface px-3 py-1 text-sm whitespace-nowrap"
          >
            <Link
              to="/applications/$namespace/$name"
              params={{ namespace, name }}
              search={{ tab: "topology", kind: [each.kind] }}
              className="inline-flex min-h-6 items-center font-medium text-accent underline"
            >
              {each.count} × {each.kind}
            </Link>
            {!fine(each) &&
              each.healths.map(([health, of]) => (
                <span key={health} className="inline-flex items-center gap-1">
                  <span className="text-soft">{of}</span> <HealthStatus status={health} />
                </span>
              ))}
            {each.outOfSync > 0 && <span className="text-outofsync">{each.outOfSync} out of sync</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
