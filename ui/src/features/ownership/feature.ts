import { Waypoints } from "lucide-react";
import { feature } from "@/app/feature";
import { ownershipRoute } from "./routes";

export default feature({
  id: "ownership",
  rail: { title: "Ownership", icon: Waypoints, to: "/ownership", order: 60 },
  routes: [ownershipRoute],
});
