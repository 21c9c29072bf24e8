import { ListToolbar } from "@/kit/list-toolbar";
import { facetsOf, type ListSearch, plural, type Whole } from "./model/listing";
import type { Claim } from "./model/wire";
import { STATE_WORDS } from "./model/words";

const FILTER = { label: "Filter claims", placeholder: "state:wrong kind:Queue name" };
const FACETS = { state: "State", kind: "Kind", namespace: "Namespace", provider: "Cloud" };
const ORDERS = [
  { value: "", label: "Worst first" },
  { value: "name", label: "By name" },
  { value: "namespace", label: "By namespace" },
  { value: "kind", label: "By kind" },
  { value: "-created", label: "Newest first" },
] as const;

interface ToolbarProps {
  search: ListSearch;
  list: Whole<Claim> | undefined;
  updatedAt: number;
  onSearch: (search: ListSearch) => void;
}

export function Toolbar({ list, ...rest }: ToolbarProps) {
  return (
    <ListToolbar
      title="Infra"
      count={list ? plural(list.total, "claim") : ""}
      filter={FILTER}
      facets={facetsOf(list, FACETS, { state: STATE_WORDS })}
      orders={ORDERS}
      {...rest}
    />
  );
}
