import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { get } from "@/api/client";

interface ClusterList {
  items: { server?: string; name?: string }[] | null;
}

const clusterNames = queryOptions({
  queryKey: ["clusters", "names"],
  queryFn: async ({ signal }) => {
    const { items } = await get<ClusterList>("clusters", { signal });
    return new Map((items ?? []).map(({ server = "", name = "" }) => [server, name]));
  },
  staleTime: 300_000,
});

/** What people call the cluster at an address. Whoever may not see clusters sees addresses. */
export function useClusterName(): (server: string) => string {
  const { data } = useQuery(clusterNames);
  return useCallback((server: string) => data?.get(server) || server.replace(/^https?:\/\//, ""), [data]);
}
