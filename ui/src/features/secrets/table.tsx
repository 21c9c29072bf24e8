import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useGo } from "@/app/go";
import { useKeys } from "@/app/keys/use-keys";
import { Ago } from "@/kit/ago";
import type { SecretRow } from "./model/wire";
import { originOf } from "./model/words";
import { SecretMark } from "./state";

const TITLES = ["Name", "State", "What is the case", "Namespace", "Keys", "Comes from", "Made"] as const;
const FEW = 4;

export function SecretsTable({ rows }: { rows: readonly SecretRow[] }) {
  const current = useCursor(rows);
  return (
    <table className="w-full min-w-[56rem] border-collapse text-left text-sm">
      <caption className="sr-only">Secrets</caption>
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
            key={`${row.kind}/${row.namespace}/${row.name}`}
            data-current={place === current || undefined}
            className="h-(--row) border-b border-line hover:bg-hover data-current:shadow-[inset_3px_0_0_var(--accent)]"
          >
            <th scope="row" className="px-2 pl-4 font-medium whitespace-nowrap">
              <Link
                to="/secrets/$kind/$namespace/$name"
                params={{ kind: row.kind, namespace: row.namespace, name: row.name }}
                className="hover:underline"
              >
                {row.name}
              </Link>
            </th>
            <td className="px-2">
              <SecretMark state={row.state} />
            </td>
            <td className="max-w-[28rem] px-2">
              <span className="line-clamp-2 break-words text-soft">{row.said}</span>
            </td>
            <td className="px-2 text-soft">{row.namespace}</td>
            <td className="max-w-60 px-2 font-mono text-xs break-all">
              {row.keys.slice(0, FEW).join(", ")}
              {row.keys.length > FEW && ` and ${row.keys.length - FEW} more`}
              {row.moreKeys && <span className="block font-sans text-soft">and what the store has</span>}
            </td>
            <td className="px-2 text-soft">{originOf(row)}</td>
            <td className="px-2 text-soft">
              <Ago at={row.createdAt ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Moves through the rows by keys and opens the one that it stands on. */
function useCursor(rows: readonly SecretRow[]): number {
  const [at, setAt] = useState(0);
  const go = useGo();
  const current = Math.min(at, rows.length - 1);
  const move = (step: number) => () => setAt(Math.min(Math.max(current + step, 0), rows.length - 1));
  const open = () => {
    const row = rows[current];
    if (row) go.to(`/secrets/${row.kind}/${row.namespace}/${row.name}`);
  };
  useKeys([
    { id: "secrets-next", keys: "j", title: "Next", group: "Secrets", run: move(1) },
    { id: "secrets-previous", keys: "k", title: "Previous", group: "Secrets", run: move(-1) },
    { id: "secrets-open", keys: "o", title: "Open", group: "Secrets", run: open },
  ]);
  return current;
}
