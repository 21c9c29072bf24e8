import type { QueryValue } from "@/api/client";

export interface LogSearch {
  /** Key of the workload whose pods are merged; all of them where there is none. */
  source: string;
  pod: string;
  container: string;
  follow: boolean;
  previous: boolean;
  tail: number;
  /** Seconds; everything where there are none. */
  since: number;
  filter: string;
  matchCase: boolean;
  /** `POD~STAMP` of the line that somebody points at. */
  line: string;
}

export const TAILS = [100, 500, 2_000, 10_000] as const;
export const USUAL_TAIL = 500;
export const SINCES: readonly [seconds: number, label: string][] = [
  [0, "any time"],
  [300, "5 minutes"],
  [3_600, "1 hour"],
  [86_400, "1 day"],
];

export function logSearch(search: Record<string, unknown>): LogSearch {
  const text = (name: string) => (typeof search[name] === "string" ? search[name] : "");
  const count = (name: string, usual: number) => {
    const said = Number(search[name]);
    return Number.isInteger(said) && said > 0 ? said : usual;
  };
  const line = text("line");
  return {
    source: text("source"),
    pod: text("pod"),
    container: text("container"),
    follow: search.follow !== "no" && !line && search.previous !== true,
    previous: search.previous === true,
    tail: count("tail", USUAL_TAIL),
    since: count("since", 0),
    filter: text("filter"),
    matchCase: search.matchCase === true,
    line,
  };
}

const BEFORE_MS = 30_000;

export function pointedAt(line: string): { pod: string; stamp: string } | undefined {
  const [pod = "", stamp = ""] = line.split("~");
  return pod && !Number.isNaN(Date.parse(stamp)) ? { pod, stamp } : undefined;
}

export const lineAddress = (pod: string, stamp: string): string => `${pod}~${stamp}`;

/** The query of the stream. Somebody who points at a line wants what stands around it, however long ago that is. */
export function logQuery(namespace: string, search: LogSearch): Record<string, QueryValue> {
  const [group = "", kind = "", place = "", resourceName = ""] = search.source.split("/");
  const point = pointedAt(search.line);
  const from = point && new Date(Date.parse(point.stamp) - BEFORE_MS).toISOString();
  return {
    appNamespace: namespace,
    ...(search.pod ? { podName: search.pod } : search.source ? { group, kind, namespace: place, resourceName } : {}),
    container: search.container,
    follow: search.follow || undefined,
    previous: search.previous || undefined,
    ...(from ? { sinceTime: from } : { tailLines: search.tail, sinceSeconds: search.since || undefined }),
    filter: search.filter,
    matchCase: (search.filter && search.matchCase) || undefined,
  };
}

/** The same in a terminal. */
export function logCommand(name: string, search: LogSearch): string {
  const [group, kind, place, resource] = search.source.split("/");
  const quoted = (text: string) => (/^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  return [
    `plumb app logs ${name}`,
    ...(search.pod
      ? [`--kind Pod --name ${search.pod}`]
      : [
          group && `--group ${group}`,
          kind && `--kind ${kind}`,
          place && `--namespace ${place}`,
          resource && `--name ${resource}`,
        ]),
    search.container && `-c ${search.container}`,
    search.follow && "-f",
    search.previous && "-p",
    `--tail ${search.tail}`,
    search.since > 0 && `--since-seconds ${search.since}`,
    search.filter && `--filter ${quoted(search.filter)}`,
    search.filter && search.matchCase && "-m",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Colours that can be told apart in both themes; the name stands beside them. */
const COLOURS = ["text-progressing", "text-suspended", "text-healthy", "text-missing", "text-accent", "text-outofsync"];

/** The colour of a pod by its place among all, so that neighbours differ. */
export const podColour = (pods: readonly string[], pod: string): string =>
  COLOURS[Math.max(pods.indexOf(pod), 0) % COLOURS.length] ?? "text-soft";
