import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { RevisionMetadata } from "./model/wire";

/** What a commit is. It never changes, so it is asked for once. */
export const revisionQuery = (namespace: string, name: string, revision: string) =>
  queryOptions({
    queryKey: ["revision", namespace, name, revision],
    queryFn: ({ signal }) =>
      get<RevisionMetadata>(
        `applications/${encodeURIComponent(name)}/revisions/${encodeURIComponent(revision)}/metadata`,
        {
          query: { appNamespace: namespace },
          signal,
        },
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
