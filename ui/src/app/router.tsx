import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { Loading } from "@/kit/state";
import { loginRoute } from "@/routes/login-route";
import { NoSuchPage, rootRoute } from "@/routes/root";
import { homeRoute, shellRoute } from "@/routes/shell-route";
import type { Feature } from "./feature";

/** All routes of all rooms under one frame. */
export function createAppRouter(queryClient: QueryClient, features: readonly Feature[], history?: AppHistory) {
  const rooms = features.flatMap((each) => [...(each.routes ?? [])]);
  const routeTree = rootRoute.addChildren([loginRoute, shellRoute.addChildren([homeRoute, ...rooms])]);
  return createRouter({
    routeTree,
    context: { queryClient },
    basepath: new URL(document.baseURI).pathname,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: () => <Loading sentence="The page is on its way." />,
    defaultNotFoundComponent: NoSuchPage,
    ...(history ? { history } : {}),
  });
}

type AppHistory = NonNullable<Parameters<typeof createRouter>[0]["history"]>;
export type AppRouter = ReturnType<typeof createAppRouter>;
