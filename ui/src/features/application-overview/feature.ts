import { Gauge } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";

export default feature({
  id: "application-overview",
  applicationTabs: [
    { id: "overview", title: "Overview", order: 1, icon: Gauge, key: "o", body: lazy(() => import("./tab")) },
  ],
});
