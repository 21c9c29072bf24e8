import { History } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";

export default feature({
  id: "application-history",
  applicationTabs: [
    { id: "history", title: "History", order: 50, icon: History, key: "h", body: lazy(() => import("./tab")) },
  ],
  drawers: {
    rollback: {
      title: (id) => `Go back to sync ${id.slice(id.lastIndexOf("/") + 1)}`,
      body: lazy(() => import("./rollback-panel")),
    },
  },
});
