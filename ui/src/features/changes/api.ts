import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { address, get } from "@/api/client";
import { aroundOf } from "./model/entry";
import { askedOf, type ChangesSearch } from "./model/search";
import type { Entry, EntryPage } from "./model/wire";

const PAGE = 100;
const MOST = 500;

export const changesQuery = (search: ChangesSearch) =>
  infiniteQueryOptions({
    queryKey: ["changes", "list", search],
    queryFn: ({ signal, pageParam }) =>
      get<EntryPage>("changes", { query: { ...askedOf(search, Date.now()), cursor: pageParam, limit: PAGE }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.cursor,
  });

/** One entry, found by its moment. Null where it is not, or not for whoever asks. */
export const entryQuery = (at: string, id: string) =>
  queryOptions({
    queryKey: ["changes", "entry", id],
    queryFn: async ({ signal }): Promise<Entry | null> => {
      const around = aroundOf(at);
      if (!around) return null;
      const { items = [] } = await get<EntryPage>("changes", { query: { ...around, limit: MOST }, signal });
      return items.find((each) => each.id === id) ?? null;
    },
  });

/** Everything that belongs to one change, the oldest first. */
export const changeQuery = (change: string) =>
  queryOptions({
    queryKey: ["changes", "change", change],
    queryFn: async ({ signal }) =>
      ((await get<EntryPage>("changes", { query: { change, limit: MOST }, signal })).items ?? []).reverse(),
  });

/** Where the same can be had as a file. */
export const exportAddress = (search: ChangesSearch, format: "csv" | "json"): string =>
  address("changes/export", { ...askedOf(search, Date.now()), format });
