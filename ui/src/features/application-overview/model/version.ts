import type { ApplicationSource } from "@/features/applications/model/wire";
import type { WholeApplication } from "./wire";

const SHA = /^[0-9a-f]{40}$/;
const VERSION = /^v?\d+(\.\d+)+/;

export const shortened = (revision: string): string => (SHA.test(revision) ? revision.slice(0, 7) : revision);

/** The tag of an image; empty where it has none, or only a digest. */
export function tagOf(image: string): string {
  const name = image.split("@")[0] ?? "";
  const colon = name.lastIndexOf(":");
  // A colon before the last slash is the registry's port.
  return colon > name.lastIndexOf("/") ? name.slice(colon + 1) : "";
}

/** The revision in sight of people: of a chart its version, of Git the short commit. */
export function revisionOf(of: { revision?: string; revisions?: string[] } | undefined): string {
  return shortened(of?.revision || of?.revisions?.[0] || "");
}

/** What people call the release: the version that all images agree on, or the chart's, or the commit. */
export function versionOf({ spec = {}, status = {} }: WholeApplication): string {
  const source: ApplicationSource | undefined = spec.source ?? spec.sources?.[0];
  const live = revisionOf(status.history?.at(-1) ?? status.sync);
  if (source?.chart) return live ? `${source.chart} ${live}` : source.chart;
  const tags = new Set((status.summary?.images ?? []).map(tagOf).filter((tag) => VERSION.test(tag)));
  const [only] = tags;
  if (tags.size === 1 && only) return only;
  return live;
}
