import type { Filter } from "@/graph/forest";

/** What the address says of the topology, beside the tab. */
export interface TopologySearch extends Filter {
  view: "graph" | "outline";
  opened: string[];
  shut: string[];
}

/** An address stays one that can be sent around. */
const MOST = 40;

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : typeof value === "string" && value ? [value] : [])
    .filter((each) => typeof each === "string")
    .slice(0, MOST);

export function searchOf(search: Record<string, unknown>): TopologySearch {
  return {
    view: search.view === "outline" ? "outline" : "graph",
    kinds: texts(search.kind),
    health: texts(search.health),
    text: typeof search.q === "string" ? search.q : "",
    opened: texts(search.open),
    shut: texts(search.shut),
  };
}

/** What to write: as usual is left out. */
export function written(changed: Partial<TopologySearch>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  const list = (values: readonly string[]) => (values.length > 0 ? values.slice(-MOST) : undefined);
  if ("view" in changed) named.view = changed.view === "outline" ? "outline" : undefined;
  if (changed.kinds) named.kind = list(changed.kinds);
  if (changed.health) named.health = list(changed.health);
  if (changed.text !== undefined) named.q = changed.text || undefined;
  if (changed.opened) named.open = list(changed.opened);
  if (changed.shut) named.shut = list(changed.shut);
  return named;
}

/** Opens what is closed and the other way round; what is opened is no longer shut. */
export function toggled({ opened, shut }: Pick<TopologySearch, "opened" | "shut">, key: string, open: boolean) {
  const without = (keys: readonly string[]) => keys.filter((each) => each !== key);
  return open
    ? { opened: [...without(opened), key], shut: without(shut) }
    : { opened: without(opened), shut: [...without(shut), key] };
}
