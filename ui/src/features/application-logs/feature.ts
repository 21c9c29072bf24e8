import { ScrollText } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";

export default feature({
  id: "application-logs",
  applicationTabs: [
    { id: "logs", title: "Logs", order: 30, icon: ScrollText, key: "l", body: lazy(() => import("./tab")) },
  ],
});
