import type { WireEvent } from "./wire";

export interface Happened {
  id: string;
  at: string;
  reason: string;
  message: string;
  warning: boolean;
  count: number;
  by: string;
}

export function latestFirst(events: readonly WireEvent[]): Happened[] {
  return events
    .map((event, place) => ({
      id: event.metadata?.uid ?? event.metadata?.name ?? String(place),
      at: event.lastTimestamp ?? event.firstTimestamp ?? "",
      reason: event.reason ?? "Event",
      message: event.message ?? "",
      warning: event.type === "Warning",
      count: event.count ?? 1,
      by: event.source?.component || event.reportingComponent || "",
    }))
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}
