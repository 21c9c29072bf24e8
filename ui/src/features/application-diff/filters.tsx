import { Checkbox } from "@/kit/checkbox";
import { INPUT } from "@/kit/field";
import type { DiffSearch } from "./model/search";
import { SIDE_SENTENCES, SIDES } from "./model/sides";

interface FiltersProps {
  search: DiffSearch;
  kinds: readonly string[];
  onSearch: (changed: Partial<Record<keyof DiffSearch, unknown>>) => void;
}

const TITLES = { changes: "Changes", desired: "Desired", live: "Live", predicted: "Predicted" } as const;

export function DiffFilters({ search, kinds, onSearch }: FiltersProps) {
  return (
    <search className="flex flex-1 flex-wrap items-center gap-x-4 gap-y-2">
      <input
        type="search"
        aria-label="Search in the differences"
        placeholder="Name, field, text or manager"
        className={`${INPUT} max-w-72`}
        value={search.q}
        onChange={(event) => onSearch({ q: event.currentTarget.value })}
      />
      <select
        aria-label="Kind"
        className="h-9 max-w-64 rounded-md border border-edge bg-surface px-2 text-ink"
        value={search.kind}
        onChange={(event) => onSearch({ kind: event.currentTarget.value })}
      >
        <option value="">All kinds</option>
        {kinds.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </select>
      <Checkbox label="Only changed" checked={!search.all} onToggle={(only) => onSearch({ all: !only })} />
      <fieldset className="flex flex-wrap items-center gap-1">
        <legend className="sr-only">Side</legend>
        {SIDES.map((side) => (
          <label
            key={side}
            title={SIDE_SENTENCES[side]}
            className="inline-flex h-8 items-center rounded-md border border-line px-2.5 text-sm has-checked:bg-chosen has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-(--focus)"
          >
            <input
              type="radio"
              name="side"
              className="sr-only"
              checked={search.show === side}
              onChange={() => onSearch({ show: side === "changes" ? "" : side })}
            />
            {TITLES[side]}
          </label>
        ))}
      </fieldset>
    </search>
  );
}
