import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";
import { applicationQuery } from "./api";

interface ApplicationSearch {
  /** Which tab is open; the first if none is named. */
  tab?: string;
}

export const applicationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/applications/$namespace/$name",
  // Tabs keep their own part of the search beside this one.
  validateSearch: (search: Record<string, unknown>): ApplicationSearch & Record<string, unknown> => ({
    ...search,
    ...(typeof search.tab === "string" ? { tab: search.tab } : {}),
  }),
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(applicationQuery(params.namespace, params.name)),
  component: lazyRouteComponent(() => import("./page")),
});
