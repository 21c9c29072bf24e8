import { useSyncExternalStore } from "react";
import { agoText } from "./model/time";

const TICK_MS = 10_000;
let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all of a page's times, which stands still while nobody looks at any. */
function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function Ago({ at }: { at: string }) {
  const shown = useSyncExternalStore(watch, () => now);
  const text = agoText(at, Math.max(shown, Date.now()));
  if (!text) return null;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
      {text}
    </time>
  );
}
