import { CloudUpload } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";

const title = (what: string) => (id: string) => `${what} ${id.slice(id.indexOf("/") + 1)}`;

export default feature({
  id: "application-sync",
  applicationTabs: [{ id: "sync", title: "Sync", order: 60, icon: CloudUpload, body: lazy(() => import("./tab")) }],
  applicationActions: lazy(() => import("./actions")),
  drawers: {
    sync: { title: title("Sync"), body: lazy(() => import("./drawer")) },
    "delete-application": { title: title("Delete"), body: lazy(() => import("./delete-panel")) },
    "auto-sync": { title: title("Automated syncs of"), body: lazy(() => import("./auto-sync-panel")) },
  },
});
