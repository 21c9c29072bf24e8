import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "@/routes/shell-route";

export const SPANS = [7, 30, 90] as const;
export type Span = (typeof SPANS)[number];

interface InsightsSearch {
  /** How many days; 30 if it is not said. */
  days?: Exclude<Span, 30>;
}

export const insightsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/insights",
  validateSearch: ({ days }: Record<string, unknown>): InsightsSearch => (days === 7 || days === 90 ? { days } : {}),
  component: lazyRouteComponent(() => import("./page")),
});
