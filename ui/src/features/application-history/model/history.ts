import type { ApplicationSource } from "@/features/applications/model/wire";

export interface Commit {
  revision: string;
  author?: string;
  date?: string;
  message?: string;
  tags?: string[];
}

/** A line of `GET applications/NAME/history`: a sync that succeeded, or the one that failed or goes on. */
export interface HistoryItem {
  id?: number;
  result?: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  revisions?: string[];
  sources?: ApplicationSource[];
  commits?: Commit[];
  images?: string[];
  actor?: string;
  automated?: boolean;
  note?: string;
}

export const itemKey = (item: HistoryItem): string => (item.id === undefined ? "latest" : String(item.id));

export const shortRevision = (revision: string): string =>
  /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision;

export const revisionText = (item: HistoryItem): string =>
  (item.revisions ?? []).filter(Boolean).map(shortRevision).join(", ") || "no revision";

/** `12 s`, `3 min 5 s`; nothing where it did not end, or began before anybody kept count. */
export function durationText({ startedAt = "", finishedAt = "" }: HistoryItem): string {
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000);
  if (Number.isNaN(seconds) || seconds < 0) return "";
  if (seconds < 60) return `${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function actorText({ actor, automated }: HistoryItem): string {
  if (automated) return "automatically";
  return actor || "unknown";
}

/** The first line of what was said with the commits. */
export const messageText = (item: HistoryItem): string =>
  (item.commits ?? [])
    .map((commit) => (commit.message ?? "").split("\n")[0])
    .filter(Boolean)
    .join(" · ");

export const authorText = (item: HistoryItem): string =>
  [...new Set((item.commits ?? []).map((commit) => commit.author?.replace(/ <.*>$/, "") ?? "").filter(Boolean))].join(
    ", ",
  );

/** `registry/team/web:1.2` without where it comes from: `web:1.2`. */
export const imageText = (image: string): string =>
  image.slice(image.lastIndexOf("/") + 1).replace(/@sha256:(.{7}).*/, "@$1");

/** What came and went from one list to the other. */
export function difference(before: readonly string[], after: readonly string[]): { gone: string[]; come: string[] } {
  return { gone: before.filter((each) => !after.includes(each)), come: after.filter((each) => !before.includes(each)) };
}

/** The two that are compared, the older first; nothing until there are two. */
export function pairOf(items: readonly HistoryItem[], keys: readonly string[]): [HistoryItem, HistoryItem] | undefined {
  const [newer, older] = items.filter((item) => keys.includes(itemKey(item)));
  return newer && older ? [older, newer] : undefined;
}

/** At most two stay chosen: the one chosen first gives way. */
export const chosenAfter = (chosen: readonly string[], key: string, on: boolean): string[] =>
  on ? [...chosen.filter((each) => each !== key), key].slice(-2) : chosen.filter((each) => each !== key);

export interface HistorySearch {
  compare: string[];
}

export const historySearch = ({ compare }: Record<string, unknown>): HistorySearch => ({
  compare: typeof compare === "string" || typeof compare === "number" ? String(compare).split("~").filter(Boolean) : [],
});
