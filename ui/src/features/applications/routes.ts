import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";
import { pageQuery } from "./api";
import { listSearchOf, orderOf } from "./model/search";

export const applicationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/applications",
  validateSearch: listSearchOf,
  loaderDeps: ({ search }) => ({ q: search.q ?? "", order: orderOf(search) }),
  // The rows are asked for while the page's own code is still on its way; the page shows how that went.
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(pageQuery(deps, 0)),
  component: lazyRouteComponent(() => import("./page")),
});
