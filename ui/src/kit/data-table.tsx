import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

export type TableColumn<T extends object> = ColumnDef<typeof features, T>;

interface DataTableProps<T extends object> {
  /** What the table lists, for those who hear the page. */
  caption: string;
  columns: TableColumn<T>[];
  rows: T[];
  rowId: (row: T) => string;
}

/** A table of up to a few hundred rows that the browser sorts. Keep `columns` out of the component. The first is the row's header. */
export function DataTable<T extends object>({ caption, columns, rows, rowId }: DataTableProps<T>) {
  const table = useTable({ features, columns, data: rows, getRowId: rowId });
  return (
    <table className="w-full border-collapse text-left text-sm">
      <caption className="sr-only">{caption}</caption>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id} className="border-b border-line text-soft">
            {group.headers.map((header) => {
              const sorted = header.column.getIsSorted();
              return (
                <th
                  key={header.id}
                  scope="col"
                  aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
                  className="px-2 py-1.5 font-medium whitespace-nowrap"
                >
                  <button
                    type="button"
                    className="inline-flex min-h-6 items-center gap-1"
                    onClick={header.column.getToggleSortingHandler()}
                  >
                    <table.FlexRender header={header} />
                    {sorted === "asc" && <ArrowUp aria-hidden size={13} />}
                    {sorted === "desc" && <ArrowDown aria-hidden size={13} />}
                  </button>
                </th>
              );
            })}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} className="border-b border-line">
            {row.getAllCells().map((cell, place) =>
              place === 0 ? (
                <th key={cell.id} scope="row" className="px-2 py-1.5 font-medium">
                  <table.FlexRender cell={cell} />
                </th>
              ) : (
                <td key={cell.id} className="px-2 py-1.5">
                  <table.FlexRender cell={cell} />
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
