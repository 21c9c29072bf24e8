import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { sessionQuery } from "@/api/session";
import { rootRoute } from "./root";
import { safeBack } from "./safe-back";

interface LoginSearch {
  /** Where somebody was when the session ended. */
  back?: string;
}

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  validateSearch: (search: Record<string, unknown>): LoginSearch => ({
    ...(typeof search.back === "string" ? { back: safeBack(search.back) } : {}),
  }),
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.fetchQuery(sessionQuery).catch(() => undefined);
    if (session?.loggedIn) throw redirect({ href: safeBack(search.back) });
  },
  component: lazyRouteComponent(() => import("./login")),
});
