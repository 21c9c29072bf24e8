/** One thing of a topic, as it is now. RESET stands for all of them: something may have been missed, so ask again. */
export interface Change {
  kind: "ADDED" | "MODIFIED" | "DELETED" | "RESET";
  key: string;
  /** Absent where it is gone, or too large to be sent. */
  object?: unknown;
  omitted?: boolean;
}

export type Listener = (changes: readonly Change[]) => void;

const RESET: Change = { kind: "RESET", key: "" };

/** Who listens to what, and what was told but not yet heard. Hands over everything of one frame at once. */
export class Topics {
  private readonly listeners = new Map<string, Set<Listener>>();
  private waiting = new Map<string, Change[]>();

  /** Whether the set of topics changed. */
  add(topic: string, listener: Listener): boolean {
    const known = this.listeners.get(topic);
    if (known) {
      known.add(listener);
      return false;
    }
    this.listeners.set(topic, new Set([listener]));
    return true;
  }

  /** Whether the set of topics changed. */
  drop(topic: string, listener: Listener): boolean {
    const known = this.listeners.get(topic);
    known?.delete(listener);
    if (known?.size !== 0) return false;
    this.waiting.delete(topic);
    return this.listeners.delete(topic);
  }

  names(): string[] {
    return [...this.listeners.keys()].sort();
  }

  keep(topic: string, change: Change): void {
    if (!this.listeners.has(topic)) return;
    const kept = this.waiting.get(topic);
    if (kept) kept.push(change);
    else this.waiting.set(topic, [change]);
  }

  /** What was kept of a topic does not matter any more once everything is asked again. */
  reset(topics: Iterable<string>): void {
    for (const topic of topics) if (this.listeners.has(topic)) this.waiting.set(topic, [RESET]);
  }

  tell(): void {
    const told = this.waiting;
    this.waiting = new Map();
    for (const [topic, changes] of told) for (const listener of this.listeners.get(topic) ?? []) listener(changes);
  }
}
