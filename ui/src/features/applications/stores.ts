import { createStoredStore, textsOf } from "@/kit/model/store";
import { viewsOf } from "./model/views";

/** Keys of the applications that somebody wants on top. */
export const pins = createStoredStore("plumbline.pins", textsOf);

export const savedViews = createStoredStore("plumbline.views", viewsOf);

export function togglePin(key: string): void {
  pins.set((before) => (before.includes(key) ? before.filter((each) => each !== key) : [...before, key]));
}
