import { Settings2 } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";
import { PLACES } from "./model/places";
import { settingsRoutes } from "./routes";

export default feature({
  id: "settings",
  rail: { title: "Settings", icon: Settings2, to: "/settings", order: 80 },
  routes: [settingsRoutes],
  drawers: { cluster: { title: (id) => `Cluster ${id}`, body: lazy(() => import("./clusters/drawer")) } },
  commands: PLACES.map(({ to, title, words }) => ({
    id: `settings-${title}`,
    title,
    group: "Settings",
    words,
    icon: Settings2,
    run: (go) => go.to(to),
  })),
});
