import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, post, type QueryValue, remove } from "@/api/client";
import { useTopic } from "@/api/live";
import type { OutwardLink } from "@/kit/links";
import type { Address } from "./model/resource";
import type { WireAction, WireEvent, WireTree } from "./model/wire";

/** Objects and pods are told of by the stream; what is below neither, such as events, is looked at again now and then. */
const LOOK_AGAIN_MS = 20_000;

const below = (app: string, tail: string): string => `applications/${encodeURIComponent(app)}/${tail}`;

export const treeQuery = (namespace: string, name: string) =>
  queryOptions({
    queryKey: ["application-tree", namespace, name],
    queryFn: ({ signal }) =>
      get<WireTree>(below(name, "resource-tree"), { query: { appNamespace: namespace, infrastructure: true }, signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });

/** The objects of an application, as they are now and as they become. It is asked for once however many call it. */
export function useTree(namespace: string, name: string) {
  const queryClient = useQueryClient();
  const query = treeQuery(namespace, name);
  useTopic(`application:${namespace}/${name}`, () => {
    void queryClient.invalidateQueries({ queryKey: query.queryKey });
  });
  return useQuery(query);
}

function asked({ appNamespace, group, version, kind, namespace, name }: Address): Record<string, QueryValue> {
  return { appNamespace, group, version, kind, namespace, resourceName: name };
}

export const manifestQuery = (address: Address) =>
  queryOptions({
    queryKey: ["resource", address],
    queryFn: async ({ signal }): Promise<Record<string, unknown>> => {
      const { manifest } = await get<{ manifest: string }>(below(address.app, "resource"), {
        query: asked(address),
        signal,
      });
      return JSON.parse(manifest);
    },
    refetchInterval: LOOK_AGAIN_MS,
  });

export const eventsQuery = (address: Address, uid: string) =>
  queryOptions({
    queryKey: ["resource-events", address, uid],
    queryFn: async ({ signal }): Promise<WireEvent[]> => {
      const { appNamespace, name, namespace } = address;
      const query = { appNamespace, resourceName: name, resourceNamespace: namespace, resourceUID: uid };
      const { items } = await get<{ items?: WireEvent[] | null }>(below(address.app, "events"), { query, signal });
      return items ?? [];
    },
    refetchInterval: LOOK_AGAIN_MS,
  });

/** Beside one object; none where they cannot be read, since nothing depends on them. */
export const linksQuery = (address: Address) =>
  queryOptions({
    queryKey: ["resource-links", address],
    queryFn: async ({ signal }): Promise<OutwardLink[]> => {
      const query = asked(address);
      return (
        (await get<{ items?: OutwardLink[] | null }>(below(address.app, "resource/links"), { query, signal })).items ??
        []
      );
    },
    staleTime: 60_000,
    retry: false,
  });

export const actionsQuery = (address: Address) =>
  queryOptions({
    queryKey: ["resource-actions", address],
    queryFn: async ({ signal }): Promise<WireAction[]> => {
      const { actions } = await get<{ actions?: WireAction[] | null }>(below(address.app, "resource/actions"), {
        query: asked(address),
        signal,
      });
      return actions ?? [];
    },
  });

export function runAction(address: Address, action: string, parameters: Record<string, string>): Promise<unknown> {
  const { appNamespace, group, version, kind, namespace, name } = address;
  const resourceActionParameters = Object.entries(parameters).map(([each, value]) => ({ name: each, value }));
  const named = { appNamespace, group, version, kind, namespace, resourceName: name };
  return post(below(address.app, "resource/actions/v2"), { ...named, action, resourceActionParameters });
}

export const deleteResource = (address: Address): Promise<unknown> =>
  remove(below(address.app, "resource"), { query: asked(address) });
