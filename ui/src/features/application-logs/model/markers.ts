import type { LogLine } from "./buffer";
import { orderOf } from "./reader";

interface ContainerStatus {
  name?: string;
  restartCount?: number;
  state?: { running?: { startedAt?: string } };
  lastState?: { terminated?: { finishedAt?: string; exitCode?: number; reason?: string } };
}

export interface PodObject {
  metadata?: { name?: string };
  spec?: { containers?: { name?: string }[]; initContainers?: { name?: string }[] };
  status?: { containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
}

/** Something that happened between two lines. */
export interface Marker {
  at: string;
  text: string;
}

export function restartMarkers(pods: readonly PodObject[]): Marker[] {
  return pods.flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).flatMap(({ name, restartCount = 0, state, lastState }): Marker[] => {
      const who = `${metadata?.name ?? ""} (${name ?? ""})`;
      const ended = lastState?.terminated;
      const began = restartCount > 0 ? state?.running?.startedAt : undefined;
      return [
        ...(ended?.finishedAt
          ? [
              {
                at: ended.finishedAt,
                text: `${who} ended: ${ended.reason ?? "unknown"}, exit code ${ended.exitCode ?? "unknown"}`,
              },
            ]
          : []),
        ...(began ? [{ at: began, text: `${who} began again, restart ${restartCount}` }] : []),
      ];
    }),
  );
}

interface Deployed {
  deployedAt?: string;
  revision?: string;
  revisions?: string[];
}

export function deployMarkers(history: readonly Deployed[]): Marker[] {
  return history.flatMap(({ deployedAt, revision = "", revisions = [revision] }) =>
    deployedAt ? [{ at: deployedAt, text: `synced to ${revisions.map((each) => each.slice(0, 7)).join(", ")}` }] : [],
  );
}

export type LogItem = { kind: "line"; key: string; line: LogLine } | { kind: "marker"; key: string; marker: Marker };

/** Lines with what happened between them; what happened before the first line is left out. */
export function withMarkers(lines: readonly LogLine[], markers: readonly Marker[]): LogItem[] {
  const first = lines.find((line) => line.stamp);
  const from = first ? orderOf(first.stamp) : "";
  const waiting = markers
    .map((marker) => ({ marker, order: orderOf(marker.at) }))
    .filter(({ order }) => first && order >= from)
    .sort((one, other) => (one.order < other.order ? -1 : 1));
  const items: LogItem[] = [];
  const put = ({ marker }: (typeof waiting)[number]) =>
    items.push({ kind: "marker", key: `marker-${marker.at}-${marker.text}`, marker });
  let next = 0;
  for (const line of lines) {
    for (let each = waiting[next]; each && line.stamp && each.order < orderOf(line.stamp); each = waiting[++next])
      put(each);
    items.push({ kind: "line", key: String(line.id), line });
  }
  for (const each of waiting.slice(next)) put(each);
  return items;
}

export const containersOf = (pods: readonly PodObject[]): string[] => [
  ...new Set(
    pods.flatMap(({ spec }) =>
      [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((each) => each.name ?? ""),
    ),
  ),
];

/** Pods that have begun again, of which there is something earlier to read. */
export const restarted = (pods: readonly PodObject[]): string[] =>
  pods
    .filter(({ status }) => (status?.containerStatuses ?? []).some((each) => (each.restartCount ?? 0) > 0))
    .map(({ metadata }) => metadata?.name ?? "");
