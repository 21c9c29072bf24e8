const STEPS: readonly [seconds: number, unit: string][] = [
  [86_400 * 365, "y"],
  [86_400 * 30, "mo"],
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** How long ago, in one unit: `3 h ago`. Empty for what is no time. */
export function agoText(at: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(at)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 5) return "just now";
  for (const [length, unit] of STEPS) if (seconds >= length) return `${Math.floor(seconds / length)} ${unit} ago`;
  return `${seconds} s ago`;
}
