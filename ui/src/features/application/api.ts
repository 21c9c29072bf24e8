import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { get } from "@/api/client";
import { useTopic } from "@/api/live";
import type { Application } from "@/features/applications/model/wire";

export const applicationQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["application", namespace, name],
    queryFn: ({ signal }) =>
      get<Application>(`applications/${encodeURIComponent(name)}`, { query: { appNamespace: namespace }, signal }),
  });

/** One application, as it is now and as it becomes. Tabs may call it too: it is asked for once. */
export function useApplication(namespace: string, name: string) {
  const queryClient = useQueryClient();
  const query = applicationQuery(namespace, name);
  useTopic(`application:${namespace}/${name}`, () => {
    void queryClient.invalidateQueries({ queryKey: query.queryKey });
  });
  return useQuery(query);
}
