import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Blocks } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/terraform",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "terraform",
  rail: { title: "Terraform", icon: Blocks, to: "/terraform", order: 30, key: "t" },
  routes: [route],
});
