/** A value that many look at. */
export interface Store<T> {
  get: () => T;
  set: (next: T | ((before: T) => T)) => void;
  watch: (watcher: () => void) => () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      const after = typeof next === "function" ? (next as (before: T) => T)(value) : next;
      if (Object.is(after, value)) return;
      value = after;
      for (const watcher of watchers) watcher();
    },
    watch: (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** One that outlives the page. What was stored is checked by *read*, for it may be of another time or hand. */
export function createStoredStore<T>(key: string, read: (stored: unknown) => T): Store<T> {
  const store = createStore(read(stored(key)));
  if (typeof window !== "undefined") {
    window.addEventListener("storage", (event) => {
      if (event.key === key) store.set(read(parsed(event.newValue)));
    });
  }
  return {
    ...store,
    set: (next) => {
      store.set(next);
      try {
        localStorage.setItem(key, JSON.stringify(store.get()));
      } catch {
        // Storage is full or closed: the value holds for this page.
      }
    },
  };
}

function stored(key: string): unknown {
  try {
    return parsed(localStorage.getItem(key));
  } catch {
    return undefined;
  }
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function recordOf(stored: unknown): Record<string, unknown> {
  return typeof stored === "object" && stored !== null && !Array.isArray(stored) ? { ...stored } : {};
}

export function textsOf(stored: unknown): string[] {
  return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
}
