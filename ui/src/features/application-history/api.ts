import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { get, post } from "@/api/client";
import { applicationQuery } from "@/features/application/api";
import type { HistoryItem } from "./model/history";

const path = (name: string, below: string) => `applications/${encodeURIComponent(name)}/${below}`;

/** *stamp* is of the last operation: when it is another, so is the history. */
export const historyQuery = (namespace: string, name: string, stamp: string) =>
  queryOptions({
    queryKey: ["application-history", namespace, name, stamp],
    queryFn: ({ signal }) =>
      get<{ items?: HistoryItem[] }>(path(name, "history"), {
        query: { appNamespace: namespace, limit: 100, images: true },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** What Git asked for at a line of the history, rendered as the application says today. */
export const manifestsQuery = (namespace: string, name: string, item: HistoryItem) => {
  const revisions = item.revisions ?? [];
  return queryOptions({
    queryKey: ["application-manifests", namespace, name, ...revisions],
    queryFn: ({ signal }) => {
      const several = revisions.map(
        (each, place) => `revisions=${encodeURIComponent(each)}&sourcePositions=${place + 1}`,
      );
      const asked = revisions.length > 1 ? `?${several.join("&")}` : "";
      const one = revisions.length === 1 ? revisions[0] : undefined;
      return get<{ manifests?: string[] }>(`${path(name, "manifests")}${asked}`, {
        query: { appNamespace: namespace, revision: one },
        signal,
      });
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
};

export function useRollingBack(namespace: string, name: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (asked: { id: number; prune: boolean; heldFor: string }) =>
      post(path(name, "rollback"), { ...asked, appNamespace: namespace }, { query: { appNamespace: namespace } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: applicationQuery(namespace, name).queryKey }),
  });
}
