import type { Entry, Thing } from "./wire";

/** What happened, in the words of the journal, with what each means. */
export const KINDS: Readonly<Record<string, string>> = {
  decided: "a plan was made",
  intended: "about to be done",
  performed: "done",
  refused: "the gate said no",
  failed: "tried, and it did not work",
  drifted: "the live object is not what it should be",
  healed: "it is again",
  healthy: "runs what a commit says",
  degraded: "no longer does",
  approved: "a person let it pass",
  rejected: "a person did not",
  adopted: "handed to this installation",
  released: "and back",
  login: "somebody came in, or tried to",
  checkpoint: "what was before this was dropped",
  rewound: "entries that were once acknowledged are gone",
};

export function thingText(thing: Thing | undefined): string {
  if (!thing) return "";
  if (thing.provider) return `${thing.provider} ${thing.id ?? ""}`;
  const cluster = thing.cluster && thing.cluster !== "in-cluster" ? ` on ${thing.cluster}` : "";
  return `${thing.kind} ${[thing.namespace, thing.name].filter(Boolean).join("/")}${cluster}`;
}

/** As the filter and the API name an object; nothing for what is outside of clusters. */
export function objectOf(thing: Thing | undefined): string {
  if (!thing?.kind || !thing.name) return "";
  return [thing.group || "-", thing.kind, thing.namespace || "-", thing.name].join("/");
}

export const actorText = ({ actor }: Entry): string => `${actor.kind}:${actor.name}`;

export function causeText({ cause }: Entry): string {
  if (!cause) return "";
  if (cause.commit) return `Commit ${cause.commit.slice(0, 10)} of ${cause.repo ?? ""}`;
  if (cause.person) return cause.person;
  if (cause.schedule) return `Schedule ${cause.schedule}, due ${cause.due ?? ""}`;
  return thingText(cause.object);
}

/** The drawer's id: when and which, so that one entry is found again without reading all of them. */
export const drawerId = ({ at, id }: Entry): string => `${at}~${id}`;

export function partsOf(drawer: string): { at: string; id: string } {
  const between = drawer.indexOf("~");
  return { at: drawer.slice(0, Math.max(between, 0)), id: drawer.slice(between + 1) };
}

const AROUND_MS = 1_000;

/** The moment before and the moment after. */
export function aroundOf(at: string): { since: string; until: string } | undefined {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return undefined;
  return { since: new Date(ms - AROUND_MS).toISOString(), until: new Date(ms + AROUND_MS).toISOString() };
}
