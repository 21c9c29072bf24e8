import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Waypoints } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/ownership",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "ownership",
  rail: { title: "Ownership", icon: Waypoints, to: "/ownership", order: 60 },
  routes: [route],
});
