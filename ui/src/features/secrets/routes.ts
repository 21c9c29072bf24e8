import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "@/features/infra/model/listing";
import { shellRoute } from "@/routes/shell-route";
import { certificateQuery, keysQuery, secretQuery, secretsQuery } from "./api";
import type { Scope } from "./model/wire";

export const SORTS = ["name", "namespace", "state", "kind", "-created"] as const;

export const secretsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/secrets",
  validateSearch: listSearch(SORTS),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(secretsQuery(deps));
    void context.queryClient.prefetchQuery(keysQuery);
  },
  component: lazyRouteComponent(() => import("./page")),
});

export const secretRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/secrets/$kind/$namespace/$name",
  loader: ({ context, params: { kind, namespace, name } }) =>
    void context.queryClient.prefetchQuery(secretQuery(kind, namespace, name)),
  component: lazyRouteComponent(() => import("./secret-page")),
});

/** Where a value is to go. Never the value: what is in an address is in many places. */
interface SealSearch {
  namespace?: string;
  name?: string;
  scope?: Scope;
  key?: string;
}

export const sealRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/secrets/seal",
  validateSearch: ({ namespace, name, scope, key }: Record<string, unknown>): SealSearch => ({
    ...(namespace === undefined ? {} : { namespace: String(namespace) }),
    ...(name === undefined ? {} : { name: String(name) }),
    ...(key === undefined ? {} : { key: String(key) }),
    ...(scope === "namespace-wide" || scope === "cluster-wide" ? { scope } : {}),
  }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(certificateQuery),
  component: lazyRouteComponent(() => import("./seal/page")),
});
