import { type Frame, FrameReader } from "./frames";
import { messageOf } from "./messages";
import { type Listener, Topics } from "./topics";

export type LiveState = "idle" | "connecting" | "open" | "lost";

/** What the stream needs of the world; tests give their own. */
export interface World {
  open: (topics: string[], lastEventId: string, signal: AbortSignal) => Promise<Response>;
  frame: (run: () => void) => void;
  later: (run: () => void, ms: number) => () => void;
  refused: () => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const GATHER_MS = 20;
/** The server gives a sign of life every 15 s: after more than two missed ones the connection is dead. */
const SILENCE_MS = 40_000;

/** The one stream of a tab. It reconnects by itself and goes on behind the last event that it saw. */
export class LiveStream {
  private readonly topics = new Topics();
  private readonly watchers = new Set<() => void>();
  private readonly world: World;
  private current: LiveState = "idle";
  private running: AbortController | undefined;
  private cancelStart: (() => void) | undefined;
  private cancelSilence: (() => void) | undefined;
  private lastEventId = "";
  private waitMs = FIRST_WAIT_MS;
  private framed = false;
  private paused = false;

  constructor(world: World) {
    this.world = world;
  }

  get state(): LiveState {
    return this.current;
  }

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  subscribe(topic: string, listener: Listener): () => void {
    if (this.topics.add(topic, listener)) this.restart(GATHER_MS);
    return () => {
      if (this.topics.drop(topic, listener)) this.restart(GATHER_MS);
    };
  }

  /** A tab that nobody sees gives its connection back: browsers have six of them for all tabs. */
  pause(paused: boolean): void {
    if (this.paused === paused) return;
    this.paused = paused;
    this.restart(0);
  }

  private restart(afterMs: number): void {
    this.cancelStart?.();
    this.cancelStart = this.world.later(() => {
      this.running?.abort();
      this.running = undefined;
      this.cancelSilence?.();
      if (this.paused || this.topics.names().length === 0) this.become("idle");
      else void this.run();
    }, afterMs);
  }

  private async run(): Promise<void> {
    const running = new AbortController();
    this.running = running;
    this.become("connecting");
    try {
      const response = await this.world.open(this.topics.names(), this.lastEventId, running.signal);
      if (response.status === 401) this.world.refused();
      else if (response.ok && response.body) await this.follow(response.body, running.signal);
    } catch {
      // Whatever broke the stream, the way on is the same: wait and open another.
    }
    if (running.signal.aborted) return;
    this.become("lost");
    this.restart(this.waitMs);
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
  }

  private async follow(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const frames = new FrameReader();
    const reader = body.getReader();
    const text = new TextDecoder();
    for (;;) {
      this.cancelSilence?.();
      this.cancelSilence = this.world.later(() => this.restart(0), SILENCE_MS);
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      for (const frame of frames.read(text.decode(value, { stream: true }))) this.take(frame);
    }
  }

  private take(frame: Frame): void {
    if (frame.id) this.lastEventId = frame.id;
    if (frame.retryMs !== undefined) this.waitMs = frame.retryMs;
    const message = messageOf(frame);
    if (message?.event === "open") {
      this.become("open");
      // What was fetched before the stream was open may be older than the stream.
      if (!message.resumed) this.topics.reset(this.topics.names());
    } else if (message?.event === "change") this.topics.keep(message.topic, message.change);
    else if (message?.event === "reset") this.topics.reset(message.topics);
    else if (message?.event === "bye" && message.reason === "session") this.world.refused();
    if (message) this.tellInNextFrame();
  }

  private tellInNextFrame(): void {
    if (this.framed) return;
    this.framed = true;
    this.world.frame(() => {
      this.framed = false;
      this.topics.tell();
    });
  }

  private become(state: LiveState): void {
    if (this.current === state) return;
    this.current = state;
    for (const watcher of this.watchers) watcher();
  }
}
