import { LayoutGrid, Rows3 } from "lucide-react";
import { useId } from "react";
import { IconButton } from "@/kit/button";
import { CopyMenu } from "@/kit/copy-menu";
import { FilterInput } from "@/kit/filter-input";
import { ViewsMenu } from "./filters/views-menu";
import type { Grouping } from "./model/layout";
import { commandFor, type ListSearch } from "./model/search";
import { counted } from "./model/sync";

interface ToolbarProps {
  search: ListSearch;
  total: number | undefined;
  onSearch: (search: ListSearch) => void;
  onQuery: (query: string) => void;
}

export function Toolbar({ search, total, onSearch, onQuery }: ToolbarProps) {
  const { view, group, ...others } = search;
  const show = (tiles: boolean) =>
    onSearch({ ...others, ...(group ? { group } : {}), ...(tiles ? { view: "tiles" as const } : {}) });
  const groupBy = (by: Grouping) => onSearch({ ...others, ...(view ? { view } : {}), ...(by ? { group: by } : {}) });
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <h1 className="text-base font-semibold">Applications</h1>
      <span role="status" className="mr-2 text-sm text-soft tabular-nums">
        {total === undefined ? "" : counted(total, "application")}
      </span>
      <FilterInput
        id="applications-filter"
        group="List of applications"
        label="Filter applications"
        placeholder="health:degraded project:shop name"
        query={search.q ?? ""}
        onQuery={onQuery}
      />
      <ViewsMenu search={search} onSearch={onSearch} />
      <GroupChoice group={group ?? ""} onGroup={groupBy} />
      <IconButton icon={Rows3} label="Show as rows" pressed={view !== "tiles"} onClick={() => show(false)} />
      <IconButton icon={LayoutGrid} label="Show as tiles" pressed={view === "tiles"} onClick={() => show(true)} />
      <CopyMenu command={commandFor(search)} />
    </div>
  );
}

function GroupChoice({ group, onGroup }: { group: Grouping; onGroup: (group: Grouping) => void }) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-1.5 text-sm">
      <label htmlFor={id} className="text-soft">
        Group
      </label>
      <select
        id={id}
        value={group}
        onChange={(event) => onGroup(event.currentTarget.value as Grouping)}
        className="h-8 rounded-md border border-edge bg-surface px-2"
      >
        <option value="">none</option>
        <option value="project">by project</option>
        <option value="cluster">by cluster</option>
      </select>
    </span>
  );
}
