import { Link } from "@tanstack/react-router";
import { Filter, LockKeyhole } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "@/app/keys/use-keys";
import { isChosen, toggled } from "@/features/applications/model/query";
import { type ListSearch, plural, type Whole } from "@/features/infra/model/listing";
import { Ago } from "@/kit/ago";
import { CopyMenu } from "@/kit/copy-menu";
import { INPUT } from "@/kit/field";
import { Menu, MenuChoice, MenuSwitch } from "@/kit/menu";
import type { SecretRow } from "./model/wire";
import { STATE_WORDS } from "./model/words";

const REST_MS = 200;
const FACETS = { state: "State", kind: "Kind", namespace: "Namespace", scope: "Scope", store: "Store" } as const;
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

export function Toolbar({ search, list, updatedAt, onSearch }: ToolbarProps) {
  const q = search.q ?? "";
  const ask = (changed: string) => onSearch({ ...search, q: changed });
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <h1 className="text-base font-semibold">Secrets</h1>
      <span role="status" className="mr-2 text-sm text-soft tabular-nums">
        {list && plural(list.total, "secret")}
      </span>
      <Link
        to="/secrets/seal"
        className="inline-flex h-8 items-center gap-1.5 rounded-md bg-accent px-3 text-sm font-medium text-on-accent hover:opacity-90"
      >
        <LockKeyhole aria-hidden size={16} />
        Seal a secret
      </Link>
      <Query q={q} onQuery={ask} />
      {facetsOf(list).map(({ facet, title, values }) => (
        <Menu key={facet} label={title}>
          {values.map(([value, count]) => (
            <MenuSwitch
              key={value}
              label={`${facetWord(facet, value)} (${count.toLocaleString("en")})`}
              checked={isChosen(q, facet, value)}
              onChange={() => ask(toggled(q, facet, value))}
            />
          ))}
        </Menu>
      ))}
      <Menu label="Order">
        <MenuChoice
          title="Order"
          value={search.sort ?? ""}
          options={ORDERS}
          onChoose={(sort) => onSearch({ ...search, sort })}
        />
      </Menu>
      <CopyMenu />
      {updatedAt > 0 && (
        <span className="text-xs text-soft">
          Updated <Ago at={new Date(updatedAt).toISOString()} />
        </span>
      )}
    </div>
  );
}

/** Only those by which something can be told apart. */
const facetsOf = (list: Whole<SecretRow> | undefined) =>
  Object.entries(FACETS)
    .map(([facet, title]) => ({ facet, title, values: list?.values(facet) ?? [] }))
    .filter(({ values }) => values.length > 0);

const facetWord = (facet: string, value: string): string =>
  facet === "state" ? (STATE_WORDS[value as keyof typeof STATE_WORDS] ?? value) : value;

/** The query as text. It takes effect once nobody has typed for a moment. */
function Query({ q, onQuery }: { q: string; onQuery: (q: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  const [known, setKnown] = useState(q);
  if (known !== q) {
    setKnown(q);
    if (text.trim() !== q) setText(q);
  }
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => onQuery(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text, q, onQuery]);
  useKeys([{ id: "secrets-filter", keys: "f", title: "Filter", group: "Secrets", run: () => input.current?.focus() }]);
  return (
    <span className="relative min-w-52 flex-1">
      <Filter aria-hidden size={15} className="absolute top-2.5 left-2.5 text-soft" />
      <input
        ref={input}
        type="search"
        aria-label="Filter secrets"
        placeholder="state:wrong namespace:shop name"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className={`${INPUT} h-8 pl-8 font-mono text-sm`}
      />
    </span>
  );
}
