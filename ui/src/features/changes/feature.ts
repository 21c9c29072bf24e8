import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { GitPullRequestArrow } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/changes",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "changes",
  rail: { title: "Changes", icon: GitPullRequestArrow, to: "/changes", order: 40, key: "c" },
  routes: [route],
});
