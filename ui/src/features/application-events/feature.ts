import { BellRing } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";

export default feature({
  id: "application-events",
  applicationTabs: [
    { id: "events", title: "Events", order: 40, icon: BellRing, key: "e", body: lazy(() => import("./tab")) },
  ],
});
