import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { Contested, Explained } from "./model/wire";
import { askedOf } from "./model/words";

export const contestedQuery = queryOptions({
  queryKey: ["ownership", "contested"],
  queryFn: async ({ signal }) => (await get<{ contested?: Contested[] }>("ownership", { signal })).contested ?? [],
});

export const explainedQuery = (said: string) =>
  queryOptions({
    queryKey: ["ownership", "object", said],
    queryFn: ({ signal }) => get<Explained>("ownership", { query: { object: askedOf(said) }, signal }),
  });
