import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { feature } from "@/app/feature";
import { shellRoute } from "@/routes/shell-route";

const route = createRoute({
  getParentRoute: () => shellRoute,
  path: "/secrets",
  component: lazyRouteComponent(() => import("./page")),
});

export default feature({
  id: "secrets",
  rail: { title: "Secrets", icon: KeyRound, to: "/secrets", order: 50, key: "s" },
  routes: [route],
});
