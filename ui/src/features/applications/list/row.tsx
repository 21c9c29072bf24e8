import { Link } from "@tanstack/react-router";
import { Pin } from "lucide-react";
import { memo } from "react";
import { Ago } from "@/kit/ago";
import { IconButton } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import { HealthStatus, SyncStatus } from "@/kit/status";
import type { Row } from "../model/row";
import { togglePin } from "../stores";

export interface RowProps {
  row: Row;
  place: number;
  current: boolean;
  selected: boolean;
  pinned: boolean;
  cluster: string;
  onSelect: (row: Row, selected: boolean) => void;
  onPoint: (place: number) => void;
}

const CELL = "truncate px-2";

/** Where an application's page is. */
export function ApplicationLink({ row, className }: { row: Row; className?: string }) {
  return (
    <Link
      to="/applications/$namespace/$name"
      params={{ namespace: row.namespace, name: row.name }}
      className={className ?? "font-medium hover:underline"}
    >
      {row.name}
    </Link>
  );
}

export const ApplicationRow = memo(function ApplicationRow(props: RowProps) {
  const { row, place, current, selected, pinned, cluster } = props;
  return (
    <tr
      aria-rowindex={place + 2}
      aria-selected={selected}
      data-current={current || undefined}
      onMouseDown={() => props.onPoint(place)}
      className="h-(--row) border-b border-line hover:bg-hover aria-selected:bg-chosen data-current:shadow-[inset_3px_0_0_var(--accent)]"
    >
      <td className="w-10 text-center">
        <Checkbox
          hidden
          label={`Select ${row.name}`}
          checked={selected}
          onToggle={(checked) => props.onSelect(row, checked)}
        />
      </td>
      <th scope="row" className={`${CELL} text-left font-normal`} title={row.key}>
        <ApplicationLink row={row} />
        {row.deleting && <span className="ml-2 text-sm text-degraded">being deleted</span>}
        {row.healthMessage && (
          <p className="truncate text-xs text-soft in-data-[density=compact]:hidden">{row.healthMessage}</p>
        )}
      </th>
      <td className={CELL}>
        <HealthStatus status={row.health} why={row.healthMessage || undefined} />
      </td>
      <td className={CELL}>
        <SyncStatus status={row.sync} />
      </td>
      <td className={`${CELL} text-soft`}>{row.project}</td>
      <td className={`${CELL} text-soft`} title={row.cluster}>
        {row.into ? `${cluster}/${row.into}` : cluster}
      </td>
      <td className={`${CELL} text-soft`} title={row.source}>
        {row.source} {row.revision && <code className="font-mono text-xs">{row.revision}</code>}
      </td>
      <td className={`${CELL} text-soft`}>{row.syncedAt ? <Ago at={row.syncedAt} /> : "never"}</td>
      <td className="w-10">
        <IconButton
          icon={Pin}
          label={pinned ? `Unpin ${row.name}` : `Pin ${row.name}`}
          pressed={pinned}
          className="size-7"
          onClick={() => togglePin(row.key)}
        />
      </td>
    </tr>
  );
});

/** Stands where a row will be. */
export function PendingRow({ place }: { place: number }) {
  return (
    <tr aria-rowindex={place + 2} className="h-(--row) border-b border-line">
      <td />
      <td colSpan={8} className="px-2 text-sm text-soft">
        Row {(place + 1).toLocaleString("en")} is on its way
      </td>
    </tr>
  );
}
