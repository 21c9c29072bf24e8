import { Link } from "@tanstack/react-router";
import { LockKeyhole } from "lucide-react";
import { facetsOf, type ListSearch, plural, type Whole } from "@/features/infra/model/listing";
import { ListToolbar } from "@/kit/list-toolbar";
import type { SecretRow } from "./model/wire";
import { STATE_WORDS } from "./model/words";

const FILTER = { label: "Filter secrets", placeholder: "state:wrong namespace:shop name" };
const FACETS = { state: "State", kind: "Kind", namespace: "Namespace", scope: "Scope", store: "Store" };
const ORDERS = [
  { value: "", label: "By name" },
  { value: "state", label: "By state" },
  { value: "namespace", label: "By namespace" },
  { value: "kind", label: "By kind" },
  { value: "-created", label: "Newest first" },
] as const;

interface ToolbarProps {
  search: ListSearch;
  list: Whole<SecretRow> | undefined;
  updatedAt: number;
  onSearch: (search: ListSearch) => void;
}

export function Toolbar({ list, ...rest }: ToolbarProps) {
  return (
    <ListToolbar
      title="Secrets"
      count={list ? plural(list.total, "secret") : ""}
      filter={FILTER}
      facets={facetsOf(list, FACETS, { state: STATE_WORDS })}
      orders={ORDERS}
      {...rest}
    >
      <Link
        to="/secrets/seal"
        className="inline-flex h-8 items-center gap-1.5 rounded-md bg-accent px-3 text-sm font-medium text-on-accent hover:opacity-90"
      >
        <LockKeyhole aria-hidden size={16} />
        Seal a secret
      </Link>
    </ListToolbar>
  );
}
