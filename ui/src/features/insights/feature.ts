import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ChartNoAxesCombined } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/insights",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "insights",
  rail: { title: "Insights", icon: ChartNoAxesCombined, to: "/insights", order: 70 },
  routes: [route],
});
