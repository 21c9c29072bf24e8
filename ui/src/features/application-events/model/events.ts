import type { TreeNode } from "@/features/application-logs/model/tree";

export interface KubernetesEvent {
  metadata?: { uid?: string; name?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  involvedObject?: { kind?: string; namespace?: string; name?: string };
  source?: { component?: string };
  reportingComponent?: string;
}

export interface EventRow {
  key: string;
  warning: boolean;
  reason: string;
  object: string;
  message: string;
  count: number;
  at: string;
  by: string;
}

export function eventRow(event: KubernetesEvent): EventRow {
  const { kind = "", name = "" } = event.involvedObject ?? {};
  const at = event.lastTimestamp ?? event.firstTimestamp ?? "";
  return {
    key: event.metadata?.uid ?? `${event.metadata?.name}-${event.reason}-${at}`,
    warning: event.type === "Warning",
    reason: event.reason ?? "",
    object: `${kind} ${name}`,
    message: event.message ?? "",
    count: event.count ?? 1,
    at,
    by: event.source?.component || event.reportingComponent || "",
  };
}

/** The latest first. */
export const eventRows = (events: readonly KubernetesEvent[]): EventRow[] =>
  events.map(eventRow).toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));

/** Each object that is asked about costs a question. */
export const MOST_ASKED = 8;
const FINE = ["Healthy", "Suspended"];

/** Whom to ask about: the one that is chosen, or what is not healthy; the application itself always comes first. */
export function askedAbout(nodes: readonly TreeNode[], chosen: string): TreeNode[] {
  if (chosen) return nodes.filter((node) => node.uid === chosen);
  return nodes
    .filter((node) => node.uid && node.health?.status && !FINE.includes(node.health.status))
    .slice(0, MOST_ASKED);
}

export interface EventSearch {
  /** UID of the one object that is meant. */
  about: string;
  warnings: boolean;
}

export const eventSearch = ({ about, warnings }: Record<string, unknown>): EventSearch => ({
  about: typeof about === "string" ? about : "",
  warnings: warnings === true,
});
