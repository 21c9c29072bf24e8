import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";
import { changesQuery } from "./api";
import { changesSearchOf } from "./model/search";

export const changesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/changes",
  validateSearch: changesSearchOf,
  loaderDeps: ({ search }) => changesSearchOf({ ...search }),
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(changesQuery(deps)),
  component: lazyRouteComponent(() => import("./page")),
});
