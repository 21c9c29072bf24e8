import { Pin } from "lucide-react";
import { memo } from "react";
import { Ago } from "@/kit/ago";
import { IconButton } from "@/kit/button";
import { Checkbox } from "@/kit/checkbox";
import type { Health } from "@/kit/model/status";
import { HealthStatus, SyncStatus } from "@/kit/status";
import { togglePin } from "../stores";
import { ApplicationLink, type RowProps } from "./row";

const EDGE: Record<Health, string> = {
  Healthy: "border-l-healthy",
  Progressing: "border-l-progressing",
  Degraded: "border-l-degraded",
  Suspended: "border-l-suspended",
  Missing: "border-l-missing",
  Unknown: "border-l-unknown",
};

export const ApplicationTile = memo(function ApplicationTile(props: RowProps) {
  const { row, place, current, selected, pinned, cluster } = props;
  return (
    <li
      data-current={current || undefined}
      data-selected={selected || undefined}
      onMouseDown={() => props.onPoint(place)}
      className={`flex min-w-0 flex-col gap-1 overflow-hidden rounded-lg border border-l-4 border-line bg-surface p-(--pad) data-current:outline-2 data-current:outline-accent data-selected:bg-chosen ${EDGE[row.health]}`}
    >
      <div className="flex min-w-0 items-center gap-1">
        <Checkbox
          hidden
          label={`Select ${row.name}`}
          checked={selected}
          onToggle={(checked) => props.onSelect(row, checked)}
        />
        <ApplicationLink row={row} className="min-w-0 flex-1 truncate font-semibold hover:underline" />
        <IconButton
          icon={Pin}
          label={pinned ? `Unpin ${row.name}` : `Pin ${row.name}`}
          pressed={pinned}
          className="size-7"
          onClick={() => togglePin(row.key)}
        />
      </div>
      <div className="flex gap-4 text-sm">
        <HealthStatus status={row.health} why={row.healthMessage || undefined} />
        <SyncStatus status={row.sync} />
      </div>
      <p className="truncate text-sm text-soft">
        {row.project} · {cluster}/{row.into}
      </p>
      {row.healthMessage ? (
        <p className="truncate text-sm text-ink">{row.healthMessage}</p>
      ) : (
        <p className="flex gap-2 text-sm text-soft">
          <span className="min-w-0 flex-1 truncate" title={row.source}>
            {row.source}
          </span>
          {row.syncedAt && <Ago at={row.syncedAt} />}
        </p>
      )}
    </li>
  );
});
