import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { address, tellUnauthenticated } from "./client";
import { type LiveState, LiveStream, type World } from "./live/stream";
import type { Listener } from "./live/topics";

export type { Change } from "./live/topics";

const HIDDEN_MS = 30_000;

const browser: World = {
  open: (topics, lastEventId, signal) =>
    fetch(address("live", { topics: topics.join(",") }), {
      signal,
      credentials: "same-origin",
      headers: { Accept: "text/event-stream", ...(lastEventId ? { "Last-Event-ID": lastEventId } : {}) },
    }),
  frame: (run) => (document.hidden ? setTimeout(run, 250) : requestAnimationFrame(run)),
  later: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  refused: tellUnauthenticated,
};

/** The stream of this tab, which rests while nobody looks at it. */
export function createLiveStream(): LiveStream {
  const stream = new LiveStream(browser);
  let resting: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(resting);
    if (document.hidden) resting = setTimeout(() => stream.pause(true), HIDDEN_MS);
    else stream.pause(false);
  });
  return stream;
}

const LiveContext = createContext<LiveStream | null>(null);
export const LiveProvider = LiveContext.Provider;

/** Hears everything of one topic, a frame's worth at a time. A change of kind RESET means: ask again. */
export function useTopic(topic: string, listener: Listener): void {
  const stream = useContext(LiveContext);
  const heard = useEffectEvent(listener);
  useEffect(() => stream?.subscribe(topic, (events) => heard(events)), [stream, topic]);
}

export function useLiveState(): LiveState {
  const stream = useContext(LiveContext);
  return useSyncExternalStore(stream?.watch ?? watchNothing, () => stream?.state ?? "idle");
}

const watchNothing = () => () => undefined;
