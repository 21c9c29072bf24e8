import { Link } from "@tanstack/react-router";
import { useGo } from "@/app/go";
import { Ago } from "@/kit/ago";
import { ListRow, ListTable } from "@/kit/list-table";
import { useRowCursor } from "@/kit/use-row-cursor";
import type { SecretRow } from "./model/wire";
import { originOf } from "./model/words";
import { SecretMark } from "./state";

const TITLES = ["Name", "State", "What is the case", "Namespace", "Keys", "Comes from", "Made"] as const;
const FEW = 4;

export function SecretsTable({ rows }: { rows: readonly SecretRow[] }) {
  const go = useGo();
  const current = useRowCursor(rows, "Secrets", (row) => go.to(`/secrets/${row.kind}/${row.namespace}/${row.name}`));
  return (
    <ListTable caption="Secrets" titles={TITLES}>
      {rows.map((row, place) => (
        <ListRow key={`${row.kind}/${row.namespace}/${row.name}`} current={place === current}>
          <th scope="row" className="font-medium whitespace-nowrap">
            <Link
              to="/secrets/$kind/$namespace/$name"
              params={{ kind: row.kind, namespace: row.namespace, name: row.name }}
              className="hover:underline"
            >
              {row.name}
            </Link>
          </th>
          <td>
            <SecretMark state={row.state} />
          </td>
          <td className="max-w-[28rem] min-w-48">
            <span className="line-clamp-2 break-words text-soft">{row.said}</span>
          </td>
          <td className="whitespace-nowrap text-soft">{row.namespace}</td>
          <td className="max-w-60 min-w-24 font-mono text-xs break-words">
            {row.keys.slice(0, FEW).join(", ")}
            {row.keys.length > FEW && ` and ${row.keys.length - FEW} more`}
            {row.moreKeys && <span className="block font-sans text-soft">and what the store has</span>}
          </td>
          <td className="text-soft">{originOf(row)}</td>
          <td className="whitespace-nowrap text-soft">
            <Ago at={row.createdAt ?? ""} />
          </td>
        </ListRow>
      ))}
    </ListTable>
  );
}
