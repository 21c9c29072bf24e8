/** What of the log is in the URL: the same names as the API has, and a span of time for people. */
export interface ChangesSearch {
  actor?: string;
  kind?: string;
  verb?: string;
  object?: string;
  namespace?: string;
  project?: string;
  commit?: string;
  change?: string;
  since?: string;
  until?: string;
}

export const NAMES = [
  "actor",
  "kind",
  "verb",
  "object",
  "namespace",
  "project",
  "commit",
  "change",
  "since",
  "until",
] as const satisfies readonly (keyof ChangesSearch)[];

export function changesSearchOf(search: Record<string, unknown>): ChangesSearch {
  const said = NAMES.filter((name) => search[name] !== undefined && search[name] !== "");
  return Object.fromEntries(said.map((name) => [name, String(search[name])]));
}

const ACTOR = /^(?:person|controller|field-manager):./;
const SPAN = /^(\d+)([hd])$/;
const LENGTHS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** What the server is asked. A name alone is a person; `24h` and `7d` are spans until now, to the minute. */
export function askedOf(search: ChangesSearch, now: number): Record<string, string> {
  const asked = Object.fromEntries(NAMES.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  if (asked.actor && !ACTOR.test(asked.actor)) asked.actor = `person:${asked.actor}`;
  for (const end of ["since", "until"]) if (asked[end]) asked[end] = moment(asked[end], now);
  return asked;
}

function moment(said: string, now: number): string {
  const [, count, unit] = SPAN.exec(said) ?? [];
  if (count && unit) {
    const minute = Math.floor(now / 60_000) * 60_000;
    return new Date(minute - Number(count) * (LENGTHS_MS[unit] ?? 0)).toISOString();
  }
  const ms = Date.parse(said);
  return Number.isNaN(ms) ? said : new Date(ms).toISOString();
}
