import { Network } from "lucide-react";
import { lazy } from "react";
import { feature } from "@/app/feature";
import { addressOf } from "./model/resource";

export default feature({
  id: "topology",
  applicationTabs: [
    { id: "topology", title: "Topology", order: 5, icon: Network, key: "m", body: lazy(() => import("./tab")) },
  ],
  drawers: {
    resource: {
      title: (id) => {
        const address = addressOf(id);
        return address ? `${address.kind} ${address.name}` : "No such object";
      },
      body: lazy(() => import("./drawer/drawer")),
    },
  },
});
