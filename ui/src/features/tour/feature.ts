import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Footprints } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const tourRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/tour",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "tour",
  routes: [tourRoute],
  notices: [lazy(() => import("./notice"))],
  commands: [
    {
      id: "tour",
      title: "Tour of the sample platform",
      group: "Help",
      words: "learn begin first steps checklist",
      icon: Footprints,
      run: (go) => go.to("/tour"),
    },
  ],
});
