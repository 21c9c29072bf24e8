import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";
import { accountsQuery, clustersQuery, projectQuery, projectsQuery, repositoriesQuery, versionQuery } from "./api";
import { questionOf } from "./model/search";

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./page")),
});

const firstRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/settings/repositories" });
  },
});

const repositoriesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/repositories",
  loader: ({ context }) => void context.queryClient.prefetchQuery(repositoriesQuery),
  component: lazyRouteComponent(() => import("./repositories/page")),
});

const clustersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/clusters",
  loader: ({ context }) => void context.queryClient.prefetchQuery(clustersQuery),
  component: lazyRouteComponent(() => import("./clusters/page")),
});

const projectsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/projects",
  loader: ({ context }) => void context.queryClient.prefetchQuery(projectsQuery),
  component: lazyRouteComponent(() => import("./projects/list")),
});

export const projectRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/projects/$name",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(projectQuery(params.name)),
  component: lazyRouteComponent(() => import("./projects/page")),
});

export const permissionsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/permissions",
  validateSearch: questionOf,
  component: lazyRouteComponent(() => import("./permissions")),
});

const accountsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/accounts",
  loader: ({ context }) => void context.queryClient.prefetchQuery(accountsQuery),
  component: lazyRouteComponent(() => import("./accounts/page")),
});

const appearanceRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/appearance",
  component: lazyRouteComponent(() => import("./appearance")),
});

const aboutRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/about",
  loader: ({ context }) => void context.queryClient.prefetchQuery(versionQuery),
  component: lazyRouteComponent(() => import("./about")),
});

export const settingsRoutes = settingsRoute.addChildren([
  firstRoute,
  repositoriesRoute,
  clustersRoute,
  projectsRoute,
  projectRoute,
  permissionsRoute,
  accountsRoute,
  appearanceRoute,
  aboutRoute,
]);
