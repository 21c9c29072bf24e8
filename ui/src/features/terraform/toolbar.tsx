import { facetsOf, type ListSearch, plural, type Whole } from "@/features/infra/model/listing";
import { ListToolbar } from "@/kit/list-toolbar";
import type { Terraform } from "./model/wire";
import { listCommand, STATE_WORDS } from "./model/words";

const FILTER = { label: "Filter Terraform objects", placeholder: "state:waiting namespace:infra name" };
const FACETS = { state: "State", namespace: "Namespace", source: "Source" };
const ORDERS = [
  { value: "", label: "By name" },
  { value: "state", label: "By state" },
  { value: "namespace", label: "By namespace" },
  { value: "-planned", label: "Planned last first" },
  { value: "-since", label: "Changed last first" },
] as const;

interface ToolbarProps {
  search: ListSearch;
  list: Whole<Terraform> | undefined;
  updatedAt: number;
  onSearch: (search: ListSearch) => void;
}

export function Toolbar({ list, ...rest }: ToolbarProps) {
  return (
    <ListToolbar
      title="Terraform"
      count={list ? plural(list.total, "object") : ""}
      filter={FILTER}
      facets={facetsOf(list, FACETS, { state: STATE_WORDS })}
      orders={ORDERS}
      command={listCommand}
      {...rest}
    />
  );
}
