import { createStoredStore, recordOf, textsOf } from "@/kit/model/store";

interface Progress {
  done: readonly string[];
  dismissed: boolean;
}

/** How far somebody is, in this browser. */
export const progress = createStoredStore("plumbline.tour", (stored): Progress => {
  const { done, dismissed } = recordOf(stored);
  return { done: textsOf(done), dismissed: dismissed === true };
});

export function markDone(step: string, done: boolean): void {
  progress.set((before) => ({
    ...before,
    done: done ? [...new Set([...before.done, step])] : before.done.filter((each) => each !== step),
  }));
}

export const dismiss = (dismissed: boolean): void => progress.set((before) => ({ ...before, dismissed }));
