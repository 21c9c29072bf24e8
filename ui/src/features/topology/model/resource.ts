import type { GraphObject } from "@/graph/object";
import { isInfrastructure } from "./kinds";
import type { WireNode, WireRef } from "./wire";

/** An object of an application, as the tree tells it. */
export interface Resource extends GraphObject {
  version: string;
  uid: string;
  createdAt: string;
  /** What people look for first, as NAME and VALUE. */
  facts: readonly (readonly [name: string, value: string])[];
  images: readonly string[];
  /** Where it can be reached; web pages only. */
  urls: readonly string[];
  orphaned: boolean;
  /** Stands for something outside of the cluster, or is what that left in it. */
  infrastructure: boolean;
}

export const refKey = ({ group = "", kind = "", namespace = "", name = "" }: WireRef): string =>
  [group, kind, namespace, name].join("/");

/** What an object that is nothing but a name would be. */
export const BARE = {
  message: "",
  parents: [],
  version: "",
  uid: "",
  createdAt: "",
  facts: [],
  images: [],
  urls: [],
  orphaned: false,
  infrastructure: false,
} as const satisfies Partial<Resource>;

export function resourceOf(node: WireNode, orphaned: boolean): Omit<Resource, "health" | "sync"> {
  const { group = "", kind = "", namespace = "", name = "" } = node;
  return {
    key: refKey(node),
    group,
    kind,
    namespace,
    name,
    version: node.version ?? "",
    uid: node.uid ?? "",
    createdAt: node.createdAt ?? "",
    message: node.health?.message ?? "",
    parents: (node.parentRefs ?? []).map(refKey),
    facts: (node.info ?? []).flatMap((each) => (each.value ? [[each.name, each.value] as const] : [])),
    images: node.images ?? [],
    // A Service says of itself where it is reached; what is no web page is no link.
    urls: (node.networkingInfo?.externalURLs ?? []).filter((url) => /^https?:\/\//i.test(url)),
    orphaned,
    infrastructure: isInfrastructure(node),
  };
}

/** Which object, of which application: what a drawer's address says. */
export interface Address {
  appNamespace: string;
  app: string;
  group: string;
  version: string;
  kind: string;
  namespace: string;
  name: string;
}

type Named = Pick<Address, "group" | "version" | "kind" | "namespace" | "name">;

export const drawerId = (appNamespace: string, app: string, { group, version, kind, namespace, name }: Named): string =>
  [appNamespace, app, group, version, kind, namespace, name].join("/");

/** Nothing where the text names no object: addresses are written by people as well. */
export function addressOf(id: string): Address | undefined {
  const parts = id.split("/");
  const [appNamespace = "", app = "", group = "", version = "", kind = "", namespace = "", name = ""] = parts;
  if (parts.length !== 7 || !app || !kind || !name) return undefined;
  return { appNamespace, app, group, version, kind, namespace, name };
}
