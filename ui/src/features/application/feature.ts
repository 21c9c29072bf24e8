import { ListTree } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";
import { applicationRoute } from "./routes";

export default feature({
  id: "application",
  routes: [applicationRoute],
  applicationTabs: [
    { id: "resources", title: "Resources", order: 10, icon: ListTree, body: lazy(() => import("./resources-tab")) },
  ],
});
