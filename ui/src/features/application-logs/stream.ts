import { address, type QueryValue, tellUnauthenticated } from "@/api/client";
import { ApiError, refusalOf } from "@/api/errors";
import { LogBuffer, type LogLine } from "./model/buffer";
import { LogReader } from "./model/reader";

export interface LogState {
  lines: readonly LogLine[];
  dropped: number;
  /** Lines that came while nobody wanted to see them. */
  waiting: number;
  /** What the stream is doing, as a sentence. */
  sentence: string;
  /** No more is to come. */
  over: boolean;
  error: ApiError | undefined;
}

const NOTHING: LogState = {
  lines: [],
  dropped: 0,
  waiting: 0,
  sentence: "Asking for the logs.",
  over: false,
  error: undefined,
};
const FLUSH_MS = 100;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** One reading of a stream of logs: comes back by itself where it breaks off, and is over when the server says so. */
export class LogStream {
  private readonly buffer = new LogBuffer();
  private readonly watchers = new Set<() => void>();
  private flushing: ReturnType<typeof setTimeout> | undefined;
  private held = false;
  private state = NOTHING;
  private waitMs = FIRST_WAIT_MS;

  constructor(
    private readonly name: string,
    private readonly query: Record<string, QueryValue>,
  ) {}

  readonly snapshot = (): LogState => this.state;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** While held, lines are kept but not shown. */
  hold(held: boolean): void {
    this.held = held;
    this.flush();
  }

  /** Reads until there is no more, or until what is returned is called. */
  start(): () => void {
    const stopping = new AbortController();
    void this.run(stopping.signal);
    return () => {
      stopping.abort();
      clearTimeout(this.flushing);
      this.flushing = undefined;
    };
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.read(signal))
          return this.say(this.query.follow ? "The pods print no more." : "These are all lines.", true);
        if (!this.query.follow) return this.say("The stream broke off: some lines may be missing.", true);
      } catch (failure) {
        if (signal.aborted) return;
        if (failure instanceof ApiError && !failure.unreachable && failure.status !== 429) {
          this.set({ error: failure, over: true });
          return;
        }
      }
      if (signal.aborted) return;
      await this.pause(signal);
    }
  }

  /** Whether the server said that there is no more. */
  private async read(signal: AbortSignal): Promise<boolean> {
    const latest = this.buffer.latest;
    const again = latest
      ? { ...this.query, sinceTime: latest, tailLines: undefined, sinceSeconds: undefined }
      : this.query;
    this.buffer.resume();
    const response = await fetch(address(`applications/${encodeURIComponent(this.name)}/logs`, again), {
      signal,
      credentials: "same-origin",
      headers: { Accept: "text/event-stream" },
    });
    if (response.status === 401) tellUnauthenticated();
    if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => null));
    if (!response.body) return true;
    this.say(this.query.follow ? "Following as the pods print." : "Reading.");
    const reader = new LogReader();
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
      this.waitMs = FIRST_WAIT_MS;
      this.buffer.add(reader.read(piece.value));
      this.flushing ??= setTimeout(() => this.flush(), FLUSH_MS);
    }
    this.flush();
    return reader.ended;
  }

  private pause(signal: AbortSignal): Promise<void> {
    const seconds = Math.ceil(this.waitMs / 1000);
    this.say(`The stream broke off. It is asked for again in ${seconds} s, from the last line on.`);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.waitMs);
      this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private flush(): void {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    const { lines, dropped } = this.buffer;
    if (!this.held) {
      this.set({ lines, dropped, waiting: 0 });
      return;
    }
    const last = this.state.lines.at(-1)?.id ?? -1;
    this.set({ waiting: (lines.at(-1)?.id ?? last) - last });
  }

  private say(sentence: string, over = false): void {
    this.set({ sentence, over });
  }

  private set(changed: Partial<LogState>): void {
    this.state = { ...this.state, ...changed };
    for (const watcher of this.watchers) watcher();
  }
}
