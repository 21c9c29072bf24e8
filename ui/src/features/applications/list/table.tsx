import { ArrowDown, ArrowUp } from "lucide-react";
import type { RefObject } from "react";
import { Checkbox } from "@/kit/checkbox";
import { type Direction, directionOf, type Sortable } from "../model/search";
import { GroupTitle } from "./group-title";
import { ApplicationRow, PendingRow } from "./row";
import type { ListBody } from "./types";

const COLUMNS: readonly { title: string; sort?: Sortable; width: string }[] = [
  { title: "Name", sort: "name", width: "19%" },
  { title: "Health", sort: "health", width: "7.75rem" },
  { title: "Sync", sort: "sync", width: "7.75rem" },
  { title: "Project", sort: "project", width: "11.5%" },
  { title: "Destination", sort: "cluster", width: "14%" },
  { title: "Source", width: "14%" },
  { title: "Last sync", sort: "synced", width: "6.5rem" },
];
const WIDTH = COLUMNS.length + 2;

interface TableProps extends ListBody {
  scroller: RefObject<HTMLDivElement | null>;
  sort: string | undefined;
  onSort: (column: Sortable) => void;
  allSelected: boolean;
  onSelectAll: (selected: boolean) => void;
}

/** A real table of which only the lines in sight are there; what is above and below them is one empty row each. */
export function ApplicationTable(props: TableProps) {
  const { layout, virtualizer, listing } = props;
  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <table
      aria-rowcount={listing.counts.total + 1}
      aria-busy={listing.stale}
      className="w-full min-w-[54rem] table-fixed border-collapse"
    >
      <caption className="sr-only">Applications</caption>
      <Head {...props} />
      <tbody>
        <Gap height={above} />
        {items.map((item) => {
          const line = layout.at(item.index);
          if (line.kind === "group") {
            return (
              <tr key={`group ${line.group.name}`} className="border-b border-line bg-canvas">
                <th scope="rowgroup" colSpan={WIDTH} className="p-0">
                  <GroupTitle group={line.group} folded={line.folded} onFold={props.onFold} />
                </th>
              </tr>
            );
          }
          const row = listing.rowAt(line.first);
          if (!row) return <PendingRow key={line.first} place={line.first} />;
          return (
            <ApplicationRow
              key={row.key}
              row={row}
              place={line.first}
              current={line.first === props.current}
              selected={props.selected.has(row.key)}
              pinned={props.pinned.has(row.key)}
              cluster={props.clusterName(row.cluster)}
              onSelect={props.onSelect}
              onPoint={props.onPoint}
            />
          );
        })}
        <Gap height={below} />
      </tbody>
    </table>
  );
}

function Head({ sort, onSort, allSelected, onSelectAll }: TableProps) {
  return (
    <thead className="sticky top-0 z-10 bg-surface text-left text-sm text-soft">
      <tr aria-rowindex={1} className="h-9 shadow-[0_1px_0_var(--line)]">
        <td className="w-10 text-center">
          <Checkbox hidden label="Select all that the filter finds" checked={allSelected} onToggle={onSelectAll} />
        </td>
        {COLUMNS.map(({ title, sort: column, width }) => {
          const direction = column ? directionOf(sort, column) : "none";
          return (
            <th key={title} scope="col" style={{ width }} aria-sort={direction} className="px-2 font-medium">
              {column ? <SortButton title={title} direction={direction} onClick={() => onSort(column)} /> : title}
            </th>
          );
        })}
        <td className="w-10">
          <span className="sr-only">Pinned</span>
        </td>
      </tr>
    </thead>
  );
}

function SortButton({ title, direction, onClick }: { title: string; direction: Direction; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="inline-flex min-h-6 items-center gap-1 hover:text-ink">
      {title}
      {direction === "ascending" && <ArrowUp aria-hidden size={13} />}
      {direction === "descending" && <ArrowDown aria-hidden size={13} />}
    </button>
  );
}

function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={WIDTH} style={{ height, padding: 0 }} />
    </tr>
  );
}
