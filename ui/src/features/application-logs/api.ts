import { queryOptions } from "@tanstack/react-query";
import { get } from "@/api/client";
import type { PodObject } from "./model/markers";
import type { ResourceTree, TreeNode } from "./model/tree";

const path = (name: string, below: string) => `applications/${encodeURIComponent(name)}/${below}`;

/** Objects of an application and what they own. Told anew whenever the application is. */
export const treeQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["application", namespace, name, "objects"],
    queryFn: ({ signal }) =>
      get<ResourceTree>(path(name, "resource-tree"), { query: { appNamespace: namespace }, signal }),
    staleTime: 5_000,
  });

/** A pod as it is: its containers, and when each began again. */
export const podQuery = (namespace: string, name: string, pod: TreeNode) =>
  queryOptions({
    queryKey: ["application", namespace, name, "pod", pod.uid],
    queryFn: async ({ signal }): Promise<PodObject> => {
      const query = {
        appNamespace: namespace,
        kind: "Pod",
        version: pod.version ?? "v1",
        namespace: pod.namespace,
        resourceName: pod.name,
      };
      const { manifest } = await get<{ manifest?: string }>(path(name, "resource"), { query, signal });
      return JSON.parse(manifest ?? "{}") as PodObject;
    },
    staleTime: 15_000,
  });
