import { FileDiff } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";

export default feature({
  id: "application-diff",
  applicationTabs: [
    { id: "diff", title: "Diff", order: 20, icon: FileDiff, key: "d", body: lazy(() => import("./tab")) },
  ],
});
