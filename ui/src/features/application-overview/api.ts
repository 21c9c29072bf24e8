import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { OutwardLink } from "@/kit/links";
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

/** What the settings put beside the application; none where they cannot be read, since nothing depends on them. */
export const linksQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["application-links", namespace, name],
    queryFn: async ({ signal }): Promise<OutwardLink[]> => {
      const path = `applications/${encodeURIComponent(name)}/links`;
      const query = { appNamespace: namespace };
      return (await get<{ items?: OutwardLink[] | null }>(path, { query, signal })).items ?? [];
    },
    staleTime: 60_000,
    retry: false,
  });
