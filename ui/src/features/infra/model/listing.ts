/** What every list of the server answers that is searched, sorted and counted there. */
export interface Listed<T> {
  items: T[];
  counts: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  /** Where the next page begins; absent on the last one. */
  next?: number;
  /** Why the list may be behind, in the server's words. */
  stale?: string;
  /** Kinds that could not be listed, and why. */
  unseen?: { kind: string; why: string }[];
  /** False where the cluster has no such kind at all. */
  served?: boolean;
}

/** What of a list is in the URL. */
export interface ListSearch {
  q?: string;
  sort?: string;
}

/** Reads *search* for a list that can be sorted by *sorts*; what is as usual is left out. */
export const listSearch =
  (sorts: readonly string[]) =>
  (search: Record<string, unknown>): ListSearch => ({
    // A number or a word such as true is read as JSON by whoever reads URLs.
    ...(search.q !== undefined && search.q !== "" ? { q: String(search.q) } : {}),
    ...(typeof search.sort === "string" && sorts.includes(search.sort) ? { sort: search.sort } : {}),
  });

export interface Whole<T> {
  rows: T[];
  total: number;
  stale: string;
  unseen: { kind: string; why: string }[];
  served: boolean;
  values: (facet: string) => [value: string, count: number][];
}

/** All pages that were fetched, as one list. The newest page knows best how many there are. */
export function wholeOf<T>(pages: readonly Listed<T>[]): Whole<T> {
  const last = pages.at(-1);
  const total = last?.counts.total;
  return {
    rows: pages.flatMap((page) => page.items),
    total: typeof total === "number" ? total : 0,
    stale: last?.stale ?? "",
    unseen: last?.unseen ?? [],
    served: last?.served !== false,
    values: (facet) => {
      const counted = last?.counts[facet];
      if (typeof counted !== "object") return [];
      return Object.entries(counted)
        .filter(([value]) => value !== "")
        .sort(([one], [other]) => one.localeCompare(other));
    },
  };
}

/** What a list can be narrowed by, of *titles*; *words* are what people call values of a facet. */
export const facetsOf = (
  list: Whole<unknown> | undefined,
  titles: Readonly<Record<string, string>>,
  words: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): { key: string; title: string; values: { value: string; label: string; count: number }[] }[] =>
  Object.entries(titles).map(([key, title]) => ({
    key,
    title,
    values: (list?.values(key) ?? []).map(([value, count]) => ({ value, label: words[key]?.[value] ?? value, count })),
  }));

export const plural = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
