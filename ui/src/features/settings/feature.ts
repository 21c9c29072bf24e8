import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Settings2 } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "settings",
  rail: { title: "Settings", icon: Settings2, to: "/settings", order: 80 },
  routes: [route],
});
