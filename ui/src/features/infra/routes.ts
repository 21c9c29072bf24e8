import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";
import { claimQuery, claimsQuery, treeQuery } from "./api";
import { listSearch } from "./model/listing";
import type { Place } from "./model/wire";
import { NOWHERE } from "./model/words";

export const SORTS = ["state", "name", "namespace", "kind", "-created"] as const;

export const claimsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/infra",
  validateSearch: listSearch(SORTS),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(claimsQuery(orderedBy(deps))),
  component: lazyRouteComponent(() => import("./page")),
});

/** What is wrong comes first unless somebody wants it otherwise. */
export const orderedBy = <T extends { q?: string; sort?: string }>({ q, sort }: T) => ({
  ...(q ? { q } : {}),
  sort: sort ?? SORTS[0],
});

interface ClaimSearch {
  /** The node of the tree that somebody looks at. */
  node?: string;
}

export const claimRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/infra/$group/$kind/$namespace/$name",
  validateSearch: (search: Record<string, unknown>): ClaimSearch =>
    search.node !== undefined && search.node !== "" ? { node: String(search.node) } : {},
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(claimQuery(placeOf(params)));
    void context.queryClient.prefetchQuery(treeQuery(placeOf(params)));
  },
  component: lazyRouteComponent(() => import("./claim/page")),
});

type Params = Required<Pick<Place, "group" | "namespace">> & Place;

export const placeOf = ({ group, kind, namespace, name }: Params): Place => ({
  group: group === NOWHERE ? "" : group,
  kind,
  namespace: namespace === NOWHERE ? "" : namespace,
  name,
});
