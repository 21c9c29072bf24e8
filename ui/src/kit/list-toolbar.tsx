import type { ReactNode } from "react";
import { Ago } from "./ago";
import { CopyMenu } from "./copy-menu";
import { FilterInput, type FilterInputProps } from "./filter-input";
import { Menu, MenuChoice, MenuSwitch } from "./menu";
import { isChosen, toggled } from "./model/query";

/** What of a list is in the URL. */
interface Search {
  q?: string;
  sort?: string;
}

/** Something that a list can be narrowed by, with how many each of its values has. */
export interface Facet {
  key: string;
  title: string;
  values: readonly { value: string; label: string; count: number }[];
}

interface ListToolbarProps {
  title: string;
  /** How many there are, in words; empty until that is known. */
  count: string;
  filter: Pick<FilterInputProps, "label" | "placeholder">;
  /** Those without values are left out: nothing can be told apart by them. */
  facets: readonly Facet[];
  orders: readonly { value: string; label: string }[];
  search: Search;
  onSearch: (search: Search) => void;
  updatedAt: number;
  /** What prints the same list, where something does. */
  command?: string | undefined;
  /** What can be begun from here. */
  children?: ReactNode;
}

/** Above every list that the server searches: what it is, what it is narrowed by, and in which order. */
export function ListToolbar(props: ListToolbarProps) {
  const { title, count, filter, facets, orders, search, onSearch, updatedAt, command, children } = props;
  const q = search.q ?? "";
  const ask = (changed: string) => onSearch({ ...search, q: changed });
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <h1 className="text-base font-semibold">{title}</h1>
      <span role="status" className="mr-2 text-sm text-soft tabular-nums">
        {count}
      </span>
      {children}
      <FilterInput id={`${title.toLowerCase()}-filter`} group={title} query={q} onQuery={ask} {...filter} />
      {facets.map(
        (facet) =>
          facet.values.length > 0 && (
            <Menu key={facet.key} label={facet.title}>
              {facet.values.map(({ value, label, count: many }) => (
                <MenuSwitch
                  key={value}
                  label={`${label} (${many.toLocaleString("en")})`}
                  checked={isChosen(q, facet.key, value)}
                  onChange={() => ask(toggled(q, facet.key, value))}
                />
              ))}
            </Menu>
          ),
      )}
      <Menu label="Order">
        <MenuChoice
          title="Order"
          value={search.sort ?? ""}
          options={orders}
          onChoose={(sort) => onSearch({ ...search, sort })}
        />
      </Menu>
      <CopyMenu command={q ? undefined : command} />
      {updatedAt > 0 && (
        <span className="ml-auto text-xs text-soft">
          Updated <Ago at={new Date(updatedAt).toISOString()} />
        </span>
      )}
    </div>
  );
}
