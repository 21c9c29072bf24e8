import { Link } from "@tanstack/react-router";
import { useGo } from "@/app/go";
import { Ago } from "@/kit/ago";
import { ListRow, ListTable } from "@/kit/list-table";
import { useRowCursor } from "@/kit/use-row-cursor";
import type { Terraform } from "./model/wire";
import { sentenceOf } from "./model/words";
import { TerraformMark } from "./state";

const TITLES = ["Name", "State", "What is the case", "Namespace", "Source", "Revision", "Planned"] as const;

export function TerraformTable({ rows }: { rows: readonly Terraform[] }) {
  const go = useGo();
  const current = useRowCursor(rows, "Terraform", (row) => go.to(`/terraform/${row.namespace}/${row.name}`));
  return (
    <ListTable caption="Terraform objects" titles={TITLES}>
      {rows.map((row, place) => (
        <ListRow key={`${row.namespace}/${row.name}`} current={place === current}>
          <th scope="row" className="font-medium whitespace-nowrap">
            <Link
              to="/terraform/$namespace/$name"
              params={{ namespace: row.namespace, name: row.name }}
              className="hover:underline"
            >
              {row.name}
            </Link>
          </th>
          <td>
            <TerraformMark state={row.state} />
          </td>
          <td className="max-w-[28rem] min-w-48">
            <span className={`line-clamp-2 break-words ${row.destroys ? "text-degraded" : "text-soft"}`}>
              {sentenceOf(row)}
            </span>
          </td>
          <td className="whitespace-nowrap text-soft">{row.namespace}</td>
          <td className="max-w-64 text-soft">
            {row.source}
            {row.path && row.path !== "." && (
              <code className="block truncate font-mono text-xs" title={row.path}>
                {row.path}
              </code>
            )}
          </td>
          <td className="max-w-36 truncate font-mono text-xs text-soft" title={row.revision}>
            {row.revision}
          </td>
          <td className="whitespace-nowrap text-soft">{row.plannedAt ? <Ago at={row.plannedAt} /> : "never"}</td>
        </ListRow>
      ))}
    </ListTable>
  );
}
