import { createStoredStore, recordOf } from "@/kit/model/store";
import { useStore } from "@/kit/use-store";

export type Theme = "system" | "light" | "dark";
export type Density = "comfortable" | "compact";

export interface Preferences {
  theme: Theme;
  contrast: boolean;
  density: Density;
  /** Whether keys without a modifier do anything. */
  singleKeys: boolean;
  /** Keys that somebody chose instead of ours, by the id of the binding. */
  keys: Record<string, string>;
}

function read(stored: unknown): Preferences {
  const said = recordOf(stored);
  const keys = Object.entries(recordOf(said.keys)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    theme: said.theme === "light" || said.theme === "dark" ? said.theme : "system",
    contrast: said.contrast === true,
    density: said.density === "compact" ? "compact" : "comfortable",
    singleKeys: said.singleKeys !== false,
    keys: Object.fromEntries(keys),
  };
}

/** `public/theme.js` reads the same entry before the first paint. */
export const preferences = createStoredStore("plumbline.preferences", read);

export const usePreferences = (): Preferences => useStore(preferences);

export function prefer(changed: Partial<Preferences>): void {
  preferences.set((before) => ({ ...before, ...changed }));
}

/** Puts the preferences on the document, now and whenever they change. */
export function applyPreferences(root: HTMLElement): () => void {
  const apply = () => {
    const { theme, contrast, density } = preferences.get();
    mark(root, "theme", theme === "system" ? "" : theme);
    mark(root, "contrast", contrast ? "more" : "");
    mark(root, "density", density === "compact" ? "compact" : "");
  };
  apply();
  return preferences.watch(apply);
}

function mark(root: HTMLElement, name: string, value: string): void {
  if (value) root.dataset[name] = value;
  else delete root.dataset[name];
}
