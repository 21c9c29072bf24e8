import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";
import { contestedQuery, explainedQuery } from "./api";

interface OwnershipSearch {
  /** What is asked about; without it, everything that is contested. */
  object?: string;
}

export const ownershipRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/ownership",
  validateSearch: (search: Record<string, unknown>): OwnershipSearch =>
    search.object ? { object: String(search.object) } : {},
  loaderDeps: ({ search }) => ({ object: search.object ?? "" }),
  loader: ({ context: { queryClient }, deps: { object } }) =>
    object ? void queryClient.prefetchQuery(explainedQuery(object)) : void queryClient.prefetchQuery(contestedQuery),
  component: lazyRouteComponent(() => import("./page")),
});
