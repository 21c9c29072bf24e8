import type { Subject } from "./wire";

export interface Bar {
  key: string;
  /** What is written under, or beside it. */
  label: string;
  value: number;
  /** The value as people read it. */
  text: string;
}

const STEPS: readonly [length: number, unit: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A length of time in the largest unit that fits, with one digit behind the point where that says something. */
export function lengthText(seconds: number | undefined): string {
  if (seconds === undefined) return "not known";
  for (const [length, unit] of STEPS) {
    if (seconds >= length) return `${Number((seconds / length).toFixed(seconds / length < 10 ? 1 : 0))} ${unit}`;
  }
  return "under 1 s";
}

const DAY_MS = 86_400_000;

/** One bar for every day of the span, also for days on which nothing happened: a gap would look like another scale. */
export function daily<T extends { day: string }>(
  days: readonly T[],
  span: { since: string; days: number },
  bar: (day: T) => Pick<Bar, "value" | "text">,
): Bar[] {
  const known = new Map(days.map((each) => [each.day, each]));
  return Array.from({ length: span.days }, (_, step) => {
    const day = new Date(Date.parse(span.since) + step * DAY_MS).toISOString().slice(0, 10);
    const found = known.get(day);
    return { key: day, label: day, ...(found ? bar(found) : { value: 0, text: "nothing" }) };
  });
}

/** The last so many days, today among them, as whole days of UTC. */
export function spanOf(days: number, now: number): { since: string; days: number } {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return { since: new Date(today - (days - 1) * DAY_MS).toISOString(), days };
}

export const subjectText = ({ kind, namespace, name, provider, id }: Subject): string =>
  provider ? `${provider} ${id ?? ""}` : `${kind ?? ""} ${[namespace, name].filter(Boolean).join("/")}`.trim();

/** From 0 to 1, against the largest. Nothing is nothing, and what there is can be seen. */
export function share(value: number, bars: readonly Bar[]): number {
  const most = Math.max(...bars.map((each) => each.value), 0);
  return most === 0 || value === 0 ? 0 : Math.max(value / most, 0.02);
}
