import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "@/features/infra/model/listing";
import { shellRoute } from "@/routes/shell-route";
import { planQuery, terraformQuery, terraformsQuery } from "./api";

export const SORTS = ["name", "namespace", "state", "-planned", "-since"] as const;

export const terraformsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/terraform",
  validateSearch: listSearch(SORTS),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(terraformsQuery(deps)),
  component: lazyRouteComponent(() => import("./page")),
});

export const terraformRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/terraform/$namespace/$name",
  loader: ({ context, params: { namespace, name } }) => {
    void context.queryClient.prefetchQuery(terraformQuery(namespace, name));
    void context.queryClient.prefetchQuery(planQuery(namespace, name));
  },
  component: lazyRouteComponent(() => import("./run/page")),
});
