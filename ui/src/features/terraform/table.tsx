import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { Ago } from "@/kit/ago";
import type { Terraform } from "./model/wire";
import { sentenceOf } from "./model/words";
import { TerraformMark } from "./state";

const TITLES = ["Name", "State", "What is the case", "Namespace", "Source", "Revision", "Planned"] as const;

export function TerraformTable({ rows }: { rows: readonly Terraform[] }) {
  const current = useCursor(rows);
  return (
    <table className="w-full min-w-[56rem] border-collapse text-left text-sm">
      <caption className="sr-only">Terraform objects</caption>
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
        {rows.map((row, place) => (
          <tr
            key={`${row.namespace}/${row.name}`}
            data-current={place === current || undefined}
            className="h-(--row) border-b border-line hover:bg-hover data-current:shadow-[inset_3px_0_0_var(--accent)]"
          >
            <th scope="row" className="px-2 pl-4 font-medium whitespace-nowrap">
              <Link
                to="/terraform/$namespace/$name"
                params={{ namespace: row.namespace, name: row.name }}
                className="hover:underline"
              >
                {row.name}
              </Link>
            </th>
            <td className="px-2">
              <TerraformMark state={row.state} />
            </td>
            <td className="max-w-[28rem] px-2">
              <span className={`line-clamp-2 break-words ${row.destroys ? "text-degraded" : "text-soft"}`}>
                {sentenceOf(row)}
              </span>
            </td>
            <td className="px-2 text-soft">{row.namespace}</td>
            <td className="px-2 text-soft">
              {row.source} {row.path && row.path !== "." && <code className="font-mono text-xs">{row.path}</code>}
            </td>
            <td className="max-w-40 truncate px-2 font-mono text-xs text-soft" title={row.revision}>
              {row.revision}
            </td>
            <td className="px-2 text-soft">{row.plannedAt ? <Ago at={row.plannedAt} /> : "never"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Moves through the rows by keys and opens the one that it stands on. */
function useCursor(rows: readonly Terraform[]): number {
  const [at, setAt] = useState(0);
  const go = useGo();
  const current = Math.min(at, rows.length - 1);
  const move = (step: number) => () => setAt(Math.min(Math.max(current + step, 0), rows.length - 1));
  const open = () => {
    const row = rows[current];
    if (row) go.to(`/terraform/${row.namespace}/${row.name}`);
  };
  useKeys([
    { id: "terraform-next", keys: "j", title: "Next", group: "Terraform", run: move(1) },
    { id: "terraform-previous", keys: "k", title: "Previous", group: "Terraform", run: move(-1) },
    { id: "terraform-open", keys: "o", title: "Open", group: "Terraform", run: open },
  ]);
  return current;
}
