import { ChartNoAxesCombined } from "lucide-react";
import { feature } from "@/app/feature";
import { insightsRoute } from "./routes";

export default feature({
  id: "insights",
  rail: { title: "Insights", icon: ChartNoAxesCombined, to: "/insights", order: 70 },
  routes: [insightsRoute],
});
