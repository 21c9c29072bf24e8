import { Link } from "@tanstack/react-router";
import { useGo } from "@/app/go";
import { Ago } from "@/kit/ago";
import { ListRow, ListTable } from "@/kit/list-table";
import { useRowCursor } from "@/kit/use-row-cursor";
import type { Claim } from "./model/wire";
import { claimAddress, claimSentence, NOWHERE } from "./model/words";
import { Simulated } from "./simulated";
import { InfraState } from "./state";

const TITLES = ["Name", "State", "What is the case", "Kind", "Namespace", "Cloud", "Parts", "Since"] as const;

export function ClaimsTable({ rows }: { rows: readonly Claim[] }) {
  const go = useGo();
  const current = useRowCursor(rows, "Claims", (claim) => go.to(`/infra/${claimAddress(claim)}`));
  return (
    <ListTable caption="Claims" titles={TITLES}>
      {rows.map((claim, place) => (
        <ListRow key={claimAddress(claim)} current={place === current}>
          <th scope="row" className="font-medium whitespace-nowrap">
            <ClaimLink claim={claim} />
          </th>
          <td>
            <InfraState of={claim} />
          </td>
          <td className="max-w-[32rem] min-w-48">
            <span className="line-clamp-2 break-words text-soft">{claimSentence(claim)}</span>
          </td>
          <td>{claim.kind}</td>
          <td className="text-soft">{claim.namespace || "none"}</td>
          <td className="text-soft">
            <span className="flex items-center gap-2">
              {claim.providers?.join(", ")} <Simulated said={claim.simulated} />
            </span>
          </td>
          <td className="text-soft tabular-nums">{claim.parts ?? 0}</td>
          <td className="whitespace-nowrap text-soft">
            <Ago at={claim.since ?? claim.createdAt ?? ""} />
          </td>
        </ListRow>
      ))}
    </ListTable>
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
