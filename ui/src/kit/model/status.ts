export const HEALTHS = ["Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"] as const;
export const SYNCS = ["Synced", "OutOfSync", "Blocked", "Unknown"] as const;

export type Health = (typeof HEALTHS)[number];
export type Sync = (typeof SYNCS)[number];

const isOneOf = <T extends string>(known: readonly T[], value: unknown): value is T =>
  typeof value === "string" && (known as readonly string[]).includes(value);

/** The words of the vocabulary; whatever the server says beyond them is Unknown. */
export const healthOf = (value: unknown): Health => (isOneOf(HEALTHS, value) ? value : "Unknown");
export const syncOf = (value: unknown): Sync => (isOneOf(SYNCS, value) ? value : "Unknown");

/** Worst first, as people look for them. */
export const HEALTH_ORDER: readonly Health[] = [
  "Degraded",
  "Missing",
  "Unknown",
  "Progressing",
  "Suspended",
  "Healthy",
];
