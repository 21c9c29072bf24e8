import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { TreeNode } from "@/features/application-logs/model/tree";
import type { KubernetesEvent } from "./model/events";

/** Events are no topic of the stream: they are asked for again while somebody looks. */
const AGAIN_MS = 10_000;

/** What happened to an application, or to one of its objects. */
export const eventsQuery = (namespace: string, name: string, about?: TreeNode) =>
  queryOptions({
    queryKey: ["application", namespace, name, "events", about?.uid ?? ""],
    queryFn: ({ signal }) =>
      get<{ items?: KubernetesEvent[] }>(`applications/${encodeURIComponent(name)}/events`, {
        query: {
          appNamespace: namespace,
          resourceName: about?.name,
          resourceNamespace: about?.namespace,
          resourceUID: about?.uid,
        },
        signal,
      }),
    refetchInterval: AGAIN_MS,
  });
