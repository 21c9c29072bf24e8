import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { Ago } from "@/kit/ago";
import type { Claim } from "./model/wire";
import { claimAddress, claimSentence, NOWHERE } from "./model/words";
import { InfraState } from "./state";

const TITLES = ["Name", "State", "What is the case", "Kind", "Namespace", "Cloud", "Parts", "Since"] as const;

export function ClaimsTable({ rows }: { rows: readonly Claim[] }) {
  const current = useCursor(rows);
  return (
    <table className="w-full min-w-[56rem] border-collapse text-left text-sm">
      <caption className="sr-only">Claims</caption>
      <thead className="sticky top-0 z-10 bg-surface text-soft shadow-[0_1px_0_var(--line)]">
        <tr className="h-9">
          {TITLES.map((title) => (
            <th key={title} scope="col" className="px-2 font-medium first:pl-4">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((claim, place) => (
          <tr
            key={claimAddress(claim)}
            data-current={place === current || undefined}
            className="h-(--row) border-b border-line hover:bg-hover data-current:shadow-[inset_3px_0_0_var(--accent)]"
          >
            <th scope="row" className="px-2 pl-4 font-medium whitespace-nowrap">
              <ClaimLink claim={claim} />
            </th>
            <td className="px-2">
              <InfraState of={claim} />
            </td>
            <td className="max-w-[32rem] px-2">
              <span className="line-clamp-2 break-words text-soft">{claimSentence(claim)}</span>
            </td>
            <td className="px-2">{claim.kind}</td>
            <td className="px-2 text-soft">{claim.namespace || "none"}</td>
            <td className="px-2 text-soft">{claim.providers?.join(", ")}</td>
            <td className="px-2 text-soft tabular-nums">{claim.parts ?? 0}</td>
            <td className="px-2 text-soft">
              <Ago at={claim.since ?? claim.createdAt ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ClaimLink({ claim: { group, kind, namespace, name } }: { claim: Claim }) {
  return (
    <Link
      to="/infra/$group/$kind/$namespace/$name"
      params={{ group, kind, namespace: namespace || NOWHERE, name }}
      className="hover:underline"
    >
      {name}
    </Link>
  );
}

/** Moves through the rows by keys and opens the one that it stands on. */
function useCursor(rows: readonly Claim[]): number {
  const [at, setAt] = useState(0);
  const go = useGo();
  const current = Math.min(at, rows.length - 1);
  const move = (step: number) => () => setAt(Math.min(Math.max(current + step, 0), rows.length - 1));
  const open = () => {
    const claim = rows[current];
    if (claim) go.to(`/infra/${claimAddress(claim)}`);
  };
  useKeys([
    { id: "infra-next", keys: "j", title: "Next", group: "Claims", run: move(1) },
    { id: "infra-previous", keys: "k", title: "Previous", group: "Claims", run: move(-1) },
    { id: "infra-open", keys: "o", title: "Open", group: "Claims", run: open },
  ]);
  return current;
}
