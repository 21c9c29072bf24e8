import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { sessionQuery } from "@/api/session";
import { Broken, NoSuchPage, rootRoute } from "./root";

interface ShellSearch {
  /** `KIND:ID` of what the drawer shows. */
  drawer?: string;
}

/** The parent of every room: somebody is logged in here, and the frame is around it. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  validateSearch: (search: Record<string, unknown>): ShellSearch =>
    typeof search.drawer === "string" ? { drawer: search.drawer } : {},
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session.loggedIn) throw redirect({ to: "/login", search: { back: location.href } });
  },
  component: lazyRouteComponent(() => import("./shell")),
  notFoundComponent: NoSuchPage,
  errorComponent: Broken,
});

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/applications" });
  },
});
