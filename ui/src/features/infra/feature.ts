import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Boxes } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/infra",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "infra",
  rail: { title: "Infra", icon: Boxes, to: "/infra", order: 20, key: "i" },
  routes: [route],
});
