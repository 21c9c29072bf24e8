import type { HistoryItem } from "./history";
import { shortRevision } from "./history";

export const PIN = "plumbline.dev/rollback-pin";

export interface Pin {
  revisions: string[];
  /** Empty where it lasts until somebody takes it away. */
  until: string;
  id: number;
}

/** What an application is held at, if it is. */
export function pinOf(annotations: Readonly<Record<string, string>> | undefined): Pin | undefined {
  try {
    const said = JSON.parse(annotations?.[PIN] ?? "") as Partial<Pin>;
    if (!Array.isArray(said.revisions)) return undefined;
    return { revisions: said.revisions.map(String), until: String(said.until ?? ""), id: Number(said.id ?? 0) };
  } catch {
    return undefined;
  }
}

export const pinHolds = (pin: Pin, now: number): boolean => !pin.until || Date.parse(pin.until) > now;

export const LASTING = [
  { value: "1h", label: "1 hour" },
  { value: "24h", label: "24 hours" },
  { value: "168h", label: "7 days" },
  { value: "", label: "until somebody takes the pin away" },
] as const;

/** What will happen, before it does. */
export function rollbackSentences(automated: boolean, lasting: string): string[] {
  const label = LASTING.find((each) => each.value === lasting)?.label ?? lasting;
  if (!automated) {
    return [
      "What was synced then is synced again, without hooks.",
      "Automated syncs are off, so it stays there until somebody syncs. Git is not changed, and the application will be out of sync.",
    ];
  }
  return [
    "What was synced then is synced again, without hooks.",
    `Automated syncs stay on, and the application is pinned ${label.startsWith("until") ? label : `for ${label}`}: what is newer in Git waits, drift is still healed.`,
    label.startsWith("until")
      ? "Nothing newer is delivered before the pin is taken away."
      : "When the pin ends, the newest revision counts again. Put Git right before then.",
  ];
}

/** The same for ever: a commit that undoes everything since, for each source that Git has. */
export function revertCommands(item: HistoryItem, now: readonly string[]): string[] {
  return (item.sources ?? []).flatMap((source, place) => {
    const [then, present] = [item.revisions?.[place] ?? "", now[place] ?? ""];
    if (source.chart || !then || !present || then === present) return [];
    const branch = source.targetRevision && source.targetRevision !== "HEAD" ? ` ${source.targetRevision}` : "";
    const path = source.path && source.path !== "." ? ` -- ${source.path}` : "";
    // Only the folder of this application: others may live in the same repository.
    return [
      path
        ? `git checkout ${shortRevision(then)}${path} && git commit -m 'Go back to ${shortRevision(then)}' && git push origin HEAD${branch ? `:${branch.trim()}` : ""}`
        : `git revert --no-edit ${shortRevision(then)}..${shortRevision(present)} && git push origin HEAD${branch ? `:${branch.trim()}` : ""}`,
    ];
  });
}

export function rollbackCommand(name: string, id: number, prune: boolean, lasting: string, automated: boolean): string {
  const held = !automated ? "" : lasting ? ` --for ${lasting}` : " --forever";
  return `plumb app rollback ${name} ${id}${prune ? " --prune" : ""}${held}`;
}
