import { type LogEntry, orderOf } from "./reader";

export interface LogLine extends LogEntry {
  id: number;
}

export const MOST_LINES = 20_000;

/** The last lines that came. After a stream broke off, those that were seen already are left out. */
export class LogBuffer {
  private next = 0;
  private readonly seen = new Map<string, string>();
  private again = new Map<string, string>();
  lines: readonly LogLine[] = [];
  /** How many were let go. */
  dropped = 0;

  constructor(private readonly most = MOST_LINES) {}

  add(entries: readonly LogEntry[]): void {
    const fresh = entries.filter((entry) => !this.known(entry)).map((entry) => ({ ...entry, id: this.next++ }));
    for (const { pod, stamp } of fresh) if (stamp) this.seen.set(pod, orderOf(stamp));
    if (fresh.length === 0) return;
    const all = [...this.lines, ...fresh];
    const over = Math.max(0, all.length - this.most);
    this.dropped += over;
    this.lines = over ? all.slice(over) : all;
  }

  /** From here on the server may say again what it has said: up to what was seen of each pod it is not new. */
  resume(): void {
    this.again = new Map(this.seen);
  }

  /** The time of the last line, to ask from; empty before there is one. */
  get latest(): string {
    return this.lines.findLast((line) => line.stamp)?.stamp ?? "";
  }

  private known({ pod, stamp }: LogEntry): boolean {
    const last = this.again.get(pod);
    return last !== undefined && stamp !== "" && orderOf(stamp) <= last;
  }
}

/** What people take along. */
export const textOf = (lines: readonly LogEntry[]): string =>
  lines.map(({ stamp, pod, text }) => [stamp, pod, text].filter(Boolean).join(" ")).join("\n");
