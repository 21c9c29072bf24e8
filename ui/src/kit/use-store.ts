import { useSyncExternalStore } from "react";
import type { Store } from "./model/store";

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
