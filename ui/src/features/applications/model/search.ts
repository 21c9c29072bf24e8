import { type Term, terms } from "@/kit/model/query";
import type { Grouping } from "./layout";

/** What of the list is in the URL. What is as usual is left out, so that links stay short. */
export interface ListSearch {
  q?: string;
  sort?: string;
  view?: "tiles";
  group?: Exclude<Grouping, "">;
}

const SORTABLE = ["name", "project", "cluster", "health", "sync", "synced"] as const;
export type Sortable = (typeof SORTABLE)[number];

export function listSearchOf(search: Record<string, unknown>): ListSearch {
  return {
    // A number or a word such as true is read as JSON by whoever reads URLs.
    ...(search.q !== undefined && search.q !== "" ? { q: String(search.q) } : {}),
    ...(typeof search.sort === "string" && isSort(search.sort) ? { sort: search.sort } : {}),
    ...(search.view === "tiles" ? { view: search.view } : {}),
    ...(search.group === "project" || search.group === "cluster" ? { group: search.group } : {}),
  };
}

const isSort = (sort: string): boolean => (SORTABLE as readonly string[]).includes(sort.replace(/^-/, ""));

/** The order to ask the server for: groups first, so that their rows stand together. */
export const orderOf = ({ sort, group }: ListSearch): string => [group, sort].filter(Boolean).join(",");

export type Direction = "ascending" | "descending" | "none";

export function directionOf(sort: string | undefined, column: Sortable): Direction {
  if ((sort ?? "name") === column) return "ascending";
  return sort === `-${column}` ? "descending" : "none";
}

/** The order after a click on a column: up, down, and back to names. */
export function sortAfterClick(sort: string | undefined, column: Sortable): string | undefined {
  const next = { ascending: `-${column}`, descending: undefined, none: column }[directionOf(sort, column)];
  return next === "name" ? undefined : next;
}

const FLAGS: Readonly<Record<string, { flag: string; repeated: boolean }>> = {
  project: { flag: "--project", repeated: true },
  cluster: { flag: "--cluster", repeated: false },
  label: { flag: "--selector", repeated: false },
};

/** The command that answers the same; nothing where no flag says what the filter says. */
export function commandFor({ q = "", sort }: ListSearch): string | undefined {
  const flags = terms(q).map(flagsFor);
  if (sort || flags.includes(undefined)) return undefined;
  return ["plumb app list", ...flags].join(" ");
}

function flagsFor({ key, values, negated }: Term): string | undefined {
  const known = FLAGS[key];
  if (!known || negated || values.some((value) => value.includes("*"))) return undefined;
  if (values.length > 1 && !known.repeated) return undefined;
  return values.map((value) => `${known.flag} ${shellQuoted(value)}`).join(" ");
}

export const shellQuoted = (text: string): string =>
  /^[\w:./=@,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
