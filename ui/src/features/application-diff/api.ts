import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { DiffAnswer, ObjectName } from "@/diff/wire";
import type { ManagedAnswer } from "./model/sides";

const path = (name: string, below: string) => `applications/${encodeURIComponent(name)}/${below}`;

/** How all objects differ. *stamp* is of the application as it is now: with another one, it is asked again. */
export const diffQuery = (namespace: string, name: string, all: boolean, stamp: string) =>
  queryOptions({
    queryKey: ["application-diff", namespace, name, all, stamp],
    queryFn: ({ signal }) =>
      get<DiffAnswer>(path(name, "diff"), { query: { appNamespace: namespace, all: all || undefined }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** One object as Git asks for it, as it is, and as it would be. */
export const sidesQuery = (namespace: string, name: string, object: ObjectName, stamp: string) => {
  const { group, kind, namespace: place, name: called } = object;
  return queryOptions({
    queryKey: ["application-sides", namespace, name, group, kind, place, called, stamp],
    queryFn: ({ signal }) =>
      get<ManagedAnswer>(path(name, "managed-resources"), {
        query: { appNamespace: namespace, group, kind, namespace: place, name: called },
        signal,
      }),
    staleTime: 30_000,
  });
};
